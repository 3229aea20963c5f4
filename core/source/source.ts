/** The source of an upload: a name, a type, a size, an identity, and slices of bytes. */
import { digest, sha256 } from "../content/digest.ts";
import { isObject } from "../text/is-object.ts";
import { PART_SIZE } from "./parts.ts";

export interface Slice {
  readonly size: number;
  /** True if the source may end before `size`, which becomes less then: whole parts, known before their last piece comes. */
  readonly isOpen?: boolean;
  /** True if the source ends with this slice. */
  readonly last: boolean;
  /** The bytes of the slice as a Blob, where that costs no reading. */
  readonly blob?: Blob;
  /** The bytes of the slice in one memory, where they are held already; good until another slice is asked for. */
  readonly held?: Uint8Array<ArrayBuffer>;
  /** @param copied true if each piece is copied before the next is asked for, so that all may use the same memory */
  pieces(copied?: boolean): AsyncIterator<Uint8Array, undefined>;
  /** Rejects with `source-changed` if what was sent so far is no longer what it was, where a broken request may come of it. */
  verify?(): Promise<void>;
  /** Where the bytes can be read into memory of the reader's own: fills it from a position within the slice. */
  fill?(target: Uint8Array, position: number): Promise<number>;
}

/** An opened file, as `openFile` gives it: for `upload()`, which alone knows how to read it. */
export interface Source {
  /** File name, or `undefined` where none is known. */
  readonly name: string | undefined;
  /** Media type, or `undefined` where none is known. */
  readonly type: string | undefined;
  /** Bytes, or `undefined` for a stream of unknown length. */
  readonly size: number | undefined;
  /** Gives back what is held; a source that is read again reopens itself. */
  close(): Promise<void>;
}

/** The source of an upload, as `upload()` reads it. */
export interface ReadableSource extends Source {
  /** True if any slice can be read at any time and again; else slices come once and in order. */
  readonly rereadable: boolean;
  /** The origin of the address it is read from, for a video at an address. */
  readonly origin?: string;
  /** True if the server of that address names the version of the content. */
  readonly namesVersion?: boolean;
  /** A digest that is equal for the same content in every runtime, or `undefined` for a stream. */
  identity(): Promise<string | undefined>;
  /** A digest of all bytes, where no date and no version tells contents apart that agree in size and samples. */
  contentDigest?(): Promise<string>;
  /** The bytes from `start` on are wanted next, at most `most` in a request: a source that takes time may begin to read. */
  begin?(start: number, most?: number): void;
  /** The bytes from `start` on, or fewer than up to `end`; if `isOpen`, before it is known that there are so many. */
  slice(start: number, end: number, isOpen?: boolean): Promise<Slice>;
  /** Slices that fetch the next part while one is sent, for transports that can't stream. */
  readAhead?(): Slices;
  /** The whole source as one slice without holding it; only for sources that are read in one pass. */
  whole?(): Promise<Slice>;
  /** Short digests of the parts of 8 MiB that were read so far, for sources that are read from the start each time. */
  parts?(): readonly string[];
  /** @throws {UploadError} `source-changed` where other parts were read already: later ones are compared. */
  expect?(parts: readonly string[]): void;
  /** Rejects with `source-changed` if the content is no longer what it was. */
  verify?(): Promise<void>;
}

/** How slices of a source are read. */
export type Slices = Required<Pick<ReadableSource, "begin" | "slice" | "close">>;

/** Bytes read at a time: smaller pieces cost a third more CPU, larger ones only memory. */
export const READ_SIZE: number = 1024 * 1024;

export function isSource(value: unknown): value is ReadableSource {
  return isObject(value) && ["slice", "identity", "close"].every((name) => typeof value[name] === "function");
}

const SAMPLE = 64 * 1024;

/** The identity of stored content, the same in every runtime: of its size, date (0 where unknown) and three samples. Runtimes disagree about its media type, which stays out. */
export async function contentIdentity(
  size: number,
  lastModified: number,
  read: (start: number, end: number) => Promise<Uint8Array>,
): Promise<string> {
  const middle = Math.max(0, Math.floor(size / 2) - SAMPLE / 2);
  const starts = [0, middle, Math.max(0, size - SAMPLE)];
  // The samples of a short file overlap, and each reading costs more than its bytes.
  const whole = size <= starts.length * SAMPLE ? await read(0, size) : undefined;
  const samples: Uint8Array[] = [];
  for (const start of starts) {
    const end = Math.min(size, start + SAMPLE);
    samples.push(whole?.subarray(start, end) ?? (await read(start, end)));
  }
  return await digest([`${size}`, `${Math.floor(lastModified)}`, ...samples]);
}

/** A digest of all bytes, read by the part: that of the digests of the parts, so that none is held whole. */
export async function contentDigest(
  size: number,
  read: (start: number, end: number) => Promise<Uint8Array>,
): Promise<string> {
  const parts: string[] = [];
  for (let at = 0; at < size; at += PART_SIZE) {
    const part = await read(at, Math.min(size, at + PART_SIZE));
    parts.push(await sha256(part as Uint8Array<ArrayBuffer>));
  }
  return await digest(parts);
}
