/**
 * A video whose server gives it only whole: read in one pass, and again from the start where that pass broke off or
 * ended with its process. Short digests of its parts tell that it is the same content.
 *
 * @module
 */

import { sha256 } from "../digest.ts";
import { PART_SIZE } from "../transfer/parts.ts";
import {
  brokenOff,
  changed,
  download,
  endedBy,
  get,
  lengthOf,
  Patience,
  type UrlFacts,
  type UrlFetch,
  versionOf,
} from "./download.ts";
import type { Source } from "./source.ts";
import { StreamWindow } from "./window.ts";

/** Makes a source of an answer that holds the whole video; the first pass reads that one. */
export async function passSource(
  url: URL,
  how: UrlFetch,
  facts: UrlFacts,
  first: ReadableStream<Uint8Array>,
): Promise<Omit<Source, "identity">> {
  const { name, type, size } = facts;
  const known: string[] = [];
  let window = windowOf(first);
  let untouched = true;

  function windowOf(body?: ReadableStream<Uint8Array>): StreamWindow {
    return new StreamWindow(new Pass(url, how, facts, known, body), size);
  }

  async function rewind(): Promise<void> {
    await window.cancel();
    window = windowOf();
  }

  return {
    name,
    type,
    size: (await window.isEmpty()) ? 0 : size,
    rereadable: false,
    async slice(start, end) {
      untouched = false;
      if (window.isPast(start)) await rewind();
      return await window.read(start, end);
    },
    whole: async () => ({
      size: size ?? 0,
      last: true,
      async *pieces(copied): AsyncGenerator<Uint8Array, undefined> {
        if (!untouched) await rewind();
        untouched = false;
        for await (const piece of window.pieces()) yield copied ? piece : piece.slice();
      },
    }),
    parts: () => known,
    expect(parts) {
      if (known.some((part, at) => parts[at] !== undefined && parts[at] !== part)) throw changed(url);
      known.push(...parts.slice(known.length));
    },
    close: () => window.cancel(),
  };
}

/** One reading from the first byte to the last, over as many downloads as it takes. */
class Pass {
  readonly #url: URL;
  readonly #how: UrlFetch;
  readonly #facts: UrlFacts;
  readonly #known: string[];
  readonly #patience = new Patience();
  readonly #stopper = new AbortController();
  #first: ReadableStream<Uint8Array> | undefined;
  #pieces: AsyncGenerator<Uint8Array, undefined> | undefined;
  #ahead: Uint8Array | undefined;
  #parts: Parts;

  constructor(url: URL, how: UrlFetch, facts: UrlFacts, known: string[], first?: ReadableStream<Uint8Array>) {
    this.#url = url;
    this.#how = endedBy(this.#stopper.signal, how);
    this.#facts = facts;
    this.#known = known;
    this.#first = first;
    this.#parts = new Parts(url, known);
  }

  async read(): Promise<{ value?: Uint8Array; done: boolean }> {
    for (;;) {
      try {
        const value = await this.#next();
        if (value === undefined) {
          await this.#parts.finish();
          return { done: true };
        }
        await this.#parts.take(value);
        this.#patience.moved();
        return { value, done: false };
      } catch (error) {
        await this.#pieces?.return(undefined);
        this.#pieces = undefined;
        await this.#patience.after(error, this.#url, this.#parts.end, this.#how.signal);
      }
    }
  }

  async cancel(): Promise<void> {
    this.#stopper.abort();
    await this.#pieces?.return(undefined).catch(() => {});
    await this.#first?.cancel();
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#pieces === undefined) {
      this.#pieces = download(this.#how, (watched) => this.#body(watched), true);
      this.#ahead = await this.#catchUp(this.#pieces);
    }
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead !== undefined) return ahead;
    const { value } = await this.#pieces.next();
    const { size } = this.#facts;
    if (value === undefined && size !== undefined && this.#parts.end < size)
      throw brokenOff(this.#url, this.#parts.end);
    return value;
  }

  /** Reads up to where the former download broke off, comparing what comes; returns what came beyond it. */
  async #catchUp(pieces: AsyncGenerator<Uint8Array, undefined>): Promise<Uint8Array | undefined> {
    const former = this.#parts;
    const parts = new Parts(this.#url, this.#known);
    let beyond: Uint8Array | undefined;
    while (parts.end < former.end) {
      const { value } = await pieces.next();
      if (value === undefined) throw brokenOff(this.#url, parts.end);
      const missing = former.end - parts.end;
      await parts.take(value.subarray(0, missing));
      if (value.length > missing) beyond = value.subarray(missing);
    }
    await parts.compare(former);
    this.#parts = parts;
    return beyond;
  }

  async #body(how: UrlFetch): Promise<ReadableStream<Uint8Array>> {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined) return first;
    const response = await get(this.#url, how);
    const { size, version } = this.#facts;
    const same = lengthOf(response.headers) === size && versionOf(response.headers) === version;
    if (response.status === 200 && same && response.body !== null) return response.body;
    await response.body?.cancel().catch(() => {});
    throw changed(this.#url);
  }
}

/** Bytes that are hashed at a time: runtimes copy them for it. */
const BLOCK = 1024 * 1024;
/** Characters of a digest. */
const DIGEST = 64;

/**
 * The parts of a pass: each that is complete is remembered, or compared with what is remembered of it. No part is
 * held: a block of it is hashed together with the digest of what came before in the part.
 */
class Parts {
  readonly #url: URL;
  readonly #known: string[];
  readonly #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(DIGEST + BLOCK);
  #complete = 0;
  /** Bytes of the part that isn't complete. */
  #size = 0;
  /** Those of them that are in the buffer, behind the digest of the others. */
  #held = 0;

  constructor(url: URL, known: string[]) {
    this.#url = url;
    this.#known = known;
  }

  get end(): number {
    return this.#complete * PART_SIZE + this.#size;
  }

  async take(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length; ) {
      const taken = piece.subarray(at, at + BLOCK - this.#held);
      this.#buffer.set(taken, DIGEST + this.#held);
      this.#held += taken.length;
      this.#size += taken.length;
      at += taken.length;
      if (this.#size === PART_SIZE) await this.#close();
      else if (this.#held === BLOCK) {
        new TextEncoder().encodeInto(await this.#digest(), this.#buffer);
        this.#held = 0;
      }
    }
  }

  /** The last part may be a short one. */
  async finish(): Promise<void> {
    if (this.#size > 0) await this.#close();
  }

  /** Throws where another pass that got just as far held other bytes. */
  async compare(other: Parts): Promise<void> {
    if ((await this.#digest()) !== (await other.#digest())) throw changed(this.#url);
  }

  /** Short, since it stands in a journal once for every part, and guards against chance alone. */
  async #close(): Promise<void> {
    const found = (await this.#digest()).slice(0, 16);
    this.#known[this.#complete] ??= found;
    if (this.#known[this.#complete] !== found) throw changed(this.#url);
    this.#complete++;
    this.#size = 0;
    this.#held = 0;
    this.#buffer.fill(0, 0, DIGEST);
  }

  #digest(): Promise<string> {
    return sha256(this.#buffer.subarray(0, DIGEST + this.#held));
  }
}
