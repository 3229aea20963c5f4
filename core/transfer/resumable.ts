/// <reference path="./tus-protocol.d.ts" />
/**
 * Resumable upload: tus-js-client with our transport, sources and memory (interface document: "Resumable upload").
 *
 * tus-js-client speaks the protocol; it is given neither storage nor retries, and never an endpoint together with
 * an upload URL, since it would answer a failing HEAD by creating the upload anew. Every answer is checked here
 * before it sees it, and its own errors, which hold addresses and answers, never leave.
 *
 * @module
 */

import type { HttpRequest, HttpStack, UploadOptions } from "tus-js-client";
// Without the ways to send, to read files and to remember that its main entry brings: half of its weight.
import Upload from "tus-js-client/lib/upload.js";
import { UploadError } from "../errors.ts";
import { isLoopback } from "../location.ts";
import { Interruption } from "../retry.ts";
import type { Slice } from "../source/source.ts";
import { PART } from "./body.ts";
import { refusalOf, type Transfer, type TransferCall } from "./transfer.ts";
import type { TransferAnswer } from "./transport.ts";

/** Sends what the service doesn't have yet. */
export async function transferResumable(transfer: Transfer): Promise<void> {
  const { location, uploadUrl } = transfer.record();
  if (uploadUrl === undefined) {
    if (location === undefined)
      throw new UploadError("location-refused", "Cannot upload: there is no resumable-upload location");
    // Creating again gives the same upload, but at an offset that only a HEAD tells.
    await speakTus(transfer, { endpoint: location, createOnly: transfer.locationUsed });
    if (!transfer.locationUsed) return;
  }
  await speakTus(transfer, { endpoint: null, createOnly: false });
}

interface Conversation {
  /** The location to create the upload at, or null to continue the known one. */
  endpoint: string | null;
  /** Stops once the upload URL is known and kept. */
  createOnly: boolean;
}

function speakTus(transfer: Transfer, { endpoint, createOnly }: Conversation): Promise<void> {
  const { source, signal } = transfer;
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
    const exchange = async (call: TransferCall): Promise<TransferAnswer> => {
      const answer = await sendChecked(transfer, lengthKnown ? withoutLength(call) : call);
      // The last part of a stream announces the length; a service refuses to be told it again.
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
      metadata: metadataOf(transfer),
      chunkSize: transfer.chunkSize,
      retryDelays: null,
      storeFingerprintForResuming: false,
      fingerprint: (async () => null) as unknown as NonNullable<UploadOptions["fingerprint"]>,
      urlStorage: NO_STORAGE,
      fileReader: {
        openFile: async () => ({
          size: source.size as number,
          slice: (start, end) => readChunk(transfer, start, end).catch(remember),
          close() {},
        }),
      },
      httpStack: httpStack((call) => exchange(call).catch(remember)),
      onSuccess: () => finish(resolve),
      // Its own error holds addresses and answers: only what happened here is told.
      onError: () =>
        finish(() => reject(failure ?? new Interruption("offset", "the answer holds no offset"))),
    });
    signal.addEventListener("abort", stop, { once: true });
    upload.start();
  });
}

function withoutLength(call: TransferCall): TransferCall {
  const { "Upload-Length": _, ...headers } = call.headers ?? {};
  return { ...call, headers };
}

function metadataOf({ filename, filetype }: Transfer): Record<string, string> {
  return { filename, ...(filetype !== undefined && { filetype }) };
}

/** Chunks end on part boundaries, whatever offset they begin at. */
async function readChunk(transfer: Transfer, start: number, end: number) {
  const { source, chunkSize } = transfer;
  const aligned = Number.isFinite(chunkSize) ? Math.floor((start + chunkSize) / PART) * PART : end;
  const slice = await source.slice(start, Math.min(end, aligned));
  await keepParts(transfer);
  return { value: slice.size === 0 ? null : slice, done: slice.last };
}

/** What is sent is known by its digest from before it leaves: another process compares it with what it reads. */
async function keepParts({ source, record, save }: Transfer): Promise<void> {
  const parts = source.parts?.();
  const kept = record().parts;
  if (parts !== undefined && parts.length > (kept?.length ?? 0))
    await save({ ...record(), parts: [...parts] });
}

/** Sends one request of the protocol, and lets only sound answers reach tus-js-client. */
async function sendChecked(transfer: Transfer, call: TransferCall): Promise<TransferAnswer> {
  const { method } = call;
  const { location, uploadUrl } = transfer.record();
  const url = method === "POST" ? location : uploadUrl;
  if (url === undefined) throw new Interruption("offset", "the upload has no address");
  const start = method === "PATCH" ? Number(call.headers?.["Upload-Offset"]) : 0;
  const answer = await transfer.send({ ...call, url, start });
  if (answer.status < 200 || answer.status > 299) throw refused(transfer, method, answer);
  if (method === "POST") return await created(transfer, url, answer);
  return method === "HEAD"
    ? looked(transfer, answer)
    : patched(transfer, start + (call.body?.size ?? 0), start, answer);
}

function refused(transfer: Transfer, method: string, answer: TransferAnswer): Error {
  const error = refusalOf(transfer, answer, method === "POST" ? "location" : "upload");
  const lengthless = transfer.source.size === undefined && method === "POST";
  if (lengthless && error instanceof UploadError && error.code === "rejected") {
    return new UploadError(
      "length-refused",
      `${error.message}. It may refuse uploads of unknown length: give the size`,
      {
        status: error.status,
        sentences: error.sentences && [...error.sentences],
      },
    );
  }
  return error;
}

async function created(
  transfer: Transfer,
  endpoint: string,
  answer: TransferAnswer,
): Promise<TransferAnswer> {
  const uploadUrl = readUploadUrl(answer.header("location"), endpoint);
  const { location: _, ...record } = transfer.record();
  await transfer.save({ ...record, uploadUrl });
  return {
    ...answer,
    header: (name) => (name.toLowerCase() === "location" ? uploadUrl : answer.header(name)),
  };
}

/** The upload URL as the service wrote it; where a proxy made it http on the same host, https stays. */
function readUploadUrl(location: string | undefined, endpoint: string): string {
  const bad = (state: string) =>
    new UploadError("location-refused", `Cannot upload: the upload host ${state}`);
  if (location === undefined) throw bad("created the upload without telling its address");
  const from = new URL(endpoint);
  let url: URL;
  try {
    url = new URL(location, from);
  } catch {
    throw bad("gave an upload address that is none");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw bad("gave an upload address that is neither https nor http");
  if (from.protocol === "http:" || url.protocol === "https:")
    return URL.canParse(location) ? location : url.href;
  if (url.hostname === from.hostname) return `https://${from.host}${url.pathname}${url.search}`;
  if (isLoopback(url.hostname)) return location;
  throw bad("gave an upload address without https");
}

function looked(transfer: Transfer, answer: TransferAnswer): TransferAnswer {
  const { size } = transfer.source;
  const offset = readOffset(answer);
  const length = answer.header("upload-length");
  if (size !== undefined && length !== undefined && Number(length) !== size) {
    throw new UploadError(
      "source-changed",
      `Cannot continue the upload: it was begun with ${length} bytes, and the source has ${size}. Start a fresh one`,
    );
  }
  if (size !== undefined && offset > size) {
    throw new UploadError(
      "offset-beyond-end",
      `Cannot continue the upload: the service claims ${offset} bytes of a source that has ${size}`,
    );
  }
  transfer.acknowledge(offset);
  const told = size === undefined ? length : `${size}`;
  return {
    ...answer,
    header: (name) => (name.toLowerCase() === "upload-length" ? told : answer.header(name)),
  };
}

function patched(transfer: Transfer, end: number, start: number, answer: TransferAnswer): TransferAnswer {
  const offset = readOffset(answer);
  // More than was sent, or nothing of it: a HEAD settles what the service has.
  if (offset > end || (offset <= start && end > start)) {
    throw new Interruption(
      "offset",
      `the upload host counts ${offset} bytes after bytes ${start} to ${end} were sent`,
    );
  }
  transfer.acknowledge(offset);
  return answer;
}

function readOffset(answer: TransferAnswer): number {
  const offset = Number(answer.header("upload-offset") ?? Number.NaN);
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new Interruption("offset", "the answer holds no offset");
  return offset;
}

/** tus-js-client's port for HTTP, on our transport. Cancelling goes through the transfer's signal. */
function httpStack(send: (call: TransferCall) => Promise<TransferAnswer>): HttpStack {
  return {
    getName: () => "upcut",
    createRequest(method, url): HttpRequest {
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

const NO_STORAGE: NonNullable<UploadOptions["urlStorage"]> = {
  findAllUploads: async () => [],
  findUploadsByFingerprint: async () => [],
  removeUpload: async () => {},
  addUpload: async () => "",
};
