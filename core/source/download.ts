/** The bytes of a download, with a watch over one that stalls. */

import { abandon, untilAborted } from "../abort.ts";
import { canReadAtLeast } from "../runtime.ts";
import { takeTurns } from "../turn.ts";
import { stallOf, type UrlFetch } from "./url-request.ts";

/** Bytes that are read at a time where a runtime lets that be chosen. */
const CHUNK_SIZE = 256 * 1024;

/**
 * The pieces of a download, which counts as cut when no byte comes for a while.
 *
 * @param copied whether a piece may be overwritten by the next
 */
export async function* download(
  how: Partial<UrlFetch>,
  open: () => Promise<ReadableStream<Uint8Array>>,
  copied = false,
): AsyncGenerator<Uint8Array, undefined> {
  const { signal } = how;
  const limit = { milliseconds: stallOf(how), late: () => new Error("the download stalls") };
  const reader = readerOf(await open(), copied);
  const takeTurn = takeTurns();
  // At once, not when this is next asked for a piece.
  const stop = () => abandon(() => reader.cancel());
  signal?.addEventListener("abort", stop, { once: true });
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
    signal?.removeEventListener("abort", stop);
    stop();
  }
}

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;
interface LargeReader {
  cancel(): Promise<void>;
  readAtLeast(bytes: number, into: Uint8Array): Promise<ReadableStreamReadResult<Uint8Array>>;
}

/** Edge runtimes give pieces of 4 KiB, whose garbage grows with the video, unless they are asked for more at a time. */
function readerOf(body: ReadableStream<Uint8Array>, copied: boolean): Reader {
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
function overwritingReader(body: ReadableStream<Uint8Array>): Reader {
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
