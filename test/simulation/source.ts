/** Files whose bytes are pages of one tape, so that they take no memory of their own and each byte knows its place. */
import { createCipheriv, createHash } from "node:crypto";

export const PAGE: number = 1024 * 1024;
const PAGES = 64;

/** Bytes that stand nowhere twice. */
const noise = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16));
const tape = Array.from({ length: PAGES }, () => new Uint8Array(noise.update(new Uint8Array(PAGE))));

/** A content: it begins at a page of the tape, by its number. */
export class Content {
  readonly size: number;
  readonly #first: number;
  #hash: string | undefined;

  constructor(number: number, size: number) {
    this.size = size;
    this.#first = (number * 7) % (PAGES - Math.ceil(size / PAGE));
  }

  /** Bytes of it, without a copy where they are a page. */
  read(start: number, end: number): Uint8Array<ArrayBuffer> {
    const page = this.#page(start);
    if (start % PAGE === 0 && end - start === PAGE) return page;
    const bytes = new Uint8Array(end - start);
    for (let at = start; at < end; ) {
      const next = Math.min(end, at - (at % PAGE) + PAGE);
      bytes.set(this.#page(at).subarray(at % PAGE, (at % PAGE) + next - at), at - start);
      at = next;
    }
    return bytes;
  }

  holds(bytes: Uint8Array, start: number): boolean {
    if (start + bytes.length > this.size) return false;
    for (let at = 0; at < bytes.length; ) {
      const place = start + at;
      const length = Math.min(bytes.length - at, PAGE - (place % PAGE));
      const page = this.#page(place);
      const same = page.buffer === bytes.buffer && bytes.byteOffset + at === place % PAGE;
      if (
        !same &&
        Buffer.compare(bytes.subarray(at, at + length), page.subarray(place % PAGE, (place % PAGE) + length))
      )
        return false;
      at += length;
    }
    return true;
  }

  hash(): string {
    if (this.#hash === undefined) {
      const hash = createHash("sha256");
      for (let at = 0; at < this.size; at += PAGE) hash.update(this.read(at, Math.min(this.size, at + PAGE)));
      this.#hash = hash.digest("hex");
    }
    return this.#hash;
  }

  #page(at: number): Uint8Array<ArrayBuffer> {
    return tape[this.#first + Math.floor(at / PAGE)] as Uint8Array<ArrayBuffer>;
  }
}

/** A file on a disk, whose content may change. */
export interface StoredFile {
  name: string;
  content: Content;
  date: number;
  /** True if whoever reads it after a change is told so, as in Node and Chromium; Firefox gives the new bytes. */
  tells: boolean;
}

type Piece = SimulatedBlob | Uint8Array;

export class SimulatedBlob {
  readonly size: number;
  readonly type: string;
  readonly #read: (start: number, end: number) => Uint8Array<ArrayBuffer>;

  constructor(
    given: Piece[] | ((start: number, end: number) => Uint8Array<ArrayBuffer>),
    { type = "", size = 0 } = {},
  ) {
    this.type = type;
    this.size = typeof given === "function" ? size : given.reduce((sum, piece) => sum + sizeOf(piece), 0);
    this.#read = typeof given === "function" ? given : (start, end) => joined(given, start, end);
  }

  slice(start = 0, end: number = this.size): SimulatedBlob {
    const stop = Math.min(end, this.size);
    return new SimulatedBlob((from, to) => this.#read(start + from, start + to), {
      size: Math.max(0, stop - start),
    });
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const bytes = this.readNow(0, this.size);
    return bytes.length === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
  }

  readNow(start: number, end: number): Uint8Array<ArrayBuffer> {
    return start === end ? new Uint8Array() : this.#read(start, end);
  }
}

export class SimulatedFile extends SimulatedBlob {
  readonly name: string;
  readonly lastModified: number;

  constructor(file: StoredFile) {
    const { content, date } = file;
    const read = (start: number, end: number) => {
      if (file.content !== content && file.tells)
        throw new DOMException("the file could not be read", "NotReadableError");
      return file.content.read(start, end);
    };
    super(read, { type: "video/mp4", size: content.size });
    this.name = file.name;
    this.lastModified = date;
  }
}

function sizeOf(piece: Piece): number {
  return piece instanceof SimulatedBlob ? piece.size : piece.length;
}

function joined(pieces: Piece[], start: number, end: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(end - start);
  let at = 0;
  for (const piece of pieces) {
    const size = sizeOf(piece);
    const [from, to] = [Math.max(start - at, 0), Math.min(end - at, size)];
    if (from < to)
      bytes.set(
        piece instanceof SimulatedBlob ? piece.readNow(from, to) : piece.subarray(from, to),
        at + from - start,
      );
    at += size;
  }
  return bytes;
}
