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

type Bytes = Uint8Array<ArrayBuffer>;

/** In place of Node's own, which reads in a thread and so in a time of its own. */
export class SimulatedBlob {
  readonly type: string = "video/mp4";
  readonly size: number;
  readonly bytes: (start: number, end: number) => Bytes;

  constructor(parts: (SimulatedBlob | Uint8Array)[]) {
    const blobs = parts.map((part) => (part instanceof Uint8Array ? stretch(part.length, () => part) : part));
    this.size = blobs.reduce((sum, { size }) => sum + size, 0);
    this.bytes = (start, end) => {
      const whole = Buffer.concat(blobs.map((blob) => blob.bytes(0, blob.size)));
      return new Uint8Array(whole.buffer, whole.byteOffset + start, end - start);
    };
  }

  slice(start = 0, most: number = this.size): SimulatedBlob {
    const end = Math.max(start, Math.min(most, this.size));
    return stretch(end - start, (from, to) => this.bytes(start + from, start + to));
  }

  async arrayBuffer(): Promise<Bytes> {
    return this.bytes(0, this.size);
  }
}

export class SimulatedFile extends SimulatedBlob {}

function stretch(size: number, bytes: (start: number, end: number) => Uint8Array): SimulatedBlob {
  return Object.assign(new SimulatedBlob([]), { size, bytes });
}

export function fileOf(file: StoredFile): File {
  const { content, date: lastModified, name } = file;
  const bytes = (start: number, end: number) => {
    if (file.content === content || !file.tells) return file.content.read(start, end);
    throw new DOMException("the file could not be read", "NotReadableError");
  };
  const facts = { name, lastModified, size: content.size, bytes };
  return Object.assign(new SimulatedFile([]), facts) as unknown as File;
}

export function streamOf(content: Content): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const end = Math.min(content.size, at + 1_000_003);
      if (at < end) controller.enqueue(content.read(at, end));
      at = end;
      if (at === content.size) controller.close();
    },
  });
}
