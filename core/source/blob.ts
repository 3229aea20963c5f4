/** Blob and File, `Bun.file()` too: sliced without reading. */

import { UploadError } from "../errors/errors.ts";
import { hasXhr, isBun } from "../runtime.ts";
import { isObject } from "../text/is-object.ts";
import { abandon } from "../time/abort.ts";
import { PART_SIZE } from "./parts.ts";
import { contentDigest, contentIdentity, READ_SIZE, type ReadableSource } from "./source.ts";

/** Bun's date of a Blob that has none. */
const BUN_UNDATED = 2 ** 52 - 1;

export async function blobSource(blob: Blob): Promise<ReadableSource> {
  const { name: given, lastModified }: Partial<File> = blob;
  const { size } = blob;
  const name = typeof given === "string" ? given : "";
  // `Bun.file()` names its whole path.
  const isPath = isBun() && !(blob instanceof File);
  const state = await fileStateOf(blob);
  const chosen = typeof lastModified === "number" && lastModified !== BUN_UNDATED ? lastModified : 0;
  const date = state?.mtimeMs ?? chosen;
  // Size and date of a Blob are from when they were first asked for.
  if (state !== undefined && state.size !== size && Math.abs(state.mtimeMs - chosen) > 1)
    throw fileChanged("it has changed since it was chosen");

  const verifyState = async (): Promise<void> => {
    if (state === undefined) return;
    if (!isSameState(state, await fileStateOf(blob))) throw fileChanged("it was changed, moved or deleted");
  };
  const samples = sampleBlob(blob, (some) => readBlob(some, 0, some.size));

  const read = async (start: number, end: number): Promise<Uint8Array> => {
    const reading = readBlob(blob, start, end);
    // Bytes read while it changes may be of either content.
    await reading.catch(() => {});
    await verifyState();
    return await reading;
  };

  // Some browsers don't tell that a file was cut short, or overwritten.
  const verify = async (): Promise<void> => {
    await read(size - 1, size);
    if (!(await samples.areSame())) throw fileChanged("it was changed");
  };

  return {
    name: (isPath ? name.split(/[\\/]/).at(-1) : name) || undefined,
    type: blob.type === "" ? undefined : blob.type,
    size,
    rereadable: true,
    identity: () =>
      contentIdentity(size, date, async (start, end) => {
        const bytes = await readBlob(blob, start, end);
        // Another upload may have sent what stood there before, and this one goes on behind it. Bun tells a file's
        // state, and makes an empty Blob of two of its slices.
        if (state === undefined) samples.keep(start, end, bytes);
        return bytes;
      }),
    ...(date === 0 && { contentDigest: () => contentDigest(size, read) }),
    async slice(start, most) {
      const end = Math.min(most, size);
      await (end === size ? verify() : verifyState());
      if (state === undefined) await samples.take(start, end);
      // Chromium sends a slice with twice the work of the file itself.
      const part = start === 0 && end === size ? blob : blob.slice(start, end);
      return {
        size: end - start,
        last: end === size,
        blob: part,
        verify,
        async *pieces(): AsyncGenerator<Uint8Array, undefined> {
          if (hasXhr()) yield* streamed(part, () => read(start, start + 1));
          else
            for (let at = start; at < end; at += READ_SIZE)
              yield await read(at, Math.min(end, at + READ_SIZE));
        },
      };
    },
    verify,
    close: async () => {},
  };
}

/** Browsers read a stream with half the work that slices take. The probe tells why that fails, by reading anew. */
async function* streamed(blob: Blob, probe: () => Promise<unknown>): AsyncGenerator<Uint8Array, undefined> {
  const reader = blob.stream().getReader();
  try {
    for (;;) {
      const { value } = await reader.read().catch(async (error: unknown) => {
        await probe();
        throw unreadable(error);
      });
      if (value === undefined) return;
      yield value;
    }
  } finally {
    abandon(() => reader.cancel());
  }
}

async function readBlob(blob: Blob, start: number, end: number): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await blob.slice(start, end).arrayBuffer());
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    // Browsers give this name to a file that was changed, moved or deleted since it was chosen.
    if (name === "NotReadableError" || name === "NotFoundError")
      throw fileChanged("it was changed, moved or deleted", error);
    throw unreadable(error);
  }
  if (bytes.length !== end - start) throw fileChanged("it is shorter than when it was chosen");
  return bytes;
}

function unreadable(cause: unknown): UploadError {
  const message = "Cannot read the file: reading it failed. Choose it again";
  return new UploadError("source-unreadable", message, { cause });
}

/** Facts that change with a file. `Bun.file()` opens it for each piece and reads what it holds by then. */
export interface FileState {
  size: number;
  /** With fractions, where the file system has them. */
  mtimeMs: number;
  ino: unknown;
  /** Date of the last change of content, name or rights, which no program can set. Not every runtime has it. */
  ctimeMs: unknown;
  nlink: unknown;
  mode: unknown;
  uid: unknown;
  gid: unknown;
}

/** The state of the file behind a Blob; `undefined` for a Blob that has none, or whose runtime watches it itself. */
export async function fileStateOf(blob: Blob): Promise<FileState | undefined> {
  if (!("stat" in blob) || typeof blob.stat !== "function") return undefined;
  let found: unknown;
  try {
    found = await blob.stat();
  } catch (error) {
    // A file that never was there is an empty Blob.
    if (blob.size === 0) return undefined;
    throw fileChanged("it was changed, moved or deleted", error);
  }
  // A pipe stores no content.
  if (!isObject(found) || typeof found.isFile !== "function" || !found.isFile()) return undefined;
  const { size, mtimeMs, ino, ctimeMs, nlink, mode, uid, gid } = found;
  if (typeof size !== "number" || typeof mtimeMs !== "number") return undefined;
  return { size, mtimeMs, ino, ctimeMs, nlink, mode, uid, gid };
}

export function isSameState(one: FileState, other: FileState | undefined): boolean {
  if (one.size !== other?.size || one.mtimeMs !== other.mtimeMs || one.ino !== other.ino) return false;
  if (one.ctimeMs === other.ctimeMs || one.nlink !== other.nlink) return true;
  // Another link to a file changes its ctime, and so do its deletion while it is open, and other rights or another owner.
  return one.mode !== other.mode || one.uid !== other.uid || one.gid !== other.gid;
}

function fileChanged(state: string, cause?: unknown): UploadError {
  return new UploadError("source-changed", `Cannot read the file: ${state}. Choose it again`, { cause });
}

/** Bytes of a sample of what was sent: some browsers read on in a file that was overwritten, without an error. */
const SAMPLE = 1024;
/** Least bytes from one sample to the next: each takes half a millisecond in Chromium. */
const STEP = PART_SIZE / 2;
/** Most samples of a request, and most requests whose samples are kept. */
const MOST = 64;

/** @param read gives the bytes of a Blob, or rejects where there are fewer by now */
function sampleBlob(
  blob: Blob,
  read: (samples: Blob) => Promise<Uint8Array>,
): {
  /** Keeps what was read before anything is sent; of one place the first time. */
  keep(start: number, end: number, bytes: Uint8Array): void;
  take(start: number, end: number): Promise<void>;
  areSame(): Promise<boolean>;
} {
  const kept = new Map<number, { ranges: [number, number][]; bytes: Uint8Array }>();
  let taken: { ranges: [number, number][]; bytes: Uint8Array }[] = [];
  // Read as one Blob, since each read of a file asks another process in a browser.
  const readAll = (ranges: [number, number][]) => read(new Blob(ranges.map((range) => blob.slice(...range))));
  return {
    keep(start, end, bytes) {
      if (!kept.has(start)) kept.set(start, { ranges: [[start, end]], bytes });
    },
    async take(start, end) {
      const ranges: [number, number][] = [[Math.max(start, end - SAMPLE), end]];
      const step = Math.max(STEP, (end - start) / MOST);
      for (let at = start; at < end; at += step)
        ranges.push([Math.floor(at), Math.min(end, Math.floor(at) + SAMPLE)]);
      if (taken.length === MOST) taken = taken.filter((_, index) => index % 2 === 0);
      taken.push({ ranges, bytes: await readAll(ranges) });
    },
    async areSame() {
      const all = [...kept.values(), ...taken];
      const now = await readAll(all.flatMap(({ ranges }) => ranges));
      let at = 0;
      return all.every(({ bytes }) => bytes.every((byte) => byte === now[at++]));
    },
  };
}
