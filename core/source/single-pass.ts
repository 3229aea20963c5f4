/**
 * A video whose server gives it only whole: read in one pass, and again from the start where that pass broke off or
 * ended with its process. Short digests of its parts tell that it is the same content.
 */
import { abandon } from "../abort.ts";
import { kindOfBytes, mayBeText, otherKindError, SNIFF_SIZE } from "./answer-kind.ts";
import { brokenOff, DownloadRetry, download } from "./download.ts";
import { PartDigests } from "./part-digests.ts";
import type { ReadableSource } from "./source.ts";
import {
  changed,
  dropBody,
  endedBy,
  lengthOf,
  requestUrl,
  type UrlFacts,
  type UrlFetch,
} from "./url-request.ts";
import { isOtherVersion, versionOf } from "./version.ts";
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

  function rewind(): void {
    window.cancel();
    window = windowOf();
  }

  async function isEmpty(): Promise<boolean> {
    try {
      const beginning = await window.first(mayBeText, SNIFF_SIZE);
      const other = how.anyType ? undefined : kindOfBytes(beginning);
      if (other !== undefined) throw otherKindError(other, url.origin);
      return beginning.length === 0;
    } catch (error) {
      window.cancel();
      throw error;
    }
  }

  return {
    name,
    type,
    size: (await isEmpty()) ? 0 : size,
    rereadable: false,
    async slice(start, end) {
      untouched = false;
      if (start < window.start) rewind();
      return await window.read(start, end);
    },
    whole: async () => ({
      size: size ?? 0,
      last: true,
      async *pieces(copied): AsyncGenerator<Uint8Array, undefined> {
        if (!untouched) rewind();
        untouched = false;
        for await (const piece of window.pieces()) yield copied ? piece : piece.slice();
      },
    }),
    parts: () => known,
    expect(parts) {
      if (known.some((part, at) => parts[at] !== undefined && parts[at] !== part)) throw changed(url);
      known.push(...parts.slice(known.length));
    },
    close: async () => window.cancel(),
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
        this.#retry.moved(value.length);
        return { value, done: false };
      } catch (error) {
        const broken = this.#pieces;
        this.#pieces = undefined;
        abandon(() => broken?.return(undefined));
        await this.#retry.after(error, this.#url, this.#parts.end, this.#how.signal);
      }
    }
  }

  cancel(): void {
    this.#stopper.abort();
    abandon(() => this.#pieces?.return(undefined));
    abandon(() => this.#first?.cancel());
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#pieces === undefined) {
      this.#pieces = download(this.#how, () => this.#body(), true);
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

  async #body(): Promise<ReadableStream<Uint8Array>> {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined) return first;
    const response = await requestUrl(this.#url, this.#how);
    const { status, body, headers } = response;
    const { size, version } = this.#facts;
    const length = lengthOf(headers);
    const fits = status === 200 && (size === undefined || length === undefined || length === size);
    // An answer without a version is compared by its bytes.
    if (fits && body !== null && !isOtherVersion(version, versionOf(headers))) return body;
    dropBody(response);
    throw changed(this.#url);
  }
}
