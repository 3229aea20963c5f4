/**
 * A video whose server gives it only whole: read in one pass, and again from the start where that pass broke off or
 * ended with its process. Short digests of its parts tell that it is the same content.
 *
 * @module
 */

import { download } from "./download.ts";
import { brokenOff, DownloadRetry } from "./download-retry.ts";
import { PartDigests } from "./part-digests.ts";
import type { ReadableSource } from "./source.ts";
import {
  changed,
  endedBy,
  lengthOf,
  requestUrl,
  type UrlFacts,
  type UrlFetch,
  versionOf,
} from "./url-request.ts";
import { StreamWindow } from "./window.ts";

/** Makes a source of an answer that holds the whole video; the first pass reads that one. */
export async function singlePassSource(
  url: URL,
  how: UrlFetch,
  facts: UrlFacts,
  first: ReadableStream<Uint8Array>,
): Promise<Omit<ReadableSource, "identity">> {
  const { name, type, size } = facts;
  const known: string[] = [];
  let window = windowOf(first);
  let untouched = true;

  function windowOf(body?: ReadableStream<Uint8Array>): StreamWindow {
    return new StreamWindow(new SinglePass(url, how, facts, known, body), size);
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
class SinglePass {
  readonly #url: URL;
  readonly #how: UrlFetch;
  readonly #facts: UrlFacts;
  readonly #known: string[];
  readonly #retry = new DownloadRetry();
  readonly #stopper = new AbortController();
  #first: ReadableStream<Uint8Array> | undefined;
  #pieces: AsyncGenerator<Uint8Array, undefined> | undefined;
  #ahead: Uint8Array | undefined;
  #parts: PartDigests;

  constructor(url: URL, how: UrlFetch, facts: UrlFacts, known: string[], first?: ReadableStream<Uint8Array>) {
    this.#url = url;
    this.#how = endedBy(this.#stopper.signal, how);
    this.#facts = facts;
    this.#known = known;
    this.#first = first;
    this.#parts = new PartDigests(url, known);
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
        this.#retry.moved();
        return { value, done: false };
      } catch (error) {
        await this.#pieces?.return(undefined);
        this.#pieces = undefined;
        await this.#retry.after(error, this.#url, this.#parts.end, this.#how.signal);
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
    const parts = new PartDigests(this.#url, this.#known);
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
    const response = await requestUrl(this.#url, how);
    const { size, version } = this.#facts;
    const same = lengthOf(response.headers) === size && versionOf(response.headers) === version;
    if (response.status === 200 && same && response.body !== null) return response.body;
    await response.body?.cancel().catch(() => {});
    throw changed(this.#url);
  }
}
