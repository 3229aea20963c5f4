/** A stream: read once and in order, with just enough kept to send an interrupted chunk again. */

import { InputError, UploadError } from "../errors/errors.ts";
import { isObject } from "../text/is-object.ts";
import { abandon, onAbort } from "../time/abort.ts";
import type { ReadableSource } from "./source.ts";
import { type Reader, StreamWindow } from "./window.ts";

/** The facts that a stream can't tell of itself. */
export interface StreamFacts {
  name?: string | undefined;
  type?: string | undefined;
  /** Announced bytes; checked while reading. */
  size?: number | undefined;
}

export interface StreamReading {
  signal: AbortSignal;
  /** Told each piece as it is read, once and in order. */
  onRead?: (piece: Uint8Array) => void;
}

/** Makes a source of a stream, having read its first bytes, so that an empty one is known to be empty. */
export async function streamSource(
  stream: ReadableStream<unknown> | AsyncIterable<unknown>,
  facts: StreamFacts,
  { signal, onRead }: StreamReading,
): Promise<ReadableSource> {
  if ("locked" in stream && stream.locked === true)
    throw new InputError("invalid-source", "Cannot upload the stream: something else is reading it");
  const { name, type, size } = facts;
  const window = new StreamWindow(readerOf(stream), size, 0, onRead);
  // A call that waits for a piece hears of the abort at once.
  const forget = onAbort(signal, () => window.cancel());
  const close = async () => {
    forget();
    window.cancel();
  };
  let empty: boolean;
  try {
    empty = (await window.first()).length === 0;
    signal.throwIfAborted();
  } catch (error) {
    await close();
    throw signal.aborted ? signal.reason : error;
  }
  return {
    name,
    type,
    size: empty ? 0 : size,
    rereadable: false,
    identity: async () => undefined,
    begin: (start, most) => window.begin(start, most),
    async slice(start, end, isOpen) {
      if (start < window.start) {
        const state = `the service has ${start} bytes, and the stream can be sent again only from byte`;
        const advice = `${window.start} on. Start again from the source`;
        throw new UploadError("offset-behind-buffer", `Cannot resume the upload: ${state} ${advice}`);
      }
      return await window.read(start, end, isOpen);
    },
    whole: async () => ({ size: size ?? 0, last: true, pieces: () => window.pieces() }),
    close,
  };
}

function readerOf(stream: ReadableStream<unknown> | AsyncIterable<unknown>): Reader {
  if (stream instanceof ReadableStream) return stream.getReader();
  let iterator: AsyncIterator<unknown> | undefined;
  return {
    async read() {
      iterator ??= stream[Symbol.asyncIterator]();
      return { done: false, ...(await iterator.next()) };
    },
    cancel() {
      abandon(async () => await iterator?.return?.());
      // The iterator of a Readable ends only once its next piece has come, be it never.
      abandon(() => "destroy" in stream && typeof stream.destroy === "function" && stream.destroy());
    },
  };
}

/** True of a web stream, and of what gives pieces one after the other, as a `Readable` of Node does. */
export function isStream(value: unknown): value is ReadableStream<unknown> | AsyncIterable<unknown> {
  return value instanceof ReadableStream || (isObject(value) && Symbol.asyncIterator in value);
}
