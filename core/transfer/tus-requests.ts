/**
 * The requests of the tus protocol: each goes to the address it is for, and only an answer that can be right gets through.
 */
import { isUpcutError, UploadError } from "../errors.ts";
import { isHtmlAnswer } from "../http/html.ts";
import { pageOrigin } from "../runtime.ts";
import { REFUSED, whyUnusable } from "../service/upload-location.ts";
import { LEAST_PART_SIZE, PART_SIZE, partSizeOf, wholeParts } from "../source/parts.ts";
import { startAwakeTimer, startTimer, steadyNow } from "../time/clock.ts";
import { habitsOf, hasMiscounted, limitBodies } from "./host-habits.ts";
import { answeredWithPage, bodyRefused, Interruption, isInterruption } from "./interruption.ts";
import { refuseStreams } from "./page.ts";
import {
  type Answer,
  HELD_BACK,
  sendRequest,
  type Transfer,
  transportOf,
  type UploadCall,
} from "./request.ts";

export async function sendTusRequest(transfer: Transfer, call: UploadCall): Promise<Answer> {
  const { location, uploadUrl } = transfer.record();
  const url = call.method === "POST" ? location : uploadUrl;
  if (url === undefined) throw new Interruption("offset", "the upload has no address");
  const addressed = { ...call, url };
  if (call.method === "POST")
    return await readCreateAnswer(transfer, url, await sendMeasured(transfer, addressed));
  return call.method === "HEAD"
    ? await findOffset(transfer, addressed)
    : await sendParts(transfer, addressed);
}

async function readCreateAnswer(transfer: Transfer, endpoint: string, answer: Answer): Promise<Answer> {
  const told = answer.header("location");
  // A network's sign-in page, which says nothing of the upload.
  if (told === undefined && isHtmlAnswer(answer)) throw answeredWithPage(answer.status);
  if (told === undefined) refuseHidden("Location", endpoint);
  const uploadUrl = readUploadUrl(told, endpoint);
  await transfer.save({ ...transfer.record(), uploadUrl });
  return withHeader(answer, "location", uploadUrl);
}

async function sendParts(transfer: Transfer, call: UploadCall): Promise<Answer> {
  const { settling, source } = transfer;
  const { unreported = Number.POSITIVE_INFINITY } = transportOf(transfer, call);
  const start = Number(call.headers?.["Upload-Offset"]);
  if (call.body?.last ?? true) {
    if (settling.doubtful && !settling.hasTold(start)) await compareCount(transfer, call, start);
    await noteLength(transfer, call);
  }
  let handedOver = 0;
  try {
    const answer = await sendMeasured(transfer, { ...call, start }, (bytes) => {
      handedOver = bytes;
    });
    const offset = readOffset(answer, call);
    const size = call.body?.size ?? 0;
    // Any other count is settled by a HEAD.
    if (offset !== start + size) {
      const state = `${offset} bytes after bytes ${start} to ${start + size} were sent`;
      throw new Interruption("offset", `the upload host counts ${state}`);
    }
    settling.acknowledged(offset);
    transfer.meter.acknowledge(offset);
    if (settling.isSuspect(start)) await proveCount(transfer, call.url, offset);
    return withHeader(answer, "upload-offset", `${offset}`);
  } catch (error) {
    const size = call.body?.size ?? 0;
    // Nothing is taken of a request that is refused for its offset, where none broke before it.
    const isRefused = error instanceof Interruption && error.httpStatus === 409 && !settling.doubtful;
    const left = isRefused ? 0 : Math.min(size, handedOver + unreported);
    const isWhole = left === size;
    const parts = isWhole ? size : wholeParts(left, partSizeOf(source.size));
    const end = isWhole && call.body?.last === false ? start + size : undefined;
    settling.failed(start, start + left, start + parts, end);
    if (call.body?.isOpen && isUpcutError(error)) refuseStreams(call.url, error.httpStatus);
    if (sendLess(transfer, { ...call, start }, error, handedOver)) throw bodyRefused("the body was too long");
    throw error;
  }
}

/** Has less sent from now on where a body's length may be why it failed; true where it was refused. */
function sendLess({ settling, source }: Transfer, call: UploadCall, error: unknown, sent: number): boolean {
  const limit = (most: number) => limitBodies(call.url, call.body?.size ?? 0, partSizeOf(source.size), most);
  const status = isUpcutError(error) ? error.httpStatus : undefined;
  if (status === 413) return limit(Number.POSITIVE_INFINITY);
  // Some hosts say so of what is too long; the least that can be sent shows whether it was that.
  if (status === 400) return limit(0);
  const isBroken = error instanceof Interruption && ["connection", "stalled"].includes(error.reason);
  // Something may cut each body at the same byte, or refuse it in an answer that its reset overtakes.
  if (isBroken && !error.neverLeft && settling.brokeAgain(call.start ?? 0, sent, HELD_BACK)) limit(sent);
  return false;
}

/** Keeps the length of a stream, which the host is told with the last bytes, before it is told. */
async function noteLength({ record, save }: Transfer, { headers }: UploadCall): Promise<void> {
  const toldLength = readCount(headers?.["Upload-Length"]);
  if (toldLength !== undefined && toldLength !== record().toldLength) await save({ ...record(), toldLength });
}

/** How often an offset may go back meanwhile, as it does where one of several servers knows less than another. */
const MOST_RETREATS = 5;
/** Least milliseconds between two questions. */
const POLL_INTERVAL = 250;

/**
 * The host tells the size for an offset, though this call has not handed over the last bytes. They may have come from an
 * earlier call whose answer was lost; but a store that has swept away the parts of an upload tells the same.
 */
export class UnprovenEnd extends Error {
  readonly error: UploadError = beyondEnd("all bytes, while the last of them were not seen to arrive");
}

interface FoundOffset {
  offset: number;
  complete: boolean;
  answer: Answer;
}

/** Asks for the offset until only a request of ours can move it; a complete upload is put together. */
async function findOffset(transfer: Transfer, call: UploadCall): Promise<Answer> {
  const { settling } = transfer;
  const began = steadyNow();
  let found = await askOffset(transfer, call);
  let since = steadyNow();
  let retreats = 0;
  for (;;) {
    const wait = since + settling.quiet - steadyNow();
    // A request that broke may be about to put together what is complete.
    if (wait <= 0 || (settling.standsAt(found.offset) && !found.complete)) break;
    const isOver = settling.movesForLong(found.offset) && since - began > settling.quiet;
    if (isOver || retreats > MOST_RETREATS)
      throw new Interruption("offset", "the offset of the upload host keeps changing");
    await transfer.waitForStore(Math.min(wait, Math.max(settling.least, POLL_INTERVAL)));
    const next = await askOffset(transfer, call);
    if (next.offset !== found.offset) since = steadyNow();
    if (next.offset < found.offset) retreats++;
    found = next;
  }
  settling.settled(found.offset, partSizeIn(transfer));
  if (found.complete) await joinParts(transfer, call, found.offset);
  return found.answer;
}

/**
 * Compares the host's own count before the last request, after which nothing can be compared any more: the answer to a
 * request is computed from what it brought. Where the host has less than expected, it refuses what comes next.
 */
async function compareCount(transfer: Transfer, { url }: UploadCall, expected: number): Promise<void> {
  const { offset } = await askOffset(transfer, { ...HEAD, url });
  if (offset > expected)
    throw new Interruption(
      "offset",
      `the upload host reports offset ${offset}, expected at most ${expected}`,
    );
}

const HEAD = { method: "HEAD", headers: { "Tus-Resumable": "1.0.0" } } as const;

/** Bytes of the parts that are sent: also a source of one part goes in two, since its store may have smaller ones. */
export function partSizeIn({ source: { size }, record }: Transfer): number {
  const isShort = size !== undefined && size <= PART_SIZE;
  return partSizeOf(size, isShort || hasMiscounted(record().uploadUrl) ? LEAST_PART_SIZE : PART_SIZE);
}

/** @throws {UploadError} where the store had hidden bytes, or hides what it acknowledged */
async function proveCount(transfer: Transfer, url: string, acknowledged: number): Promise<void> {
  for (let retreats = 0; ; retreats++) {
    const counted = readOffset(await sendMeasured(transfer, { ...HEAD, url }), { ...HEAD, url });
    if (counted === acknowledged) return transfer.settling.proven();
    if (retreats === MOST_RETREATS || counted > acknowledged) {
      habitsOf(url).miscounts = true;
      const claim = `${counted} bytes after it acknowledged ${acknowledged}, so its store miscounts`;
      throw beyondEnd(claim, ': use method "direct"');
    }
    await transfer.waitForStore(transfer.settling.quiet);
  }
}

/** Asks once. A single answer that can't be right may come from a store that is just putting the parts together. */
async function askOffset(transfer: Transfer, call: UploadCall): Promise<FoundOffset> {
  const found = readHead(transfer, call, await sendMeasured(transfer, call));
  if (!("error" in found)) return found;
  await transfer.waitForStore(Math.max(transfer.settling.least, POLL_INTERVAL));
  const again = readHead(transfer, call, await sendMeasured(transfer, call));
  if ("error" in again) throw again.error;
  return again;
}

function readHead(
  transfer: Transfer,
  { url }: UploadCall,
  answer: Answer,
): FoundOffset | { error: UploadError | UnprovenEnd } {
  const { settling, record, meter } = transfer;
  const size = transfer.source.size ?? record().toldLength;
  const offset = readOffset(answer, { method: "HEAD", url });
  const length = readLength(transfer, answer);
  if (size !== undefined && length !== undefined && length !== size) {
    throw new UploadError(
      "source-changed",
      `Cannot resume the upload: it was begun with ${length} bytes, and the source has ${size}. Start a new upload`,
    );
  }
  if (size !== undefined && offset > size)
    return { error: beyondEnd(`${offset} bytes of a source that has ${size}`) };
  if (settling.compare(offset) === "stored-twice")
    return { error: beyondEnd(`${offset} bytes, more than were sent, so it has stored some of them twice`) };
  const complete = offset === size;
  if (complete && !settling.hasHandedOver(offset)) return { error: new UnprovenEnd() };
  meter.acknowledge(offset);
  // A host that forgot the length hears it once more with the last bytes.
  const known = transfer.source.size ?? length;
  const plain = withHeader(answer, "upload-offset", `${offset}`);
  return { offset, complete, answer: withHeader(plain, "upload-length", known?.toString()) };
}

/**
 * The length that the host knows. For a source of unknown length it knows one only when it was told so with the last
 * bytes; what it says otherwise is its own invention.
 */
function readLength({ source, record }: Transfer, answer: Answer): number | undefined {
  const text = answer.header("upload-length");
  const told = record().toldLength;
  if (text === undefined || (source.size === undefined && told === undefined)) return undefined;
  const length = readCount(text);
  if (length === undefined) throw new Interruption("offset", "the answer holds an invalid length");
  return length;
}

function beyondEnd(claim: string, way = ""): UploadError {
  return new UploadError(
    "offset-beyond-end",
    `Cannot resume the upload: the service claims ${claim}. Start a new upload, which makes a new asset${way}`,
  );
}

/** How often a host is asked to put an upload together that fails at it without a reason. */
const JOIN_TRIES = 4;

/**
 * A host may have every part and yet not have put them together, where its store failed in that moment: a request
 * without bytes makes it do so. A host that has put them together before refuses that request, each in its own way.
 */
async function joinParts(transfer: Transfer, call: UploadCall, offset: number): Promise<void> {
  const headers = {
    ...call.headers,
    "Content-Type": "application/offset+octet-stream",
    "Upload-Offset": `${offset}`,
  };
  for (let tries = 1; ; tries++) {
    const answer = await sendRequest(transfer, { method: "PATCH", url: call.url, headers });
    const { refusal } = answer;
    if (refusal === undefined) {
      if (readOffset(answer, call) === offset) return;
      throw new Interruption("offset", "the upload host reported every byte as stored, and now fewer");
    }
    const said = answer.text.slice(0, 2000);
    if (JOINED.test(said)) return;
    const isVague = answer.status === 500 && !STORE_FAILED.test(said);
    if (!isVague && answer.status !== 409 && isInterruption(answer.status)) throw refusal;
    // An outage would also refuse a HEAD.
    await transfer.waitForStore(transfer.settling.quiet * tries);
    const found = await askOffset(transfer, call);
    if (!found.complete) throw refusal;
    if (!isVague || tries === JOIN_TRIES) return;
  }
}

/** How stores say that an upload of parts exists no more, since it has become a file. */
const JOINED =
  /no ?such ?upload|upload (does not|doesn't) exist|upload (was|is) not found|already (been )?(uploaded|complete|finished)|completed upload|upload (is |was )?(already )?complete/i;

/** How a server passes on that its store failed. */
const STORE_FAILED =
  /slow ?down|request rate|time[ds]? ?out|ECONN|EPIPE|ENOTFOUND|hang up|socket|network|unavailable|internal error|try again|EntityTooSmall/i;

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

/** Sends a request, learns from its answer how slow the host is, and throws what is no success. */
async function sendMeasured(
  transfer: Transfer,
  call: UploadCall,
  onHandedOver?: (bytes: number) => void,
): Promise<Answer> {
  const { reportsProgress } = transportOf(transfer, call);
  const elapsed = startTimer();
  const awake = startAwakeTimer();
  let lastByteAt = 0;
  const answer = await sendRequest(transfer, call, (bytes) => {
    // Without progress, it is reported together with the answer.
    if (reportsProgress) lastByteAt = elapsed();
    onHandedOver?.(bytes);
  }).finally(awake.end);
  if (answer.refusal !== undefined) throw withLengthHint(transfer, call.method, answer.refusal);
  // The bytes that sockets hold back take the line's time, not the host's.
  const held = Math.min(1, HELD_BACK / (call.body?.size ?? 1)) * lastByteAt;
  // An answer for which the process stood still meanwhile says nothing of the host.
  if (elapsed() - awake.elapsed() < 100) transfer.settling.answered(elapsed() - lastByteAt - held);
  return answer;
}

function withHeader(answer: Answer, name: string, value: string | undefined): Answer {
  return { ...answer, header: (asked) => (asked.toLowerCase() === name ? value : answer.header(asked)) };
}

function readOffset(answer: Answer, { method, url }: Pick<UploadCall, "method" | "url">): number {
  const told = answer.header("upload-offset");
  // A count that is missing after bytes were sent is settled by a HEAD.
  if (told === undefined && method !== "PATCH" && !isHtmlAnswer(answer)) refuseHidden("Upload-Offset", url);
  const offset = readCount(told);
  if (offset === undefined) throw new Interruption("offset", "the answer holds no offset");
  return offset;
}

/**
 * Ends an upload of a page that isn't shown a header: of another origin's it sees those alone that the host names. Another
 * attempt would end in the same, and the upload is there once the host names them.
 */
function refuseHidden(name: string, url: string): void {
  const origin = pageOrigin();
  if (origin === undefined || origin === new URL(url).origin) return;
  const advice = `Have it answer with "Access-Control-Expose-Headers: ${READ_HEADERS}", and upload again`;
  const message = `Cannot upload: the upload host hides its header ${name} from this page. ${advice}`;
  throw new UploadError("interrupted", message, { retryable: false });
}

const READ_HEADERS = "Location, Upload-Offset, Upload-Length, Retry-After";

/** Reads a number of bytes: decimal digits, up to what a number holds exactly. */
export function readCount(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined;
  const count = Number(text);
  return Number.isSafeInteger(count) ? count : undefined;
}

/** A host may refuse to create an upload of unknown length, in its own words. */
function withLengthHint({ source }: Transfer, method: string, error: Error): Error {
  const lengthless = source.size === undefined && method === "POST";
  if (!lengthless || !isUpcutError(error) || error.code !== "rejected") return error;
  const { message, httpStatus, details } = error;
  const hint = "It may refuse uploads of unknown length: give the size";
  return new UploadError("length-refused", `${message}. ${hint}`, { httpStatus, details });
}
