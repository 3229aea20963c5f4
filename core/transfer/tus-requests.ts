/**
 * The requests of the tus protocol: what each answer must hold, and when the next one may leave.
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import { isLoopback } from "../location.ts";
import { Interruption } from "../retry.ts";
import { partSizeOf, wholeParts } from "./parts.ts";
import { refusalOf, type Transfer, type TransferCall } from "./transfer.ts";
import type { TransferAnswer } from "./transport.ts";

/** Sends one request of tus-js-client to the address it is for, and lets only sound answers through. */
export async function sendTusRequest(transfer: Transfer, call: TransferCall): Promise<TransferAnswer> {
  const { location, uploadUrl } = transfer.record();
  const url = call.method === "POST" ? location : uploadUrl;
  if (url === undefined) throw new Interruption("offset", "the upload has no address");
  const addressed = { ...call, url };
  if (call.method === "POST") return await readCreateAnswer(transfer, url, await ask(transfer, addressed));
  return call.method === "HEAD"
    ? await findOffset(transfer, addressed)
    : await sendParts(transfer, addressed);
}

/** Sends a request, learns from its answer how slow the host is, and throws what is no success. */
async function ask(
  transfer: Transfer,
  call: TransferCall,
  onHandedOver?: (bytes: number) => void,
): Promise<TransferAnswer> {
  let lastByteAt = Date.now();
  const answer = await transfer.send(call, (bytes) => {
    lastByteAt = Date.now();
    onHandedOver?.(bytes);
  });
  if (!isSuccess(answer)) throw refused(transfer, call.method, answer);
  transfer.settling.answered(Date.now() - lastByteAt);
  return answer;
}

function isSuccess({ status }: TransferAnswer): boolean {
  return status >= 200 && status < 300;
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

async function readCreateAnswer(
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

/** Asks for the offset until only a request of ours can move it, and sees to it that a complete upload is finished. */
async function findOffset(transfer: Transfer, call: TransferCall): Promise<TransferAnswer> {
  const { settling } = transfer;
  let found = await askOffset(transfer, call);
  let since = Date.now();
  for (;;) {
    const wait = since + settling.quiet - Date.now();
    // What is complete may be about to be put together by the request that broke.
    if (wait <= 0 || (settling.standsAt(found.offset) && !found.complete)) break;
    await transfer.settle(Math.min(wait, settling.least));
    const next = await askOffset(transfer, call);
    if (next.offset !== found.offset) since = Date.now();
    found = next;
  }
  settling.settled(found.offset);
  if (found.complete) await finish(transfer, call, found.offset);
  return found.answer;
}

interface FoundOffset {
  offset: number;
  /** Whether the host has every byte. */
  complete: boolean;
  answer: TransferAnswer;
}

async function askOffset(transfer: Transfer, call: TransferCall): Promise<FoundOffset> {
  const { size } = transfer.source;
  const answer = await ask(transfer, call);
  const offset = readOffset(answer);
  const length = answer.header("upload-length");
  if (size !== undefined && length !== undefined && Number(length) !== size) {
    throw new UploadError(
      "source-changed",
      `Cannot continue the upload: it was begun with ${length} bytes, and the source has ${size}. Start a fresh one`,
    );
  }
  if (size !== undefined && offset > size) throw beyondEnd(`${offset} bytes of a source that has ${size}`);
  if (transfer.settling.isBeyondSent(offset)) throw storedTwice(offset);
  transfer.acknowledge(offset);
  const told = size === undefined ? length : `${size}`;
  return {
    offset,
    complete: told !== undefined && offset === Number(told),
    answer: {
      ...answer,
      header: (name) => (name.toLowerCase() === "upload-length" ? told : answer.header(name)),
    },
  };
}

function beyondEnd(claim: string): UploadError {
  return new UploadError(
    "offset-beyond-end",
    `Cannot continue the upload: the service claims ${claim}. Start a fresh upload, which makes a new asset`,
  );
}

/** Parts can't be taken back from a store, so that what it counts twice can't become whole any more. */
function storedTwice(offset: number): UploadError {
  return beyondEnd(`${offset} bytes, more than were sent, so it has stored some of them twice`);
}

/** How often a host is asked to finish what it says is complete. */
const FINISHES = 2;

/**
 * A host may have every byte and yet not have put them together, where its store failed in that moment: a request
 * without bytes makes it do so. What was put together before refuses that request, each time.
 */
async function finish(transfer: Transfer, call: TransferCall, offset: number): Promise<void> {
  const headers = {
    ...call.headers,
    "Content-Type": "application/offset+octet-stream",
    "Upload-Offset": `${offset}`,
  };
  for (let asked = 1; ; asked++) {
    const answer = await transfer.send({ method: "PATCH", url: call.url, headers });
    if (isSuccess(answer) || PUT_TOGETHER.test(answer.text.slice(0, 2000))) return;
    // An outage would also refuse a HEAD.
    await transfer.settle(transfer.settling.least);
    const found = await askOffset(transfer, call);
    if (!found.complete)
      throw new Interruption("offset", "the upload host takes back that it has every byte");
    if (asked === FINISHES) return;
  }
}

/** How a store says that an upload of parts exists no more, since it has become a file. */
const PUT_TOGETHER = /NoSuchUpload|upload does not exist|already (been )?(uploaded|completed?|finished)/i;

/** Sends whole parts, or the rest of the source. */
async function sendParts(transfer: Transfer, call: TransferCall): Promise<TransferAnswer> {
  const { settling, transport, source } = transfer;
  const start = Number(call.headers?.["Upload-Offset"]);
  const size = call.body?.size ?? 0;
  const isLast = call.body?.last ?? true;
  if (isLast && settling.doubtful && !settling.wasTold(start)) await checkCount(transfer, call, start);
  let told = 0;
  try {
    const answer = await ask(transfer, { ...call, start }, (bytes) => {
      told = bytes;
    });
    readPatchAnswer(answer, start, start + size);
    settling.stored(readOffset(answer));
    transfer.acknowledge(readOffset(answer));
    return answer;
  } catch (error) {
    const left = Math.min(size, told + transport.unreported);
    const parts = left === size ? size : wholeParts(left, partSizeOf(source.size));
    settling.broke(start + left, start + parts);
    throw error;
  }
}

function readPatchAnswer(answer: TransferAnswer, start: number, end: number): void {
  const offset = readOffset(answer);
  // More than was sent, or nothing of it: a HEAD settles what the service has.
  if (offset > end || (offset <= start && end > start)) {
    throw new Interruption(
      "offset",
      `the upload host counts ${offset} bytes after bytes ${start} to ${end} were sent`,
    );
  }
}

/**
 * The answer to a request is computed from what it brought; only a HEAD tells what the host has stored by then. Where it
 * has less, it refuses what comes next.
 */
async function checkCount(transfer: Transfer, call: TransferCall, expected: number): Promise<void> {
  const { "Tus-Resumable": version = "1.0.0" } = call.headers ?? {};
  const head = { method: "HEAD", url: call.url, headers: { "Tus-Resumable": version } };
  const offset = readOffset(await ask(transfer, head));
  if (offset > expected) throw storedTwice(offset);
}

function readOffset(answer: TransferAnswer): number {
  const offset = Number(answer.header("upload-offset") ?? Number.NaN);
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new Interruption("offset", "the answer holds no offset");
  return offset;
}
