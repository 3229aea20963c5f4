/** The requests of the tus protocol: each goes to its own address, and only an answer that can be right gets through. */
import { isUpcutError, UploadError } from "../errors/errors.ts";
import { type Host, hostAt } from "../hosts/host.ts";
import { pageOrigin } from "../runtime.ts";
import { REFUSED, whyUnusable } from "../service/upload-location.ts";
import { LEAST_PART_SIZE, PART_SIZE, partSizeOf, wholeParts } from "../source/parts.ts";
import { isHtmlAnswer } from "../text/html.ts";
import { steadyNow } from "../time/clock.ts";
import { answeredWithPage, bodyRefused, Interruption, isInterruption } from "./interruption.ts";
import { refuseStreams } from "./page.ts";
import { type Answer, type HostRequest, sendRequest, type Transfer, transportOf } from "./request.ts";

/** The header of each request, by which a host knows the version of the protocol. */
export const TUS = { "Tus-Resumable": "1.0.0" };

export async function sendTusRequest(transfer: Transfer, given: HostRequest): Promise<Answer> {
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
  const { settling, source, record, meter } = transfer;
  const { url, start = 0, body } = call;
  const { repeats, unreported = Number.POSITIVE_INFINITY } = transportOf(transfer, call);
  // A browser may send it again by itself at once, while the host still stores parts of it.
  settling.doubtful ||= repeats;
  if (body?.last ?? true) {
    // The host's own count is compared before the last request, whose answer is computed from what it brought. Where the
    // host has less, it refuses that request.
    if (settling.doubtful && !settling.hasTold(start)) {
      const { offset } = await askOffset(transfer, url);
      const state = `the upload host reports offset ${offset}, expected at most ${start}`;
      if (offset > start) throw new Interruption("offset", state);
    }
    // A stream's length is noted before the host is told it with the last bytes.
    const toldLength = readCount(call.headers?.["Upload-Length"]);
    if (toldLength !== undefined && toldLength !== record().toldLength) await transfer.note({ toldLength });
  }
  let handedOver = 0;
  try {
    const answer = await sendMeasured(transfer, call, (bytes) => {
      handedOver = bytes;
    });
    const offset = readOffset(answer);
    const end = start + (body?.size ?? 0);
    // Any other count is settled by a HEAD.
    if (offset !== end) {
      const state = `${offset} bytes after bytes ${start} to ${end} were sent`;
      throw new Interruption("offset", `the upload host counts ${state}`);
    }
    settling.acknowledged(offset);
    meter.acknowledge(offset);
    if (settling.suspect === start) await proveCount(transfer, url, offset);
    return answer;
  } catch (error) {
    const size = body?.size ?? 0;
    // Nothing is taken of a request that is refused for its offset, where none broke before it.
    const isRefused = error instanceof Interruption && error.httpStatus === 409 && !settling.doubtful;
    const left = isRefused ? 0 : Math.min(size, handedOver + unreported);
    const isWhole = left === size;
    const parts = isWhole ? size : wholeParts(left, partSizeOf(source.size));
    const end = isWhole && body?.last === false ? start + size : undefined;
    settling.failed(start, start + left, start + parts, end);
    if (body?.isOpen && isUpcutError(error)) refuseStreams(hostAt(url), error.httpStatus);
    if (sendLess(transfer, call, error, handedOver)) throw bodyRefused("the body was too long");
    throw error;
  }
}

/** Has less sent from now on where a body's length may be why it failed; true where it was refused. */
function sendLess({ settling, source }: Transfer, call: HostRequest, error: unknown, sent: number): boolean {
  const { url, start = 0, body } = call;
  const host = hostAt(url);
  const size = body?.size ?? 0;
  const partSize = partSizeOf(source.size);
  // Half of the body, or down to `most`.
  const limit = (most: number) => {
    if (size <= partSize) return false;
    const less = wholeParts(Math.min(size / 2, most, bodyLimitOf(host)), partSize);
    host.limit = { most: Math.max(partSize, less), until: steadyNow() + REMEMBERED };
    return true;
  };
  const status = isUpcutError(error) ? error.httpStatus : undefined;
  if (status === 413) return limit(Number.POSITIVE_INFINITY);
  // Some hosts say so of what is too long; the least that can be sent shows whether it was that.
  if (status === 400) return limit(0);
  const isBroken = error instanceof Interruption && ["connection", "stalled"].includes(error.reason);
  // Something may cut each body at the same byte, or refuse it in an answer that its reset overtakes.
  if (isBroken && !error.neverLeft && settling.brokeAgain(start, sent)) limit(sent);
  return false;
}

/** Milliseconds after which more is tried again: chance may look like a limit, and limits are raised. */
const REMEMBERED = 600_000;

/** Most bytes of a body that a host takes, as far as is known. */
export function bodyLimitOf({ limit }: Host): number {
  return limit !== undefined && steadyNow() < limit.until ? limit.most : Number.POSITIVE_INFINITY;
}

/** How often an offset may go back meanwhile, as it does where one of several servers knows less than another. */
const MOST_RETREATS = 5;
/** Least milliseconds between two questions. */
const POLL_INTERVAL = 250;

/** The host tells an offset that can't be right. */
class ImpossibleOffset extends UploadError {
  constructor(claim: string, way = "") {
    const advice = `Start a new upload, which makes a new asset${way}`;
    super("offset-beyond-end", `Cannot resume the upload: the service claims ${claim}. ${advice}`);
  }
}

/**
 * The host tells the size for an offset, though this call has not handed over the last bytes. They may have come from an
 * earlier call whose answer was lost; but a store that has swept away the parts of an upload tells the same.
 */
export class UnprovenEnd extends ImpossibleOffset {}

/** Asks for the offset until only a request of ours can move it; a complete upload is put together. */
async function findOffset(transfer: Transfer, url: string): Promise<Answer> {
  const { settling } = transfer;
  const began = steadyNow();
  let found = await askOffset(transfer, url);
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
    const next = await askOffset(transfer, url);
    if (next.offset !== found.offset) since = steadyNow();
    if (next.offset < found.offset) retreats++;
    found = next;
  }
  settling.settled(found.offset, partSizeIn(transfer));
  if (found.complete) await joinParts(transfer, url, found.offset);
  return found.answer;
}

/** Bytes of the parts that are sent: also a source of one part goes in two, since its store may have smaller ones. */
export function partSizeIn({ source: { size }, record }: Transfer): number {
  const isShort = size !== undefined && size <= PART_SIZE;
  const { miscounts } = hostAt(record().uploadUrl ?? "");
  return partSizeOf(size, isShort || miscounts ? LEAST_PART_SIZE : PART_SIZE);
}

/** @throws {UploadError} where the store had hidden bytes, or hides what it acknowledged */
async function proveCount(transfer: Transfer, url: string, acknowledged: number): Promise<void> {
  for (let retreats = 0; ; retreats++) {
    const { offset } = await askCount(transfer, url);
    if (offset === acknowledged) return transfer.settling.proven();
    if (retreats === MOST_RETREATS || offset > acknowledged) {
      hostAt(url).miscounts = true;
      const claim = `${offset} bytes after it acknowledged ${acknowledged}, so its store miscounts`;
      throw new ImpossibleOffset(claim, ': use method "direct"');
    }
    await transfer.waitForStore(transfer.settling.quiet);
  }
}

/** Asks for an offset that can be right. One that can't may come from a store that is just putting the parts together. */
async function askOffset(transfer: Transfer, url: string) {
  const { settling, source, record, meter } = transfer;
  const size = source.size ?? record().toldLength;
  const ask = async () => {
    const { offset, answer } = await askCount(transfer, url);
    // For a source of unknown length the host knows one only when it was told so with the last bytes; what it says
    // otherwise is its own invention.
    const told = size === undefined ? undefined : answer.header("upload-length");
    const length = readCount(told);
    if (told !== undefined && length === undefined)
      throw new Interruption("offset", "the answer holds an invalid length");
    if (length !== undefined && length !== size) {
      const state = `it was begun with ${length} bytes, and the source has ${size}. Start a new upload`;
      throw new UploadError("source-changed", `Cannot resume the upload: ${state}`);
    }
    if (size !== undefined && offset > size)
      throw new ImpossibleOffset(`${offset} bytes of a source that has ${size}`);
    if (settling.compare(offset) === "stored-twice")
      throw new ImpossibleOffset(`${offset} bytes, more than were sent, so it has stored some of them twice`);
    const complete = offset === size;
    if (complete && !settling.hasHandedOver(offset))
      throw new UnprovenEnd("all bytes, while the last of them were not seen to arrive");
    meter.acknowledge(offset);
    // A host that forgot the length hears it once more with the last bytes.
    const known = source.size ?? length;
    return { offset, complete, answer: withHeader(answer, "upload-length", known?.toString()) };
  };
  return await ask().catch(async (error: unknown) => {
    if (!(error instanceof ImpossibleOffset)) throw error;
    await transfer.waitForStore(Math.max(settling.least, POLL_INTERVAL));
    return await ask();
  });
}

/** Asks once how many bytes the host has. */
async function askCount(transfer: Transfer, url: string) {
  const answer = await sendMeasured(transfer, { method: "HEAD", url, headers: TUS });
  if (answer.header("upload-offset") === undefined && !isHtmlAnswer(answer))
    refuseHidden("Upload-Offset", url);
  return { offset: readOffset(answer), answer };
}

/** How often a host is asked to put an upload together that fails at it without a reason. */
const JOIN_TRIES = 4;

/**
 * A host may have every part and yet not have put them together, where its store failed in that moment: a request
 * without bytes makes it do so. A host that has put them together before refuses that request, each in its own way.
 */
async function joinParts(transfer: Transfer, url: string, offset: number): Promise<void> {
  const type = { "Content-Type": "application/offset+octet-stream" };
  const headers = { ...TUS, ...type, "Upload-Offset": `${offset}` };
  for (let tries = 1; ; tries++) {
    const answer = await sendRequest(transfer, { method: "PATCH", url, headers });
    const { status, refusal } = answer;
    if (refusal === undefined) {
      if (readOffset(answer) === offset) return;
      throw new Interruption("offset", "the upload host reported every byte as stored, and now fewer");
    }
    const said = answer.text.slice(0, 2000);
    if (JOINED.test(said)) return;
    const isVague = status === 500 && !STORE_FAILED.test(said);
    if (!isVague && status !== 409 && isInterruption(status)) throw refusal;
    // An outage would also refuse a HEAD.
    await transfer.waitForStore(transfer.settling.quiet * tries);
    const found = await askOffset(transfer, url);
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
  call: HostRequest,
  onHandedOver?: (bytes: number) => void,
): Promise<Answer> {
  const answer = await sendRequest(transfer, call, onHandedOver);
  if (answer.refusal !== undefined) throw answer.refusal;
  if (answer.slowness !== undefined) transfer.settling.answered(answer.slowness);
  return answer;
}

function withHeader(answer: Answer, name: string, value: string | undefined): Answer {
  return { ...answer, header: (asked) => (asked.toLowerCase() === name ? value : answer.header(asked)) };
}

/** A count that is missing is settled by a HEAD. */
function readOffset(answer: Answer): number {
  const offset = readCount(answer.header("upload-offset"));
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
function withLengthHint(error: unknown): unknown {
  if (!isUpcutError(error) || error.code !== "rejected") return error;
  const { message, httpStatus, details } = error;
  const hint = "It may refuse uploads of unknown length: give the size";
  return new UploadError("length-refused", `${message}. ${hint}`, { httpStatus, details });
}
