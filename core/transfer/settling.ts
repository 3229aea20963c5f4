/**
 * When the offset of an interrupted upload stands still.
 *
 * A store of parts goes on storing the parts of a request whose connection is gone, and the offset that it reports moves
 * as each is stored. A part that is stored while the next request begins is counted by neither: what follows is then
 * stored shifted or twice, and every answer says success. So nothing is sent while such a part may be on its way.
 */

import { LEAST_PART_SIZE, PART_SIZE } from "../source/parts.ts";
import { startStopwatch, startTimer } from "../time/clock.ts";
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
  /** Since when, sleep of the machine included. */
  #sinceSent: () => number = () => Number.POSITIVE_INFINITY;
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
    this.#sinceSent = startStopwatch();
    this.#mayHaveStored ||= reach > start;
    this.#lastHeadOffset = undefined;
  }

  /** A request with a body, sent up to `end`, was acknowledged. */
  acknowledged(end: number): void {
    this.#sent = Math.max(this.#sent, end);
    this.#mayHaveStored = true;
    this.#lastHeadOffset = undefined;
    this.#ends = [end];
    this.#broken = { start: Number.NaN, handedOver: Number.NaN };
  }

  /** A body broke; tells whether nothing was kept of the one that broke before, or that one broke at about the same byte. */
  brokeAgain(start: number, handedOver: number): boolean {
    const before = this.#broken;
    this.#broken = { start, handedOver };
    return before.start === start || Math.abs(before.handedOver - handedOver) <= HELD_BACK;
  }

  /** True if an offset at the end can come from what this call handed over. */
  hasHandedOver(end: number): boolean {
    return this.#sent >= end && this.#sinceSent() < KEPT;
  }

  /** A request with the whole source failed; `taken` if bytes of it were handed over. */
  wholeFailed(taken: boolean): void {
    this.mayHaveCrashed = this.#tookWhole && !taken;
    this.#tookWhole ||= taken;
  }

  /** @returns whether the host has said for longer than a store is away for a moment that it doesn't have the upload */
  missed(): boolean {
    this.#sinceMissed ??= startTimer();
    return this.#sinceMissed() >= MISSED * this.quiet;
  }

  /** @returns whether the offset has had long to bring a part more: a byte at a time it would move for hours */
  movesForLong(offset: number): boolean {
    if (offset >= this.#nextPart) [this.#nextPart, this.#sincePart] = [offset + PART_SIZE, startTimer()];
    return this.#sincePart() > LONGEST_MOVING;
  }

  /** True if the host can't come any further than this by itself. */
  standsAt(offset: number): boolean {
    return offset >= this.#reach;
  }

  /**
   * True if the host counts more than this call can have sent since the offset stood still. If this call can have
   * stored a part, the host has stored some bytes twice; else a request from before is still arriving.
   */
  compare(offset: number): "sent" | "stored-twice" | "still-arriving" {
    if (offset <= this.#sent || this.#lastHeadOffset === offset) return "sent";
    if (this.#mayHaveStored) return "stored-twice";
    this.#reach = Number.POSITIVE_INFINITY;
    return "still-arriving";
  }

  /** The offset stands still: from here the upload goes on. */
  settled(offset: number, partSize: number = PART_SIZE): void {
    this.#sinceMissed = undefined;
    this.#reach = offset;
    this.#sent = offset;
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
