/// <reference path="./tus-protocol.d.ts" />
/**
 * Resumable upload: tus-js-client with our transport, sources and memory (interface document: "Resumable upload").
 *
 * tus-js-client speaks the protocol; it is given neither storage nor retries, and never an endpoint together with
 * an upload URL, since it would answer a failing HEAD by creating the upload again. Each request goes to its own address,
 * and only an answer that can be right gets to it. Its own errors, which hold addresses and answers, never leave.
 */

import type { HttpRequest, HttpStack } from "tus-js-client";
// The class below the public one, which takes all its ports by its documented options. The main entry brings ports of
// its own: 8 kB gzip in a page and 26 kB elsewhere, node:fs and node:http, which edge workers lack, and a look for
// localStorage when it is imported.
import Upload from "tus-js-client/lib/upload.js";
import { mediaTypeOf } from "../content/media-type.ts";
import { UploadError } from "../errors/errors.ts";
import { REFUSED, whyUnusable } from "../service/upload-location.ts";
import { shortFileName } from "../source/file-name.ts";
import { LEAST_PART_SIZE, PART_SIZE, partSizeOf, wholeParts } from "../source/parts.ts";
import type { Slice } from "../source/source.ts";
import { isHtmlAnswer } from "../text/html.ts";
import { onAbort } from "../time/abort.ts";
import { answeredWithPage, bodyRefused, Interruption, refuseHidden, refuseStreams } from "./interruption.ts";
import { type Answer, type HostRequest, sendMeasured, transportOf } from "./request.ts";
import {
  confirmEnd,
  confirmStart,
  findOffset,
  partSizeIn,
  readCount,
  type Transfer,
  UnprovenEnd,
  withHeader,
} from "./settling.ts";

/** Sends what the service doesn't have yet. */
export async function transferResumable(transfer: Transfer): Promise<void> {
  const { location, uploadUrl } = transfer.record();
  if (uploadUrl === undefined) {
    if (location === undefined)
      throw new UploadError("location-refused", "Cannot upload: there is no resumable-upload location");
    if (!transfer.locationUsed) transfer.source.begin?.(0, mayBeOpen(transfer) ? OPEN_SIZE : PART_SIZE);
    // Creating again gives the same upload, but only a HEAD gives its offset.
    try {
      await runTus(transfer, location, transfer.locationUsed);
    } catch (error) {
      return await takeUsedUp(transfer, error);
    }
    if (!transfer.locationUsed) return;
  }
  const resume = () => runTus(transfer, null);
  await resume().catch(async (error: unknown) => {
    const isMissing = error instanceof Interruption && error.reason === "not-found";
    if (isMissing) transfer.settling.missed();
    if (isMissing ? !transfer.settling.missing : !(error instanceof UnprovenEnd)) throw error;
    if (!(await isWhole(transfer, error))) await resume();
  });
}

/** A location that is used up means a whole upload where an earlier call, which could note no address, may have sent it. */
async function takeUsedUp(
  { record, note, settling, source, meter }: Transfer,
  error: unknown,
): Promise<void> {
  const isUsedUp = error instanceof Interruption && error.error?.code === "location-refused";
  if (!isUsedUp || error.httpStatus !== 422) throw error;
  // Without a size nobody would know how long it is.
  if (settling.continued && record().handedOver !== false && source.size !== undefined)
    return meter.acknowledge(source.size);
  // A location that refuses its first request tells no later call anything.
  if (!settling.continued) await note({ handedOver: false });
  throw error;
}

/**
 * Asks the location, which is used up once its asset is whole. Otherwise it begins the upload again, of the same asset.
 *
 * @param doubt what the upload's own address told, thrown where the location can't tell more
 */
async function isWhole(transfer: Transfer, doubt: unknown): Promise<boolean> {
  const { source, meter, record } = transfer;
  const { location } = record();
  if (location === undefined) throw doubt;
  try {
    await runTus(transfer, location, true);
    return false;
  } catch (error) {
    const refusal = error instanceof Interruption ? error.error : error;
    if (!(refusal instanceof UploadError)) throw error;
    const { httpStatus } = refusal;
    const isGone = httpStatus === 404 || httpStatus === 410;
    if (isGone && doubt instanceof Interruption) {
      const { message, error } = doubt;
      throw new Interruption("refused", message, { httpStatus: doubt.httpStatus, error });
    }
    if (httpStatus !== 422) throw doubt;
    if (source.size !== undefined) meter.acknowledge(source.size);
    return true;
  }
}

/**
 * @param endpoint the location to create the upload at, or null to continue the known one
 * @param createOnly whether it stops once the upload URL is known and kept
 */
function runTus(transfer: Transfer, endpoint: string | null, createOnly = false): Promise<void> {
  const { source, signal } = transfer;
  const filename = shortFileName(source.name ?? "video");
  const filetype = mediaTypeOf(source.type, source.name);
  let forget = () => {};
  const work = new Promise<void>((resolve, reject) => {
    let failure: unknown;
    const remember = (error: unknown): never => {
      failure ??= error;
      throw error;
    };
    forget = onAbort(signal, () => {
      void upload.abort();
      reject(signal.reason);
    });
    let lengthKnown = false;
    const exchange = async (call: HostRequest): Promise<Answer> => {
      const { "Upload-Length": _, ...headers } = call.headers ?? {};
      const answer = await sendTusRequest(transfer, lengthKnown ? { ...call, headers } : call);
      // The last part of a stream announces the length; a service refuses to hear it twice.
      lengthKnown ||= call.method === "HEAD" && answer.header("upload-length") !== undefined;
      if (createOnly && call.method === "POST") {
        void upload.abort();
        resolve();
      }
      return answer;
    };
    const upload = new Upload(source as unknown as Blob, {
      ...Upload.defaultOptions,
      ...(endpoint === null ? { uploadUrl: transfer.record().uploadUrl ?? "" } : { endpoint }),
      ...(source.size === undefined ? { uploadLengthDeferred: true } : { uploadSize: source.size }),
      metadata: { filename, ...(filetype !== undefined && { filetype }) },
      retryDelays: null,
      storeFingerprintForResuming: false,
      fingerprint: async () => "",
      fileReader: {
        openFile: async () => ({
          // The options say the size, or that nobody knows it yet.
          size: source.size ?? 0,
          slice: (start) => readChunk(transfer, start).catch(remember),
          close() {},
        }),
      },
      httpStack: httpStack((call) => exchange(call).catch(remember)),
      onSuccess: () => resolve(),
      // An error of tus-js-client holds addresses and answers: only the error of this module is passed on.
      onError: () => reject(failure ?? new Interruption("offset", "the answer holds no offset")),
    });
    upload.start();
  });
  return work.finally(() => forget());
}

/** The body of the next request: whole parts, or what is left below one. */
async function readChunk(transfer: Transfer, start: number) {
  const { source, settings, settling, record, note } = transfer;
  const { uploadUrl: url = "", parts: kept = [] } = record();
  const host = transfer.hosts.at(url);
  const partSize = partSizeIn(transfer);
  const isOpen = !host.miscounts && mayBeOpen(transfer) && host.takesStreams;
  // A body that a browser may send again by itself goes a part at a time, and so does a stream, which is held meanwhile.
  const { repeats } = transportOf(transfer, { method: "PATCH", url });
  const usual = source.rereadable && !repeats ? Number.POSITIVE_INFINITY : PART_SIZE;
  const closed = host.miscounts ? partSize : Math.min(settings.chunkSize ?? usual, host.bodyLimit);
  const most = isOpen ? OPEN_SIZE : closed;
  const limits = { partSize, most };
  const rest = source.size === undefined ? undefined : source.size - start;
  let size = rest === undefined ? most : requestSize(rest, { ...limits, start });
  // Bytes that are hidden behind an offset show in the count after the next request, unless that is the last.
  if (settling.suspect === start && rest !== undefined && rest > 1)
    size = Math.min(LEAST_PART_SIZE, rest - 1);
  let slice = await source.slice(start, start + size, isOpen);
  // The end of a stream is known only once it was read.
  const fitting = slice.last && rest === undefined ? requestSize(slice.size, limits) : slice.size;
  if (fitting < slice.size) slice = await source.slice(start, start + fitting);
  // The digest of a part is kept before the part leaves: another process compares it with what it reads.
  const parts = source.parts?.() ?? [];
  if (parts.length > kept.length) await note({ parts: [...parts] });
  return { value: slice.size === 0 ? null : slice, done: slice.last };
}

/** Most bytes of a request whose parts are read while it is sent: they are held until they are acknowledged. */
const OPEN_SIZE = 3 * PART_SIZE;

/** A stream of unknown length goes by several parts at a time, as long as nothing broke. */
function mayBeOpen({ source, settings, settling, transport }: Transfer): boolean {
  const isStream = source.size === undefined && source.parts === undefined;
  return isStream && settings.chunkSize === undefined && !settling.doubtful && transport.sendsOpen === true;
}

export interface RequestLimits {
  partSize: number;
  /** Most bytes of one request; at least one part is sent. */
  most: number;
  /** Where the request begins, for a host that knows the length from the start. */
  start?: number;
}

/**
 * Bytes of the next request: as many whole parts as may go together, or what goes last.
 *
 * A store of parts cuts each request into parts from where the request begins. The last part of the source may overtake the
 * parts before it and be left out of the stored file, so it goes in a request of its own. It is cut in two by a store of
 * smaller parts, unless such a store would have refused to go on behind a single part.
 *
 * @param rest bytes that are left of the source
 */
export function requestSize(rest: number, { partSize, most, start }: RequestLimits): number {
  const isCounted = start !== undefined && start > 0 && start % partSize === 0;
  if (rest <= partSize) return isCounted ? rest : Math.min(rest, LEAST_PART_SIZE);
  const last = rest % partSize || partSize;
  if (start === 0 && last > LEAST_PART_SIZE) return partSize;
  return Math.max(partSize, wholeParts(Math.min(rest - last, most), partSize));
}

async function sendTusRequest(transfer: Transfer, given: HostRequest): Promise<Answer> {
  const { location, uploadUrl } = transfer.record();
  const url = given.method === "POST" ? location : uploadUrl;
  if (url === undefined) throw new Interruption("offset", "the upload has no address");
  if (given.method === "POST") return await createUpload(transfer, { ...given, url });
  return given.method === "HEAD"
    ? await findOffset(transfer, url)
    : await sendParts(transfer, { ...given, url, start: Number(given.headers?.["Upload-Offset"]) });
}

async function createUpload(transfer: Transfer, call: HostRequest): Promise<Answer> {
  const answer = await sendMeasured(transfer, call).catch((error: unknown) => {
    throw transfer.source.size === undefined ? withLengthHint(error) : error;
  });
  const told = answer.header("location");
  if (told === undefined) {
    // A network's sign-in page says nothing of the upload.
    if (isHtmlAnswer(answer)) throw answeredWithPage(answer.status);
    refuseHidden("Location", call.url);
  }
  const uploadUrl = readUploadUrl(told, call.url);
  await transfer.note({ uploadUrl });
  return withHeader(answer, "location", uploadUrl);
}

async function sendParts(transfer: Transfer, call: HostRequest): Promise<Answer> {
  const { settling, source, record, hosts } = transfer;
  const { url, start = 0, body } = call;
  const { repeats, unreported = Number.POSITIVE_INFINITY } = transportOf(transfer, call);
  // A browser may send it again by itself at once, while the host still stores parts of it.
  settling.doubtful ||= repeats;
  if (body?.last ?? true) {
    await confirmStart(transfer, url, start);
    // A stream's length is noted before the host is told it with the last bytes.
    const toldLength = readCount(call.headers?.["Upload-Length"]);
    if (toldLength !== undefined && toldLength !== record().toldLength) await transfer.note({ toldLength });
  }
  let handedOver = 0;
  try {
    const answer = await sendMeasured(transfer, call, (bytes) => {
      handedOver = bytes;
    });
    await confirmEnd(transfer, answer, call);
    return answer;
  } catch (error) {
    const size = body?.size ?? 0;
    // Nothing is taken of a request that is refused for its offset, where none broke before it.
    const isRefused = error instanceof Interruption && error.httpStatus === 409 && !settling.doubtful;
    const left = isRefused ? 0 : Math.min(size, handedOver + unreported);
    const isWhole = left === size;
    const parts = isWhole ? size : wholeParts(left, partSizeOf(source.size));
    const end = isWhole && body?.last === false ? start + size : undefined;
    // Where a browser has sent it again, the host may have stored both.
    settling.failed(start, start + left, start + (repeats ? 2 : 1) * parts, end);
    if (error instanceof Interruption) {
      if (body?.isOpen) refuseStreams(hosts.at(url), error.httpStatus);
      sendLess(transfer, call, error, handedOver);
    }
    throw error;
  }
}

/**
 * Has less sent from now on where a body's length may be why it failed.
 *
 * @throws {Interruption} where it was refused for that
 */
function sendLess(
  { settling, source, hosts }: Transfer,
  call: HostRequest,
  error: Interruption,
  sent: number,
) {
  const { url, start = 0, body } = call;
  const { httpStatus, reason, neverLeft } = error;
  const host = hosts.at(url);
  const size = body?.size ?? 0;
  const partSize = partSizeOf(source.size);
  // Half of the body, or down to `most`.
  const limit = (most: number) => {
    const less = wholeParts(Math.min(size / 2, most, host.bodyLimit), partSize);
    if (size > partSize) host.limitBodies(Math.max(partSize, less));
  };
  // Some hosts answer 400 to what is too long; the least that can be sent shows whether it was that.
  if (httpStatus === 413 || httpStatus === 400) {
    limit(httpStatus === 413 ? Number.POSITIVE_INFINITY : 0);
    if (size > partSize) throw bodyRefused("the body was too long");
  }
  if (neverLeft || (reason !== "connection" && reason !== "stalled")) return;
  // Something may cut each body at the same byte, or refuse it in an answer that its reset overtakes.
  if (settling.brokeAlike(start, sent)) limit(sent);
  settling.broke(start, sent);
}

/**
 * The upload URL as the service wrote it, without a fragment, which is never sent and would hide it from what compares
 * addresses; where a proxy made it http on the same host, https stays.
 */
export function readUploadUrl(told: string | undefined, endpoint: string): string {
  const location = told?.split("#", 1)[0];
  const bad = (state: string) =>
    new UploadError("location-refused", `Cannot upload: the upload host ${state}`);
  // An empty one leads back to where the upload was created.
  if (location === undefined || location.trim() === "")
    throw bad("created the upload without telling its address");
  const from = new URL(endpoint);
  const url = URL.canParse(location, from) ? new URL(location, from) : undefined;
  const isByProxy = url?.protocol === "http:" && from.protocol === "https:" && url.hostname === from.hostname;
  const found = whyUnusable(url?.href ?? location, from)?.found;
  if (url === undefined || (found !== undefined && !(isByProxy && found === REFUSED.insecure)))
    throw bad(`gave an ${found}`);
  if (isByProxy) return `https://${from.host}${url.pathname}${url.search}`;
  return URL.canParse(location) ? location : url.href;
}

/** A host may refuse to create an upload of unknown length, in its own words. */
function withLengthHint(error: unknown): unknown {
  const refusal = error instanceof Interruption ? error.error : undefined;
  if (refusal?.code !== "rejected") return error;
  const { message, httpStatus, details } = refusal;
  const hint = "It may refuse uploads of unknown length: give the size";
  return new UploadError("length-refused", `${message}. ${hint}`, { httpStatus, details });
}

/** tus-js-client's port for HTTP, on our transport. Cancelling goes through the transfer's signal. */
function httpStack(send: (call: HostRequest) => Promise<Answer>): HttpStack {
  return {
    getName: () => "upcut",
    createRequest(name, url): HttpRequest {
      // tus-js-client sends no other requests than those that it is asked for: POST, HEAD and PATCH.
      const method = name as HostRequest["method"];
      const headers: Record<string, string> = {};
      return {
        getMethod: () => method,
        getURL: () => url,
        setHeader(name, value) {
          headers[name] = value;
        },
        getHeader: (name) => headers[name],
        setProgressHandler() {},
        async send(body: Slice | null | undefined) {
          const answer = await send({ method, url, headers, ...(body && { body }) });
          return {
            getStatus: () => answer.status,
            getHeader: (name) => answer.header(name),
            getBody: () => answer.text,
            getUnderlyingObject: () => undefined,
          };
        },
        abort: async () => {},
        getUnderlyingObject: () => undefined,
      };
    },
  };
}
