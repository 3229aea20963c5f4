/** The bytes of a download, with a watch over one that stalls, and how often a broken one is opened again. */

import { UploadError } from "../errors/errors.ts";
import { canReadAtLeast } from "../runtime.ts";
import { abandon, delay, joinSignals, onAbort, untilAborted } from "../time/abort.ts";
import { takeTurns } from "../time/turn.ts";
import { STALL_TIMEOUT, type UrlFetch } from "./url-request.ts";
import type { Reader } from "./window.ts";

export type Pieces = AsyncGenerator<Uint8Array, undefined>;

/** Bytes that are read at a time where a runtime lets that be chosen. */
const CHUNK_SIZE = 256 * 1024;

/** @param copied whether a piece may be overwritten by the next */
export async function* download(
  how: Partial<UrlFetch>,
  open: () => Promise<ReadableStream<Uint8Array>>,
  copied = false,
): Pieces {
  const { signal, stall = STALL_TIMEOUT } = how;
  const limit = { milliseconds: stall, late: () => new Error("the download stalls") };
  const reader = readerOf(await open(), copied);
  const takeTurn = takeTurns();
  const stop = () => abandon(() => reader.cancel());
  // An abort ends the reading at once, not when the next piece is asked for.
  const forget = onAbort(signal, stop);
  try {
    for (;;) {
      await takeTurn();
      // The reader may take its time; only the download is watched.
      const { value, done } = await untilAborted(reader.read(), signal, limit);
      signal?.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    forget();
    stop();
  }
}

type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;
interface LargeReader {
  cancel(): Promise<void>;
  readAtLeast(bytes: number, into: Uint8Array): Promise<ReadableStreamReadResult<Uint8Array>>;
}

/** Edge runtimes give pieces of 4 KiB, whose garbage grows with the video, unless they are asked for more at a time. */
function readerOf(body: ReadableStream<Uint8Array>, copied: boolean): BodyReader {
  if (!canReadAtLeast()) return copied ? overwritingReader(body) : body.getReader();
  // The method is one of edge runtimes alone, and no part of the standard's types.
  const reader = body.getReader({ mode: "byob" }) as ReadableStreamBYOBReader & LargeReader;
  return {
    cancel: () => reader.cancel(),
    async read() {
      const { value, done } = await reader.readAtLeast(CHUNK_SIZE, new Uint8Array(CHUNK_SIZE));
      return done || value.length === 0 ? { value: undefined, done: true } : { value, done: false };
    },
  };
}

/** Pieces that come in one memory, where a runtime can do so, leave no garbage. */
function overwritingReader(body: ReadableStream<Uint8Array>): BodyReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    return body.getReader();
  }
  let memory = new ArrayBuffer(CHUNK_SIZE);
  return {
    cancel: () => reader.cancel(),
    async read() {
      const { value, done } = await reader.read(new Uint8Array(memory));
      if (done) return { value: undefined, done };
      memory = value.buffer;
      return { value, done };
    },
  };
}

/** Attempts in a row without progress after which a broken download is given up. */
const MOST_FAILURES = 5;
/** Milliseconds: whoever asks for more time than this doesn't give the video now. */
const LONGEST_RETRY_AFTER = 5 * 60_000;
/** Bytes that count as progress: at a few in each attempt, a download would never end. */
const LEAST_PROGRESS = 64 * 1024;

/** Where a video is read from, as errors name it: its address, of which they show the origin, or another place. */
export type DownloadOrigin = Pick<URL, "origin">;

export function brokenOff({ origin }: DownloadOrigin, at: number): UploadError {
  const message = `Cannot read the video: the download from ${origin} breaks off at byte ${at}`;
  return new UploadError("source-unreadable", message, { retryable: true });
}

/** Counts how often in a row a download broke without progress, and waits before it is opened again. */
export class DownloadRetry {
  #failures = 0;
  #moved = 0;

  moved(bytes: number): void {
    this.#moved += bytes;
    if (this.#moved < LEAST_PROGRESS) return;
    this.#moved = 0;
    this.#failures = 0;
  }

  /** @throws what can't get better by trying again, and `source-unreadable` when it was tried often enough */
  async after(
    error: unknown,
    place: DownloadOrigin,
    at: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const { retryable = true, retryAfter = 0 } = error instanceof UploadError ? error : {};
    if (!retryable || retryAfter > LONGEST_RETRY_AFTER) throw error;
    if (++this.#failures > MOST_FAILURES) throw brokenOff(place, at);
    await delay(Math.max(retryAfter, 200 * 2 ** this.#failures * Math.random()), signal);
  }
}

export interface OpenableRange {
  start: number;
  end: number;
  open(at: number): Promise<ReadableStream<Uint8Array>>;
  place: DownloadOrigin;
  /** True if a piece may be overwritten by the next. */
  copied?: boolean | undefined;
}

/** Reads a range, and goes on at its own place when the download is cut. */
export async function* resumedRange(
  { start, end, open, place, copied }: OpenableRange,
  how: Partial<UrlFetch>,
): Pieces {
  const retry = new DownloadRetry();
  let at = start;
  while (at < end) {
    let cut: unknown;
    try {
      for await (const piece of download(how, () => open(at), copied)) {
        yield piece.subarray(0, end - at);
        at += piece.length;
        retry.moved(piece.length);
        if (at >= end) return;
      }
    } catch (error) {
      cut = error;
    }
    await retry.after(cut, place, at, how.signal);
  }
}

/** @param begin gives the pieces from where those before have ended, also after a failure, which is told */
export function resumingReader(how: UrlFetch, begin: (how: UrlFetch) => Pieces): Reader<Uint8Array> {
  const { signal, abort, leave } = joinSignals(how.signal);
  const open = () => begin({ ...how, signal });
  let pieces = open();
  return {
    async read() {
      const next = pieces.next().catch((error: unknown) => {
        pieces = open();
        throw error;
      });
      return { done: false, ...(await next) };
    },
    cancel() {
      abort(new Error("nobody reads on"));
      leave();
      abandon(() => pieces.return(undefined));
    },
  };
}
