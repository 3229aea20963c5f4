/// <reference path="./tus-protocol.d.ts" />
/**
 * Resumable upload: tus-js-client with our transport, sources and memory (interface document: "Resumable upload").
 *
 * tus-js-client speaks the protocol; it is given neither storage nor retries, and never an endpoint together with
 * an upload URL, since it would answer a failing HEAD by creating the upload again. Every answer is checked before it
 * sees it (`tus-requests.ts`), and its own errors, which hold addresses and answers, never leave.
 */

import type { HttpRequest, HttpStack } from "tus-js-client";
// The class below the public one, which takes all its ports by its documented options. The main entry brings ports of
// its own: 8 kB gzip in a page and 26 kB elsewhere, node:fs and node:http, which edge workers lack, and a look for
// localStorage when it is imported.
import Upload from "tus-js-client/lib/upload.js";
import { UploadError } from "../errors.ts";
import { LEAST_PART_SIZE, PART_SIZE, wholeParts } from "../source/parts.ts";
import type { Slice } from "../source/source.ts";
import { bodyLimitOf, hasMiscounted } from "./host-habits.ts";
import { Interruption } from "./interruption.ts";
import { takesStreams } from "./page.ts";
import { type Answer, type Transfer, transportOf, type UploadCall } from "./request.ts";
import { partSizeIn, sendTusRequest, UnprovenEnd } from "./tus-requests.ts";

/** Sends what the service doesn't have yet, and goes on with other bodies where its host doesn't take one. */
export async function transferResumable(transfer: Transfer): Promise<void> {
  for (;;) {
    try {
      return await sendRest(transfer);
    } catch (error) {
      if (!(error instanceof Interruption && error.isOfBody === true)) throw error;
    }
  }
}

async function sendRest(transfer: Transfer): Promise<void> {
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
    if (isMissing ? !transfer.settling.missed() : !(error instanceof UnprovenEnd)) throw error;
    if (!(await isWhole(transfer, error))) await resume().catch(tellUnproven);
  });
}

/** A location that is used up means a whole upload where an earlier call, which could note no address, may have sent it. */
async function takeUsedUp(
  { record, save, settling, source, meter }: Transfer,
  error: unknown,
): Promise<void> {
  if (!(error instanceof UploadError && error.httpStatus === 422)) throw error;
  // Without a size nobody would know how long it is.
  if (settling.continued && record().handedOver !== false && source.size !== undefined)
    return meter.acknowledge(source.size);
  // A location that refuses its first request tells no later call anything.
  if (!settling.continued) await save({ ...record(), handedOver: false });
  throw error;
}

/**
 * Asks the location, which is used up once its asset is whole. Otherwise it begins the upload again, of the same asset.
 *
 * @param doubt what the upload's own address told, thrown where the location can't tell more
 */
async function isWhole(transfer: Transfer, doubt: unknown): Promise<boolean> {
  const { location } = transfer.record();
  if (location === undefined) return tellUnproven(doubt);
  try {
    await runTus(transfer, location, true);
    return false;
  } catch (error) {
    if (!(error instanceof UploadError)) throw error;
    const isGone = error.httpStatus === 404 || error.httpStatus === 410;
    if (isGone && doubt instanceof Interruption) throw doubt.error;
    if (error.httpStatus !== 422) return tellUnproven(doubt);
  }
  if (transfer.source.size !== undefined) transfer.meter.acknowledge(transfer.source.size);
  return true;
}

function tellUnproven(error: unknown): never {
  throw error instanceof UnprovenEnd ? error.error : error;
}

/**
 * @param endpoint the location to create the upload at, or null to continue the known one
 * @param createOnly whether it stops once the upload URL is known and kept
 */
function runTus(transfer: Transfer, endpoint: string | null, createOnly = false): Promise<void> {
  const { source, signal, filename, filetype } = transfer;
  return new Promise((resolve, reject) => {
    let failure: unknown;
    const remember = (error: unknown): never => {
      failure ??= error;
      throw error;
    };
    const finish = (settle: () => void) => {
      signal.removeEventListener("abort", stop);
      settle();
    };
    const stop = () => {
      void upload.abort();
      finish(() => reject(signal.reason));
    };
    let lengthKnown = false;
    const exchange = async (call: UploadCall): Promise<Answer> => {
      const { "Upload-Length": _, ...headers } = call.headers ?? {};
      const answer = await sendTusRequest(transfer, lengthKnown ? { ...call, headers } : call);
      // The last part of a stream announces the length; a service refuses to hear it twice.
      lengthKnown ||= call.method === "HEAD" && answer.header("upload-length") !== undefined;
      if (createOnly && call.method === "POST") {
        void upload.abort();
        finish(resolve);
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
          // The options say it, or that nobody knows it yet.
          size: source.size ?? 0,
          slice: (start) => readChunk(transfer, start).catch(remember),
          close() {},
        }),
      },
      httpStack: httpStack((call) => exchange(call).catch(remember)),
      onSuccess: () => finish(resolve),
      // Its own error holds addresses and answers: only the error of this module is passed on.
      onError: () =>
        finish(() => reject(failure ?? new Interruption("offset", "the answer holds no offset"))),
    });
    signal.addEventListener("abort", stop, { once: true });
    upload.start();
  });
}

/** The body of the next request: whole parts, or what is left below one. */
async function readChunk(transfer: Transfer, start: number) {
  const { source, settling } = transfer;
  const { uploadUrl = "" } = transfer.record();
  const isApart = hasMiscounted(uploadUrl);
  const isOpen = !isApart && mayBeOpen(transfer) && takesStreams(uploadUrl);
  const most = isOpen ? OPEN_SIZE : mostBytes(transfer);
  const partSize = partSizeIn(transfer);
  const limits = { partSize, most: isApart ? partSize : most };
  const rest = source.size === undefined ? undefined : source.size - start;
  let size = rest === undefined ? limits.most : requestSize(rest, { ...limits, start });
  // What is hidden behind an offset shows in the count after the next request, unless that is the last.
  if (settling.isSuspect(start) && rest !== undefined && rest > 1) size = Math.min(LEAST_PART_SIZE, rest - 1);
  let slice = await source.slice(start, start + size, isOpen);
  // The end of a stream is known only once it was read.
  const fitting = slice.last && rest === undefined ? requestSize(slice.size, limits) : slice.size;
  if (fitting < slice.size) slice = await source.slice(start, start + fitting);
  await keepParts(transfer);
  return { value: slice.size === 0 ? null : slice, done: slice.last };
}

/** Most bytes of a request whose parts are read while it is sent: they are held until they are acknowledged. */
const OPEN_SIZE = 3 * PART_SIZE;

/** A stream of unknown length goes by several parts at a time, as long as nothing broke. */
function mayBeOpen({ source, settings, settling, transport }: Transfer): boolean {
  const isStream = source.size === undefined && source.parts === undefined;
  return isStream && settings.chunkSize === undefined && !settling.doubtful && transport.sendsOpen === true;
}

/**
 * Most bytes of the next request. A browser may send a request again by itself at once, while the host still stores parts
 * of it: there one part is sent at a time, and the host's count is compared at the end.
 */
function mostBytes(transfer: Transfer): number {
  const { source, settings, settling, record } = transfer;
  const { uploadUrl: url = "" } = record();
  const { repeats } = transportOf(transfer, { method: "PATCH", url });
  if (repeats) settling.doubtful = true;
  const most = source.rereadable && !repeats ? Number.POSITIVE_INFINITY : PART_SIZE;
  return Math.min(settings.chunkSize ?? most, bodyLimitOf(url));
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

/** The digest of a part is kept before the part leaves: another process compares it with what it reads. */
async function keepParts({ source, record, save }: Transfer): Promise<void> {
  const parts = source.parts?.();
  const kept = record().parts;
  if (parts !== undefined && parts.length > (kept?.length ?? 0))
    await save({ ...record(), parts: [...parts] });
}

/** tus-js-client's port for HTTP, on our transport. Cancelling goes through the transfer's signal. */
function httpStack(send: (call: UploadCall) => Promise<Answer>): HttpStack {
  return {
    getName: () => "upcut",
    createRequest(name, url): HttpRequest {
      // It sends no other requests than those that it is asked for: POST, HEAD and PATCH.
      const method = name as UploadCall["method"];
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
