/** Bytes in memory, read where they lie: a copy of them would take as much memory again. */
import { InputError, UploadError } from "../errors/errors.ts";
import { contentDigest, contentIdentity, READ_SIZE, type ReadableSource, type Slice } from "./source.ts";

/** @throws {InputError} `invalid-source` for memory that threads share: browsers neither hash nor send it. */
export function bytesSource(given: ArrayBufferLike | ArrayBufferView): ReadableSource {
  const bytes = bytesOf(given);
  if (!isUnshared(bytes)) {
    const state = "their memory is shared between threads. Give a copy: bytes.slice()";
    throw new InputError("invalid-source", `Cannot upload the bytes: ${state}`);
  }
  const { length: size } = bytes;
  let before: string | undefined;

  const read = (start: number, end: number) => {
    // Memory that was handed to another thread, or resized, is gone from here.
    if (bytes.length !== size) throw changed();
    return bytes.subarray(start, end);
  };
  const identity = () => contentIdentity(size, 0, async (start, end) => read(start, end));

  return {
    name: undefined,
    type: undefined,
    size,
    rereadable: true,
    async identity() {
      before ??= await identity();
      return before;
    },
    contentDigest: () => contentDigest(size, async (start, end) => read(start, end)),
    async slice(start, end): Promise<Slice> {
      const stop = Math.min(end, size);
      return {
        size: stop - start,
        last: stop === size,
        held: read(start, stop),
        async *pieces(): AsyncGenerator<Uint8Array, undefined> {
          for (let at = start; at < stop; at += READ_SIZE) yield read(at, Math.min(stop, at + READ_SIZE));
        },
      };
    },
    async verify() {
      if (before !== undefined && (await identity()) !== before) throw changed();
    },
    close: async () => {},
  };
}

export function bytesOf(given: ArrayBufferLike | ArrayBufferView): Uint8Array {
  if (given instanceof Uint8Array) return given;
  return ArrayBuffer.isView(given)
    ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
    : new Uint8Array(given);
}

export function isBytes(value: unknown): value is ArrayBufferLike | ArrayBufferView {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer || isShared(value);
}

function isShared(memory: unknown): boolean {
  return typeof SharedArrayBuffer === "function" && memory instanceof SharedArrayBuffer;
}

function isUnshared(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return !isShared(bytes.buffer);
}

function changed(): UploadError {
  return new UploadError("source-changed", "Cannot upload the bytes: they changed while they were uploaded");
}
