/**
 * The bytes of a download, with a watch over one that stalls.
 *
 * @module
 */

import { canReadAtLeast } from "../runtime.ts";
import { endedBy, type UrlFetch } from "./url-request.ts";

/** Milliseconds without a byte until a download counts as cut. */
const STALL_TIMEOUT = 30_000;
/** Bytes that are read at a time where a runtime lets that be chosen. */
const CHUNK_SIZE = 256 * 1024;

/**
 * The pieces of a download, which counts as cut when no byte comes for a while.
 *
 * @param copied whether a piece may be overwritten by the next
 */
export async function* download(
  how: UrlFetch,
  open: (how: UrlFetch) => Promise<ReadableStream<Uint8Array>>,
  copied = false,
): AsyncGenerator<Uint8Array, undefined> {
  const stall = new AbortController();
  const watchedHow = endedBy(stall.signal, how);
  const { signal } = watchedHow;
  let alarm: ReturnType<typeof setTimeout> | undefined;
  // The reader may take its time; only the download is watched.
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    alarm = setTimeout(() => stall.abort(), STALL_TIMEOUT);
    try {
      return await work;
    } finally {
      clearTimeout(alarm);
    }
  };
  const reader = readerOf(await watched(open(watchedHow)), copied);
  // The answer may be one that was asked for before, without this signal.
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      const { value, done } = await watched(reader.read());
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    await reader.cancel().catch(() => {});
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
  const reader = body.getReader({ mode: "byob" }) as unknown as LargeReader;
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
