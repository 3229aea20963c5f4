/**
 * When the offset of an interrupted upload stands still.
 *
 * A store of parts goes on storing the parts of a request whose connection is gone, and the offset that it tells moves
 * as each is stored. A part that is stored while the next request begins is counted by neither: what follows is then
 * stored shifted or twice, and every answer says success. So nothing is sent while such a part may be on its way.
 *
 * @module
 */

/** A broken request is waited for this many times as long as the slowest answer took. */
const SLOWNESS = 3;
/** The slowest answer of a slow line is mostly that of the line: no wait is longer. */
const LONGEST = 30_000;

/** What is known of the requests of one call of `upload()`. */
export class Settling {
  /** Milliseconds that an offset stands still at least. */
  readonly least: number;
  /** Position to which the host may come by itself, with what it received in requests that broke. */
  #reach: number;
  /** Position up to which anything can have been sent. */
  #sent: number;
  /** Position that the host told last. */
  #told: number | undefined;
  #slowest = 0;
  #doubtful: boolean;

  /**
   * @param least milliseconds that an offset stands still at least
   * @param continued whether an earlier call, perhaps of another process, has sent something
   * @param repeats whether the runtime may send a request again by itself
   */
  constructor(least: number, continued: boolean, repeats: boolean) {
    this.least = least;
    this.#reach = continued ? Number.POSITIVE_INFINITY : 0;
    this.#sent = continued ? Number.POSITIVE_INFINITY : 0;
    this.#doubtful = continued || repeats;
  }

  /** Whether a request may have broken or been repeated, so that the host's count is to be checked at the end. */
  get doubtful(): boolean {
    return this.#doubtful;
  }

  /** Milliseconds for which an offset must not have moved. */
  get quiet(): number {
    return Math.max(this.least, Math.min(LONGEST, SLOWNESS * this.#slowest));
  }

  /** An answer took so long after the last byte of its request. */
  answered(milliseconds: number): void {
    this.#slowest = Math.max(this.#slowest, milliseconds);
  }

  /**
   * A request with a body has broken, was refused or failed at the host.
   *
   * @param sent position up to which it can have been sent
   * @param reach end of the whole parts in that
   */
  broke(sent: number, reach: number): void {
    this.#doubtful = true;
    this.#reach = Math.max(this.#reach, reach);
    this.#sent = Math.max(this.#sent, sent);
    this.#told = undefined;
  }

  /** A request with a body was taken. */
  stored(offset: number): void {
    this.#sent = Math.max(this.#sent, offset);
    this.#told = undefined;
  }

  /** Whether the offset can't move by itself any more. */
  standsAt(offset: number): boolean {
    return offset >= this.#reach;
  }

  /** Whether the host counts more than can have been sent, so that it has stored some bytes twice. */
  isBeyondSent(offset: number): boolean {
    return offset > this.#sent;
  }

  /** The offset stands still: from here it goes on. */
  settled(offset: number): void {
    this.#reach = offset;
    this.#told = offset;
  }

  /** Whether the host itself has told this offset after everything that was sent. */
  wasTold(offset: number): boolean {
    return this.#told === offset;
  }
}
