/** The contract of a transport: it is given a request, whose body it reads once and in order, and gives back an answer. */

import { UploadError } from "../errors/errors.ts";
import { PART_SIZE } from "../source/parts.ts";
import { READ_SIZE, type ReadableSource, type Slice } from "../source/source.ts";
import { abandon, delayUntil } from "../time/abort.ts";
import { steadyNow } from "../time/clock.ts";

export interface TransferRequest {
  method: string;
  /** A secret. */
  url: string;
  headers: Record<string, string>;
  body: RequestBody | undefined;
  /** Ends the request: the caller's wish, a timer, or a source that can't be read. */
  signal: AbortSignal;
  /** Called with the bytes of the body that were handed over so far. */
  onHandedOver(bytes: number): void;
}

export interface TransferAnswer {
  status: number;
  /** Reads a header by its name in any case, or `undefined` where there is none. */
  header(name: string): string | undefined;
  /** The body as text. May hold secrets. */
  text: string;
}

/** A way to send requests. Rejects with an `Interruption`, an `UploadError`, or the signal's reason. */
export interface Transport {
  /** True if a body goes out while it is read; else it is a Blob, held or on disk. */
  readonly streams: boolean;
  /** True if it may send a request again by itself when a kept connection broke, as browsers do. */
  readonly repeats: boolean;
  /** True if it reports how much of a body has been handed over before the answer. */
  readonly reportsProgress: boolean;
  /** True if it can send a body without telling its length before. */
  readonly sendsOpen?: boolean;
  /** Bytes of a body that may have left beyond those that were reported. @default any number */
  readonly unreported?: number;
  /** The transport of a request that goes by another one, as far as is known of its host by now. */
  instead?(call: { method: string; url: string }): Transport | undefined;
  send(request: TransferRequest): Promise<TransferAnswer>;
}

/** Bytes that sockets may hold back of a body that was handed over: sending them takes the line's time, not the host's. */
export const HELD_BACK: number = 8 * 1024 * 1024;

/** A source that brings its own way of being sent, as files on disk do. */
export interface SelfSendingSource extends ReadableSource {
  readonly transport: Transport;
}

/** A limit of the bytes that leave in a second, which any number of uploads share in the order in which they ask. */
export interface BandwidthLimit {
  readonly piece: number;
  take(bytes: number, signal: AbortSignal): Promise<void>;
}

/** Pieces a second: small enough that many uploads take turns, and that no socket is flooded. */
const PIECES_PER_SECOND = 10;

export function bandwidthLimit(bytesPerSecond: number): BandwidthLimit {
  let freeAt = 0;
  return {
    piece: Math.min(READ_SIZE, Math.ceil(bytesPerSecond / PIECES_PER_SECOND)),
    async take(bytes, signal) {
      const begin = Math.max(freeAt, steadyNow());
      freeAt = begin + (bytes / bytesPerSecond) * 1000;
      await delayUntil(() => begin, signal);
    },
  };
}

export interface BodyReading {
  signal: AbortSignal;
  /** Where it is given, each piece waits for its turn. */
  bandwidth?: BandwidthLimit | undefined;
  /** Awaited after each piece was read; rejects once the lease is lost. */
  confirm?(): Promise<void>;
  /** Awaited before the last byte is given to a transport that streams. */
  beforeLastByte?: (() => Promise<void>) | undefined;
  /** Called before and after the source is read: the time between is the source's, not the line's. */
  onReading?(): void;
  onRead?(): void;
  /** Called with the error of a source that can't be read, or of a lost lease. */
  onFailure(error: unknown): void;
}

/**
 * The body of one request. Each piece is read, waits for its turn, and is counted; the lease is asked for last, so that
 * only a process that is suspended at that very moment can hand over what is another's to send.
 */
export class RequestBody {
  /** The bytes of the body as a Blob, where that costs no reading. */
  readonly blob: Blob | undefined;
  /** Bytes that the transport was given so far. */
  given = 0;
  readonly #slice: Slice;
  readonly #how: BodyReading;
  #pieces: AsyncIterator<Uint8Array, undefined> | undefined;
  #came = 0;
  /** The part of a piece that has to wait for its turn. */
  #rest: Uint8Array = new Uint8Array(0);
  #lastByte: Uint8Array | undefined;
  #isStopped = false;

  constructor(slice: Slice, how: BodyReading) {
    this.blob = slice.blob;
    this.#slice = slice;
    this.#how = how;
  }

  get size(): number {
    return this.#slice.size;
  }

  /** True if the body may become shorter while it is read. */
  get isOpen(): boolean {
    return this.#slice.isOpen === true;
  }

  get left(): number {
    return this.size - this.given;
  }

  /** @param memory used for the piece where the source can be read into memory of the transport's own */
  async read(memory?: Uint8Array): Promise<Uint8Array> {
    const { beforeLastByte } = this.#how;
    let piece = this.#lastByte ?? (await this.#next(memory, false));
    if (beforeLastByte !== undefined && piece.length === this.left) {
      if (piece.length > 1) {
        this.#lastByte = piece.slice(-1);
        piece = piece.subarray(0, -1);
      } else await beforeLastByte();
    }
    this.given += piece.length;
    return piece;
  }

  /**
   * Gives all bytes at once, for transports that can't send them as they are read; they copy them. A part comes as it
   * is; more than that is in Blobs, which are the browser's to put on disk.
   */
  async whole(): Promise<Uint8Array<ArrayBuffer> | Blob> {
    const present = this.blob ?? this.#slice.held;
    if (present !== undefined) return present;
    const blobs: Blob[] = [];
    const buffer = new Uint8Array(Math.min(PART_SIZE, this.size));
    let held = 0;
    for (let left = this.size; left > 0; ) {
      if (held === buffer.length) {
        blobs.push(new Blob([buffer]));
        held = 0;
      }
      const piece = await this.#next(undefined, true, buffer.length - held);
      buffer.set(piece, held);
      held += piece.length;
      left -= piece.length;
    }
    return blobs.length === 0 ? buffer : new Blob([...blobs, buffer.subarray(0, held)]);
  }

  /** Ends the reading: the request is over, and some runtimes would read on. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const pieces = this.#pieces;
    abandon(() => pieces?.return?.());
  }

  async #next(
    memory: Uint8Array | undefined,
    isCopied: boolean,
    most = this.#how.bandwidth?.piece,
  ): Promise<Uint8Array> {
    const { bandwidth, signal, confirm, onReading, onRead, onFailure } = this.#how;
    onReading?.();
    try {
      const piece = await this.#take(memory, isCopied, most);
      await bandwidth?.take(piece.length, signal);
      await confirm?.();
      if (this.#isStopped) throw new Error("the request has ended");
      onRead?.();
      return piece;
    } catch (error) {
      if (!this.#isStopped) onFailure(error);
      throw error;
    }
  }

  async #take(memory: Uint8Array | undefined, isCopied: boolean, most?: number): Promise<Uint8Array> {
    if (this.#isStopped) throw new Error("the request has ended");
    const { fill } = this.#slice;
    if (memory !== undefined && fill !== undefined) {
      const target = memory.subarray(0, most);
      return target.subarray(0, await fill(target, this.given));
    }
    if (this.#rest.length === 0) this.#rest = await this.#piece(isCopied);
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }

  /** The source's next piece; with the last one the source must end. */
  async #piece(isCopied: boolean): Promise<Uint8Array> {
    this.#pieces ??= this.#slice.pieces(isCopied);
    const { value, done } = await this.#pieces.next();
    if (done === true) throw this.#misfit("source-ended-early", `the source ended after ${this.#came} of`);
    this.#came += value.length;
    const isOver = this.#came >= this.size;
    if (isOver && (this.#came > this.size || (await this.#pieces.next()).done !== true))
      throw this.#misfit("source-too-long", "the source has more than the announced");
    return value;
  }

  #misfit(code: "source-ended-early" | "source-too-long", state: string): UploadError {
    return new UploadError(code, `Cannot upload: ${state} ${this.size} bytes`);
  }
}

/** The error for an upload host that sends the upload elsewhere: its locations are secrets for that host alone. */
export function redirected(): UploadError {
  const state = "its host redirects to another address, which is never followed";
  return new UploadError("location-refused", `Cannot reach the upload: ${state}`);
}

/** Memory that Chromium counts as a script's, and collects garbage for. */
const COUNTED = 8 * PART_SIZE;

/** Bytes sent since garbage was last collected: the copies are the process's, and many small uploads make as many. */
let sent = 0;

/**
 * Makes Chromium drop the copies that it keeps of what requests sent, once that is a part. It does so only for memory
 * that it counts as the script's: memory that is given back at once makes it collect soon, but not any more after about
 * a GiB, and memory that is left as garbage keeps it going. Nothing writes to either, so that they take no room.
 *
 * @param size bytes that a request sends
 */
export function collectGarbage(size: number): void {
  sent += size;
  if (sent < PART_SIZE) return;
  sent = 0;
  try {
    new ArrayBuffer(PART_SIZE);
    new ArrayBuffer(COUNTED).transfer(0);
  } catch {
    // Without that much to spare, garbage is collected anyway; older browsers don't know the method.
  }
}
