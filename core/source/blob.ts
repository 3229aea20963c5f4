/**
 * Blob and File, `Bun.file()` too: sliced without reading.
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import { contentIdentity } from "./identity.ts";
import { READ_SIZE, type ReadableSource, type Slice } from "./source.ts";

/** Makes a source of a Blob. */
export function blobSource(blob: Blob): ReadableSource {
  const { name, lastModified } = blob as Partial<File>;
  const { size } = blob;
  return {
    name: typeof name === "string" && name !== "" ? lastSegment(name) : undefined,
    type: blob.type === "" ? undefined : blob.type,
    size,
    rereadable: true,
    identity: () =>
      contentIdentity(size, typeof lastModified === "number" ? lastModified : 0, (start, end) =>
        read(blob, start, end),
      ),
    slice: async (start, end) => blobSlice(blob, start, Math.min(end, size)),
    // A file that changed on disk can't be read any more: browsers see to it, so reading one byte is enough to know.
    verify: async () => void (await read(blob, size - 1, size)),
    close: async () => {},
  };
}

function blobSlice(blob: Blob, start: number, end: number): Slice {
  return {
    size: end - start,
    last: end === blob.size,
    // Chromium sends a slice with twice the work of the file itself.
    blob: start === 0 && end === blob.size ? blob : blob.slice(start, end),
    async *pieces(): AsyncGenerator<Uint8Array, undefined> {
      for (let at = start; at < end; at += READ_SIZE)
        yield await read(blob, at, Math.min(end, at + READ_SIZE));
    },
  };
}

async function read(blob: Blob, start: number, end: number): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await blob.slice(start, end).arrayBuffer());
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    // Browsers give this name to a file that was changed, moved or deleted since it was chosen.
    if (name === "NotReadableError" || name === "NotFoundError") {
      throw new UploadError(
        "source-changed",
        "Cannot read the file: it was changed, moved or deleted. Choose it again",
      );
    }
    throw new UploadError("source-unreadable", "Cannot read the file: reading it failed. Choose it again");
  }
  if (bytes.length !== end - start) {
    throw new UploadError(
      "source-changed",
      "Cannot read the file: it is shorter than when it was chosen. Choose it again",
    );
  }
  return bytes;
}

/** `Bun.file()` names its whole path. */
function lastSegment(name: string): string {
  return name.split(/[\\/]/).at(-1) ?? name;
}
