/**
 * The offset of an upload: which one can be right, and when that of an interrupted upload stands still.
 *
 * A store of parts goes on storing the parts of a request whose connection is gone, and the offset that it reports moves
 * as each is stored. A part that is stored while the next request begins is counted by neither: what follows is then
 * stored shifted or twice, and every answer says success. So nothing is sent while such a part may be on its way.
 */

import { UploadError } from "../errors/errors.ts";
import type { UploadRecord } from "../journal/journal.ts";
import type { ProgressMeter } from "../progress/progress.ts";
import { LEAST_PART_SIZE, PART_SIZE, partSizeOf } from "../source/parts.ts";
import type { ReadableSource } from "../source/source.ts";
import { isHtmlAnswer } from "../text/html.ts";
import { startStopwatch, startTimer, steadyNow } from "../time/clock.ts";
import { Interruption, isInterruption, refuseHidden } from "./interruption.ts";
import { type Answer, type HostRequest, type RequestContext, sendMeasured, sendRequest } from "./request.ts";
import { HELD_BACK } from "./transport.ts";

/** A request that failed is waited for this many times as long as the slowest answer took. */
const SLOWNESS = 3;
/** Milliseconds: no offset has to stand still for longer. */
const LONGEST_QUIET = 30_000;
/** An upload that isn't found for this many times as long as an offset stands still is asked for at its location. */
const MISSED = 10;
/** Milliseconds for which an offset may move without a part more, in all attempts together. */
const LONGEST_MOVING = 120_000;
/** Milliseconds within which no store sweeps away what it received: their rules count days. */
const KEPT = 3_600_000;

/** The knowledge of one call of `upload()` of what its host may still be storing. */
export class Settling {
  readonly least: number;
  /** True if something may have been sent before this call, perhaps by another process. */
  readonly continued: boolean;
  /** True if a request may have failed or been repeated, so that the host's own count is to be compared at the end. */
  doubtful: boolean;
  /** Position to which the host may come by itself, with whole parts that it received in requests that failed. */
  #reach: number;
  /** Position up to which this call can have sent anything since the offset stood still. */
  #sent = 0;
  /** Since the host last told that it had less than all, sleep of the machine included. */
  #sinceTold: () => number = startStopwatch();
  /** True if a request of this call can have stored a whole part since then. */
  #mayHaveStored = false;
  /** The offset of the last HEAD, if nothing was sent after it. */
  #lastHeadOffset: number | undefined;
  /** The ends of requests of which the host may hide the last bytes; unknown of earlier calls. */
  #ends: number[] | undefined;
  /**
   * An offset behind which the host may hold bytes that it doesn't count. A store of other parts may keep the end of a
   * request so, and put it before whatever comes next.
   */
  suspect: number | undefined;
  #slowest = 0;
  /** The last body that broke, if none was taken since. */
  #broken = { start: Number.NaN, handedOver: Number.NaN };
  /** True if the host took a request with the whole source, and could not be reached by the next one. */
  mayHaveCrashed = false;
  #tookWhole = false;
  /** The offset that brings a part more, and since when it is waited for. */
  #nextPart = 0;
  #sincePart: () => number = () => 0;
  /** Since when the host has said that it doesn't have the upload. */
  #sinceMissed: (() => number) | undefined;

  /** @param least milliseconds that an offset stands still at least */
  constructor(least: number, continued: boolean) {
    this.least = least;
    this.continued = continued;
    this.#reach = continued ? Number.POSITIVE_INFINITY : 0;
    this.#lastHeadOffset = continued ? undefined : 0;
    this.doubtful = continued;
    if (!continued) this.#ends = [];
  }

  /** Milliseconds for which an offset must not have moved. */
  get quiet(): number {
    return Math.max(this.least, Math.min(LONGEST_QUIET, SLOWNESS * this.#slowest));
  }

  /** The host took so long to answer after it had the last byte. */
  answered(milliseconds: number): void {
    this.#slowest = Math.max(this.#slowest, milliseconds);
  }

  /**
   * A request with a body was interrupted, refused or failed at the host.
   *
   * @param sent position up to which it can have been sent
   * @param reach end of the whole parts in that
   * @param end where it ended, if it can have been sent whole and isn't the last
   */
  failed(start: number, sent: number, reach: number, end?: number): void {
    this.doubtful = true;
    if (end !== undefined) this.#ends?.push(end);
    this.#reach = Math.max(this.#reach, reach);
    this.#sent = Math.max(this.#sent, sent);
    this.#mayHaveStored ||= reach > start;
    this.#lastHeadOffset = undefined;
  }

  /** A request with a body, sent up to `end`, was acknowledged. */
  acknowledged(end: number): void {
    this.#sent = Math.max(this.#sent, end);
    this.#sinceTold = startStopwatch();
    this.#mayHaveStored = true;
    this.#lastHeadOffset = undefined;
    this.#ends = [end];
    this.#broken = { start: Number.NaN, handedOver: Number.NaN };
  }

  /** A body broke. */
  broke(start: number, handedOver: number): void {
    this.#broken = { start, handedOver };
  }

  /** True if nothing was kept of the body that broke before, or that one broke at about the same byte. */
  brokeAlike(start: number, handedOver: number): boolean {
    const { start: at, handedOver: before } = this.#broken;
    return at === start || Math.abs(before - handedOver) <= HELD_BACK;
  }

  /** True if an offset at the end can come from what this call handed over. */
  hasHandedOver(end: number): boolean {
    return this.#sent >= end && this.#sinceTold() < KEPT;
  }

  /** A request with the whole source failed; `taken` if bytes of it were handed over. */
  wholeFailed(taken: boolean): void {
    this.mayHaveCrashed = this.#tookWhole && !taken;
    this.#tookWhole ||= taken;
  }

  /** The host has said that it doesn't have the upload. */
  missed(): void {
    this.#sinceMissed ??= startTimer();
  }

  /** True if the host has said so for longer than a store is away for a moment. */
  get missing(): boolean {
    return this.#sinceMissed !== undefined && this.#sinceMissed() >= MISSED * this.quiet;
  }

  /** The offset moves. */
  moved(offset: number): void {
    if (offset >= this.#nextPart) [this.#nextPart, this.#sincePart] = [offset + PART_SIZE, startTimer()];
  }

  /** True if the offset has had long to bring a part more: a byte at a time it would move for hours. */
  get movesForLong(): boolean {
    return this.#sincePart() > LONGEST_MOVING;
  }

  /** True if the host can't come any further than this by itself. */
  standsAt(offset: number): boolean {
    return offset >= this.#reach;
  }

  /** The host told an offset. Beyond what this call can have sent, a request from before is still arriving. */
  told(offset: number): void {
    if (this.#isBeyond(offset)) this.#reach = Number.POSITIVE_INFINITY;
  }

  /** True if the host has stored some bytes twice: it counts more than was sent, and may have stored a part of this call. */
  hasStoredTwice(offset: number): boolean {
    return this.#isBeyond(offset) && this.#mayHaveStored;
  }

  #isBeyond(offset: number): boolean {
    return offset > this.#sent && this.#lastHeadOffset !== offset;
  }

  /** The offset stands still: from here the upload goes on, unless it is complete. */
  settled(offset: number, complete: boolean, partSize: number = PART_SIZE): void {
    this.#sinceMissed = undefined;
    this.#reach = offset;
    this.#sent = offset;
    // An end that is told once more is no later proof: its parts may have been swept away meanwhile.
    if (!complete) this.#sinceTold = startStopwatch();
    this.#mayHaveStored = false;
    this.#lastHeadOffset = offset;
    const isBefore = (end: number) => end > offset && end - offset < LEAST_PART_SIZE;
    const mayHide = this.#ends?.some(isBefore) ?? (offset >= LEAST_PART_SIZE && offset % partSize !== 0);
    if (!mayHide) this.proven();
    else this.suspect = offset;
  }

  /** The host counts what was acknowledged. */
  proven(): void {
    this.suspect = undefined;
    this.#ends = [];
  }

  /** True if the last HEAD gave this offset, and nothing was sent since. */
  hasTold(offset: number): boolean {
    return this.#lastHeadOffset === offset;
  }
}

/** One attempt to bring a source to its location, and all that it works with, whichever way it is sent. */
export interface Transfer extends RequestContext {
  readonly meter: ProgressMeter;
  readonly source: ReadableSource;
  /** True if the location may have been used before, so that its first answer may be lost. */
  readonly locationUsed: boolean;
  /** Knows what the host may still be storing of requests that broke. */
  readonly settling: Settling;
  /** Writes facts into the record in the journal, if it can be written, before anything relies on them. */
  note(facts: Partial<UploadRecord>): Promise<void>;
  /**
   * Waits for the host's store, and says so in the progress.
   *
   * @param left milliseconds until the upload goes on, should nothing more arrive. @default the same
   */
  waitForStore(milliseconds: number, left?: number): Promise<void>;
}

/** The header of each request, by which a host knows the version of the protocol. */
export const TUS = { "Tus-Resumable": "1.0.0" };

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

/** The host has stored some bytes twice: no offset is right any more. */
export class StoredTwice extends ImpossibleOffset {}

/** Asks for the offset until only a request of ours can move it; a complete upload is put together. */
export async function findOffset(transfer: Transfer, url: string): Promise<Answer> {
  const { settling } = transfer;
  const began = steadyNow();
  let found = await askOffset(transfer, url);
  let since = steadyNow();
  let retreats = 0;
  for (;;) {
    const wait = since + settling.quiet - steadyNow();
    // A request that broke may be about to put together what is complete.
    if (wait <= 0 || (settling.standsAt(found.offset) && !found.complete)) break;
    settling.moved(found.offset);
    const isOver = settling.movesForLong && since - began > settling.quiet;
    if (isOver || retreats > MOST_RETREATS)
      throw new Interruption("offset", "the offset of the upload host keeps changing");
    await transfer.waitForStore(Math.min(wait, Math.max(settling.least, POLL_INTERVAL)), wait);
    const next = await askOffset(transfer, url);
    if (next.offset !== found.offset) since = steadyNow();
    if (next.offset < found.offset) retreats++;
    found = next;
  }
  settling.settled(found.offset, found.complete, partSizeIn(transfer));
  if (found.complete) await joinParts(transfer, url, found.offset);
  return found.answer;
}

/** Bytes of the parts that are sent: also a source of one part goes in two, since its store may have smaller ones. */
export function partSizeIn({ source: { size }, hosts, record }: Transfer): number {
  const isShort = size !== undefined && size <= PART_SIZE;
  const { miscounts } = hosts.at(record().uploadUrl ?? "");
  return partSizeOf(size, isShort || miscounts ? LEAST_PART_SIZE : PART_SIZE);
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
    if (settling.hasStoredTwice(offset))
      throw new StoredTwice(`${offset} bytes, more than were sent, so it has stored some of them twice`);
    settling.told(offset);
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

/**
 * Compares the host's own count before the last request, whose answer is computed from what it brought. A host that has
 * less refuses that request.
 */
export async function confirmStart(transfer: Transfer, url: string, start: number): Promise<void> {
  if (!transfer.settling.doubtful || transfer.settling.hasTold(start)) return;
  const { offset } = await askOffset(transfer, url);
  const state = `the upload host reports offset ${offset}, expected at most ${start}`;
  if (offset > start) throw new Interruption("offset", state);
}

/** Takes what the answer to a request with bytes acknowledges. Any other count than its end is settled by a HEAD. */
export async function confirmEnd(
  transfer: Transfer,
  answer: Answer,
  { url, start = 0, body }: HostRequest,
): Promise<void> {
  const { settling, meter } = transfer;
  const end = start + (body?.size ?? 0);
  const offset = readOffset(answer);
  const state = `${offset} bytes after bytes ${start} to ${end} were sent`;
  if (offset !== end) throw new Interruption("offset", `the upload host counts ${state}`);
  settling.acknowledged(offset);
  meter.acknowledge(offset);
  if (settling.suspect === start) await proveCount(transfer, url, offset);
}

/** @throws {UploadError} where the store had hidden bytes, or hides what it acknowledged */
async function proveCount(transfer: Transfer, url: string, acknowledged: number): Promise<void> {
  for (let retreats = 0; ; retreats++) {
    const { offset } = await askCount(transfer, url);
    if (offset === acknowledged) return transfer.settling.proven();
    if (retreats === MOST_RETREATS || offset > acknowledged) {
      transfer.hosts.at(url).miscounts = true;
      const claim = `${offset} bytes after it acknowledged ${acknowledged}, so its store miscounts`;
      throw new ImpossibleOffset(claim, ': use method "direct"');
    }
    await transfer.waitForStore(transfer.settling.quiet);
  }
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
    // A server says 404 of an upload that its store can't show for a moment.
    const isVague = status === 404 || (status === 500 && !STORE_FAILED.test(said));
    if (!isVague && status !== 409 && isInterruption(status)) throw refusal;
    // A proxy's refusal says nothing of the host behind it.
    if (status === 407 || status === 413) throw refusal;
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

export function withHeader(answer: Answer, name: string, value: string | undefined): Answer {
  return { ...answer, header: (asked) => (asked.toLowerCase() === name ? value : answer.header(asked)) };
}

/** A count that is missing is settled by a HEAD. */
function readOffset(answer: Answer): number {
  const offset = readCount(answer.header("upload-offset"));
  if (offset === undefined) throw new Interruption("offset", "the answer holds no offset");
  return offset;
}

/** Reads a number of bytes: decimal digits, up to what a number holds exactly. */
export function readCount(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined;
  const count = Number(text);
  return Number.isSafeInteger(count) ? count : undefined;
}
