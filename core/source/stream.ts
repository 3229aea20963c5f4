/**
 * A web stream: read once and in order, with just enough kept to send an interrupted chunk again.
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import type { ReadableSource } from "./source.ts";
import { StreamWindow } from "./window.ts";

/** What a stream can't tell of itself. */
export interface StreamFacts {
  name?: string | undefined;
  type?: string | undefined;
  /** Announced bytes; checked while reading. */
  size?: number | undefined;
}

/** Makes a source of a stream, having read its first bytes, so that an empty one is known to be empty. */
export async function streamSource(
  stream: ReadableStream<unknown>,
  facts: StreamFacts,
  signal: AbortSignal,
): Promise<ReadableSource> {
  const { name, type, size } = facts;
  const window = new StreamWindow(stream.getReader(), size);
  const stop = () => void window.cancel();
  signal.addEventListener("abort", stop, { once: true });
  let empty: boolean;
  try {
    empty = await window.isEmpty();
    signal.throwIfAborted();
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return {
    name,
    type,
    size: empty ? 0 : size,
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

function behind(position: number, start: number): UploadError {
  return new UploadError(
    "offset-behind-buffer",
    `Cannot resume the upload: the service has ${position} bytes, and the stream can be sent again only from byte ${start} on. Start again from the source`,
  );
}
