/**
 * A web stream: read once and in order, with just enough kept to send an interrupted chunk again.
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import type { Slice, Source } from "./source.ts";

/** What a stream can't tell of itself. */
export interface StreamFacts {
  name?: string | undefined;
  type?: string | undefined;
  /** Announced bytes; checked while reading. */
  size?: number | undefined;
}

/** Makes a source of a stream, having read its first bytes, so that an empty one is known to be empty. */
export async function streamSource(stream: ReadableStream<unknown>, facts: StreamFacts): Promise<Source> {
  const window = new StreamWindow(stream.getReader(), facts.size);
  await window.fill(1);
  const { size } = facts;
  return {
    name: facts.name,
    type: facts.type,
    size: window.isEmpty ? 0 : size,
    rereadable: false,
    identity: async () => undefined,
    async slice(start, end) {
      if (window.isPast(start)) throw behind(start, window.start);
      return await window.read(start, end);
    },
    whole: async () => ({ size: size ?? 0, last: true, pieces: () => window.pieces() }),
    close: () => window.cancel(),
  };
}

/** Where a window takes its bytes from. */
interface Reader {
  read(): Promise<{ value?: unknown; done: boolean }>;
  cancel(): Promise<void>;
}

/** The bytes of a stream that have been read and not yet been acknowledged. */
export class StreamWindow {
  readonly #reader: Reader;
  readonly #size: number | undefined;
  #pieces: Uint8Array[] = [];
  #start = 0;
  #end = 0;
  #ended = false;

  constructor(reader: Reader, size: number | undefined) {
    this.#reader = reader;
    this.#size = size;
  }

  /** The first byte that is still held. */
  get start(): number {
    return this.#start;
  }

  /** Whether a position has been let go. */
  isPast(position: number): boolean {
    return position < this.#start;
  }

  get isEmpty(): boolean {
    return this.#ended && this.#end === 0;
  }

  /** Reads on until the window reaches `position` or the stream ends. */
  async fill(position: number): Promise<void> {
    while (this.#end < position && !this.#ended) {
      const piece = await this.#read();
      if (piece === undefined) this.#ended = true;
      else this.#pieces.push(piece);
    }
  }

  /** Lets go what is before `start`, and reads on to `end` or to the end of the stream. */
  async read(start: number, end: number): Promise<Slice> {
    await this.#moveTo(start);
    // One byte more than asked, to know whether the slice is the last.
    await this.fill(end + 1);
    return this.#slice(start, end);
  }

  async #moveTo(position: number): Promise<void> {
    while (this.#start < position) {
      if (this.#pieces.length === 0) await this.fill(this.#end + 1);
      const first = this.#pieces[0];
      if (first === undefined) break;
      const excess = Math.min(first.length, position - this.#start);
      if (excess === first.length) this.#pieces.shift();
      else this.#pieces[0] = first.subarray(excess);
      this.#start += excess;
    }
  }

  #slice(start: number, end: number): Slice {
    const stop = Math.min(end, this.#end);
    const pieces: Uint8Array[] = [];
    let at = this.#start;
    for (const piece of this.#pieces) {
      if (at >= stop) break;
      pieces.push(piece.subarray(0, stop - at));
      at += piece.length;
    }
    return {
      size: stop - start,
      last: this.#ended && stop === this.#end,
      async *pieces(): AsyncGenerator<Uint8Array, undefined> {
        yield* pieces;
      },
    };
  }

  /** All pieces from the first to the last; what has been handed out is gone. */
  async *pieces(): AsyncGenerator<Uint8Array, undefined> {
    if (this.#start > 0) throw usedUp();
    for (;;) {
      const piece = this.#pieces.shift() ?? (await this.#read());
      if (piece === undefined) return;
      this.#start += piece.length;
      yield piece;
    }
  }

  async cancel(): Promise<void> {
    this.#pieces = [];
    // A stream that already failed rejects its cancellation; nothing is left to give back then.
    await this.#reader.cancel().catch(() => {});
  }

  async #read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const { value, done } = await this.#reader.read().catch((error: unknown) => {
        throw error instanceof UploadError ? error : unreadable("it failed");
      });
      if (done) {
        if (this.#size !== undefined && this.#end < this.#size)
          throw wrongLength("source-ended-early", this.#end, this.#size);
        return undefined;
      }
      const piece = bytesOf(value);
      this.#end += piece.length;
      if (this.#size !== undefined && this.#end > this.#size)
        throw wrongLength("source-too-long", this.#end, this.#size);
      if (piece.length > 0) return piece;
    }
  }
}

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  throw unreadable(`it gave a ${typeof value} where bytes were expected`);
}

function behind(position: number, start: number): UploadError {
  return new UploadError(
    "offset-behind-buffer",
    `Cannot continue the upload: the service has ${position} bytes, and the stream can be sent again only from byte ${start} on. Start again from the source`,
  );
}

function usedUp(): UploadError {
  return new UploadError(
    "source-used-up",
    "Cannot send the stream again: it can be read once. Start again from the source",
  );
}

function unreadable(what: string): UploadError {
  return new UploadError("source-unreadable", `Cannot read the stream: ${what}. Start again from the source`);
}

function wrongLength(
  code: "source-ended-early" | "source-too-long",
  got: number,
  announced: number,
): UploadError {
  const state = code === "source-too-long" ? `at least ${got}` : `only ${got}`;
  return new UploadError(
    code,
    `Cannot upload the stream: it gave ${state} of the announced ${announced} bytes`,
  );
}
