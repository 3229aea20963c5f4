/** Files whose bytes are stretches of one tape: they take no memory of their own, and each byte stands for its place. */
import { createCipheriv, createHash } from "node:crypto";

const MiB = 2 ** 20;
const TAPE = 96 * MiB;
/** Bytes between the beginnings of two contents. */
const STEP = 50_000_017;
const noise = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16));
const tape = new Uint8Array(noise.update(new Uint8Array(TAPE)));

export class Content {
  readonly size: number;
  readonly #first: number;

  constructor(number: number, size: number) {
    this.size = size;
    this.#first = (number * STEP) % (TAPE - size);
  }

  read(start: number, end: number): Uint8Array<ArrayBuffer> {
    return tape.subarray(this.#first + start, this.#first + end);
  }

  holds(bytes: Uint8Array, start: number): boolean {
    return Buffer.compare(bytes, this.read(start, Math.min(this.size, start + bytes.length))) === 0;
  }

  hash(): string {
    return createHash("sha256").update(this.read(0, this.size)).digest("hex");
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

/** In place of Node's own, which reads in a thread and so in a time of its own. */
export class SimulatedBlob {
  readonly size: number;
  readonly type: string = "video/mp4";
  readonly #read: (start: number, end: number) => Uint8Array<ArrayBuffer>;

  constructor(
    parts: (SimulatedBlob | Uint8Array)[],
    read?: (start: number, end: number) => Uint8Array<ArrayBuffer>,
    size = 0,
  ) {
    this.size = read
      ? size
      : parts.reduce((sum, part) => sum + ("size" in part ? part.size : part.length), 0);
    const whole = () => parts.map((part) => ("size" in part ? part.bytes(0, part.size) : part));
    this.#read = read ?? ((start, end) => new Uint8Array(Buffer.concat(whole())).subarray(start, end));
  }

  slice(start = 0, most: number = this.size): SimulatedBlob {
    const end = Math.max(start, Math.min(most, this.size));
    return new SimulatedBlob([], (from, to) => this.#read(start + from, start + to), end - start);
  }

  /** The reader makes a copy. */
  async arrayBuffer(): Promise<Uint8Array> {
    return this.bytes(0, this.size);
  }

  bytes(start: number, end: number): Uint8Array<ArrayBuffer> {
    return this.#read(start, end);
  }
}

export class SimulatedFile extends SimulatedBlob {
  readonly name: string;
  readonly lastModified: number;

  constructor(file: StoredFile) {
    const { content, date, name } = file;
    const read = (start: number, end: number) => {
      if (file.content === content || !file.tells) return file.content.read(start, end);
      throw new DOMException("the file could not be read", "NotReadableError");
    };
    super([], read, content.size);
    this.name = name;
    this.lastModified = date;
  }
}
