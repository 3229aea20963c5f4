/** The bytes in memory of a source that is read once and in order: those on their way, and the part after them. */

import { joined } from "../content/digest.ts";
import { UploadError } from "../errors/errors.ts";
import { abandon, untilAborted } from "../time/abort.ts";
import { takeTurns } from "../time/turn.ts";
import { bytesOf, isBytes } from "./bytes.ts";
import { PART_SIZE } from "./parts.ts";
import { READ_SIZE, type Slice } from "./source.ts";

export interface Reader<Piece = unknown> {
  read(): Promise<{ value?: Piece | undefined; done: boolean }>;
  cancel(): unknown;
}

/** Bytes at the end of a part: they are given once it is known whether the next part goes along. */
const END_SIZE = 64 * 1024;
/** For so long the next part is waited for within a request: about what one request more costs. */
const LATE = { milliseconds: 250, late: () => undefined };

/** The bytes on their way, and the part after them, in one buffer: pieces would live long enough to be costly garbage. */
export class StreamWindow {
  /** Position of the first byte that is held. */
  start: number;
  readonly #reader: Reader;
  readonly #size: number | undefined;
  readonly #onRead: ((piece: Uint8Array) => void) | undefined;
  readonly #stopper = new AbortController();
  readonly #takeTurn = takeTurns();
  #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  /** Size of the buffer of a long stream: the largest request, and the part after it. */
  #room = 2 * PART_SIZE;
  /** Bytes of the buffer that hold something. */
  #held = 0;
  /** The bytes that were read and aren't in the buffer yet. */
  #beyond: Uint8Array | undefined;
  /** Reads what comes after the bytes that are on their way; never rejects. */
  #ahead: Promise<void> | undefined;
  /** The slice that was asked for last: the others are of requests that are over. */
  #latest: Slice | undefined;
  #received = 0;
  #ended = false;
  /** An error that reading again would not fix. */
  #failure: UploadError | undefined;

  /** @param size bytes that must come, where that is known */
  constructor(reader: Reader, size: number | undefined, start = 0, onRead?: (piece: Uint8Array) => void) {
    this.#reader = reader;
    this.#size = size;
    this.start = start;
    this.#onRead = onRead;
  }

  /** True if a position is held, or comes next. */
  reaches(position: number): boolean {
    return position >= this.start && position <= this.start + this.#held;
  }

  /** Reads the first bytes; where the first of them asks for it, so many as are wanted then and as there are. */
  async first(
    asksForMore: (byte: number | undefined) => boolean = () => false,
    wanted = 0,
  ): Promise<Uint8Array> {
    let found = (await this.#next()) ?? new Uint8Array(0);
    while (asksForMore(found[0]) && found.length < wanted) {
      // The next piece may come in the same memory.
      const former = found.slice();
      this.#beyond = undefined;
      const next = (await this.#next()) ?? new Uint8Array(0);
      found = joined([former, next]);
      this.#beyond = found;
      if (next.length === 0) break;
    }
    return found;
  }

  /**
   * Reads the first part from a position, where that is what comes next.
   *
   * @param most bytes of the largest request
   */
  begin(start: number, most: number = PART_SIZE): void {
    if (start !== this.start) return;
    this.#room = most + PART_SIZE;
    this.#readAhead(PART_SIZE);
  }

  /** Reads on from `start`. A part more is read once these bytes are taken: a slow source would keep them waiting. */
  async read(start: number, end: number, isOpen = false): Promise<Slice> {
    this.#latest = undefined;
    await this.#ahead;
    await this.#moveTo(start);
    const wanted = isOpen ? PART_SIZE : end - start;
    await this.#fill(wanted);
    if (this.#held === wanted) await this.#next();
    this.#checkOpen();
    const last = !this.#goesBeyond(wanted);
    if (isOpen && !last) return this.#open(end - start);
    const size = Math.min(wanted, this.#held);
    const bytes = this.#buffer.subarray(0, size);
    const readAhead = () => {
      if (!last && this.start === start) this.#readAhead(size + PART_SIZE);
    };
    return {
      size,
      last,
      get held() {
        readAhead();
        return bytes;
      },
      async *pieces(): AsyncGenerator<Uint8Array, undefined> {
        readAhead();
        for (let at = 0; at < size; at += READ_SIZE) yield bytes.subarray(at, at + READ_SIZE);
      },
    };
  }

  /** The parts from here on, as long as the next one is there in time: a host may not wait for a source that is slow. */
  #open(most: number): Slice {
    const window = this;
    let size = most;
    const slice: Slice = {
      get size() {
        return size;
      },
      last: false,
      isOpen: true,
      async *pieces(): AsyncGenerator<Uint8Array, undefined> {
        for (let at = 0, end = 0; at < size; at = end) {
          if (window.#latest !== slice) return;
          const left = PART_SIZE - (at % PART_SIZE);
          end = at + (left > END_SIZE ? Math.min(READ_SIZE, left - END_SIZE) : left);
          if (at % PART_SIZE === 0) window.#readAhead(at + 2 * PART_SIZE, () => window.#next());
          if (end % PART_SIZE === 0 && end < size) {
            await untilAborted(window.#ahead ?? Promise.resolve(), undefined, LATE).catch(() => {});
            if (window.#latest !== slice) return;
            if (!window.#goesBeyond(end + PART_SIZE)) size = end;
          }
          yield window.#buffer.subarray(at, end);
        }
      },
    };
    this.#latest = slice;
    return slice;
  }

  /** True if so many bytes are held, and are known not to be the last. */
  #goesBeyond(bytes: number): boolean {
    if (this.#ahead !== undefined) return false;
    return this.#held > bytes || (this.#held === bytes && this.#beyond !== undefined);
  }

  /** Reads so much while something else goes on. A failure comes again, and is reported, when the bytes are asked for. */
  #readAhead(size: number, andThen?: () => Promise<unknown>): void {
    const done = () => {
      this.#ahead = undefined;
    };
    this.#ahead ??= this.#fill(size).then(andThen).then(done, done);
  }

  async #moveTo(position: number): Promise<void> {
    const known = Math.min(this.#held, position - this.start);
    this.#buffer.copyWithin(0, known, this.#held);
    this.#held -= known;
    this.start += known;
    while (this.start < position) {
      const next = await this.#next();
      if (next === undefined) return;
      this.start += this.#take(next, position - this.start).length;
    }
  }

  async #fill(size: number): Promise<void> {
    while (this.#held < size) {
      const next = await this.#next();
      if (next === undefined) return;
      const taken = this.#take(next, size - this.#held);
      this.#reserve(this.#held + taken.length, size);
      this.#buffer.set(taken, this.#held);
      this.#held += taken.length;
    }
  }

  #reserve(needed: number, most: number): void {
    if (this.#buffer.length >= needed) return;
    // A short stream takes little. A long one soon has all of its room: each buffer that it leaves behind takes memory.
    const steps = [READ_SIZE, 4 * READ_SIZE, Math.min(this.#room, this.#size ?? this.#room)];
    const grown = new Uint8Array(steps.find((step) => step >= needed) ?? Math.min(most, 2 * needed));
    grown.set(this.#buffer.subarray(0, this.#held));
    this.#buffer = grown;
  }

  /** All pieces from the first to the last; what has been handed out is gone. */
  async *pieces(): AsyncGenerator<Uint8Array, undefined> {
    if (this.start + this.#held > 0) {
      const state = "it can be read once. Start again from the source";
      throw new UploadError("source-used-up", `Cannot send the stream again: ${state}`);
    }
    for (let next = await this.#next(); next !== undefined; next = await this.#next()) {
      this.start += this.#take(next, next.length).length;
      yield next;
    }
  }

  #take(next: Uint8Array, most: number): Uint8Array {
    this.#beyond = next.length > most ? next.subarray(most) : undefined;
    return next.subarray(0, most);
  }

  /** A cancelled stream ends, but its length is none of the source's: a host that is told it calls the asset whole. */
  #checkOpen(): void {
    if (this.#stopper.signal.aborted) throw unreadable("it was closed");
  }

  /** The next piece, or `undefined` at the end. */
  async #next(): Promise<Uint8Array | undefined> {
    this.#checkOpen();
    if (this.#beyond === undefined && !this.#ended) {
      this.#beyond = await this.#read();
      this.#ended ||= this.#beyond === undefined;
    }
    return this.#beyond;
  }

  /** Lets go of all that is held. A read that is under way rejects; the stream may take its time to end. */
  cancel(): void {
    this.#stopper.abort();
    this.#beyond = undefined;
    this.#buffer = new Uint8Array(0);
    this.#held = 0;
    abandon(() => this.#reader.cancel());
  }

  async #read(): Promise<Uint8Array | undefined> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return await this.#readSound();
    } catch (error) {
      if (error instanceof UploadError && !error.retryable) this.#failure = error;
      throw error;
    }
  }

  async #readSound(): Promise<Uint8Array | undefined> {
    for (;;) {
      await this.#takeTurn();
      const { value, done } = await untilAborted(this.#reader.read(), this.#stopper.signal).catch(
        (error: unknown) => {
          throw error instanceof UploadError ? error : unreadable("it failed", error);
        },
      );
      this.#checkOpen();
      if (done) {
        if (this.#size !== undefined && this.#received < this.#size)
          throw wrongLength(this.#received, this.#size);
        return undefined;
      }
      if (!isBytes(value)) throw unreadable(`it gave a ${typeof value} where bytes were expected`);
      const piece = bytesOf(value);
      this.#received += piece.length;
      if (this.#size !== undefined && this.#received > this.#size)
        throw wrongLength(this.#received, this.#size);
      this.#onRead?.(piece);
      if (piece.length > 0) return piece;
    }
  }
}

function unreadable(what: string, cause?: unknown): UploadError {
  const message = `Cannot read the stream: ${what}. Start again from the source`;
  return new UploadError("source-unreadable", message, { cause });
}

function wrongLength(got: number, announced: number): UploadError {
  const isLonger = got > announced;
  const state = `${isLonger ? "at least" : "only"} ${got} of the announced ${announced} bytes`;
  const code = isLonger ? "source-too-long" : "source-ended-early";
  return new UploadError(code, `Cannot upload the stream: it gave ${state}`);
}
