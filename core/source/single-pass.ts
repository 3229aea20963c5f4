/** A video that its server gives only whole: read again from the start where a pass ended, and compared by digests. */
import { abandon } from "../abort.ts";
import { sha256 } from "../digest.ts";
import { kindOfBytes, mayBeText, otherKindError, SNIFF_SIZE } from "./answer-kind.ts";
import { brokenOff, DownloadRetry, download } from "./download.ts";
import { PART_SIZE } from "./parts.ts";
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
import { type Reader, StreamWindow } from "./window.ts";

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
    return new StreamWindow(passOf(url, how, facts, known, body), size);
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
    begin: (start) => window.begin(start),
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
function passOf(
  url: URL,
  given: UrlFetch,
  { size, version }: UrlFacts,
  known: string[],
  first: ReadableStream<Uint8Array> | undefined,
): Reader {
  const stopper = new AbortController();
  const how = endedBy(stopper.signal, given);
  const retry = new DownloadRetry();
  let unread = first;
  let pieces: AsyncGenerator<Uint8Array, undefined> | undefined;
  let ahead: Uint8Array | undefined;
  let parts = new PartDigests(url, known);

  async function next(): Promise<Uint8Array | undefined> {
    if (pieces === undefined) {
      pieces = download(how, openBody, true);
      ahead = await catchUp(pieces);
    }
    const value = ahead ?? (await pieces.next()).value;
    ahead = undefined;
    if (value === undefined && size !== undefined && parts.end < size) throw brokenOff(url, parts.end);
    return value;
  }

  /** Reads up to where the former download broke off, comparing what comes; returns what came beyond it. */
  async function catchUp(again: AsyncGenerator<Uint8Array, undefined>): Promise<Uint8Array | undefined> {
    const former = parts;
    const compared = new PartDigests(url, known);
    let beyond: Uint8Array | undefined;
    while (compared.end < former.end) {
      const { value } = await again.next();
      if (value === undefined) throw brokenOff(url, compared.end);
      const missing = former.end - compared.end;
      await compared.take(value.subarray(0, missing));
      if (value.length > missing) beyond = value.subarray(missing);
    }
    await compared.compare(former);
    parts = compared;
    return beyond;
  }

  async function openBody(): Promise<ReadableStream<Uint8Array>> {
    const opened = unread;
    unread = undefined;
    if (opened !== undefined) return opened;
    const response = await requestUrl(url, how);
    const { status, body, headers } = response;
    const length = lengthOf(headers);
    const fits = status === 200 && (size === undefined || length === undefined || length === size);
    // An answer without a version is compared by its bytes.
    if (fits && body !== null && !isOtherVersion(version, versionOf(headers))) return body;
    dropBody(response);
    throw changed(url);
  }

  return {
    async read() {
      for (;;) {
        try {
          const value = await next();
          if (value === undefined) {
            await parts.finish();
            return { done: true };
          }
          await parts.take(value);
          retry.moved(value.length);
          return { value, done: false };
        } catch (error) {
          const broken = pieces;
          pieces = undefined;
          abandon(() => broken?.return(undefined));
          await retry.after(error, url, parts.end, how.signal);
        }
      }
    },
    cancel() {
      stopper.abort();
      abandon(() => pieces?.return(undefined));
      abandon(() => unread?.cancel());
    },
  };
}

/** Bytes that are hashed at a time: runtimes copy them for it. */
const BLOCK_SIZE = 1024 * 1024;
const DIGEST_SIZE = 64;

/** Notes or compares the parts of a pass. None is held: each block is hashed with the digest of what came before. */
export class PartDigests {
  readonly #url: URL;
  readonly #known: string[];
  readonly #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(DIGEST_SIZE + BLOCK_SIZE);
  #complete = 0;
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
      const taken = piece.subarray(at, at + BLOCK_SIZE - this.#held);
      this.#buffer.set(taken, DIGEST_SIZE + this.#held);
      this.#held += taken.length;
      this.#size += taken.length;
      at += taken.length;
      if (this.#size === PART_SIZE) await this.#close();
      else if (this.#held === BLOCK_SIZE) {
        new TextEncoder().encodeInto(await this.#digest(), this.#buffer);
        this.#held = 0;
      }
    }
  }

  /** The last part may be a short one. */
  async finish(): Promise<void> {
    if (this.#size > 0) await this.#close();
  }

  async compare(other: PartDigests): Promise<void> {
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
    this.#buffer.fill(0, 0, DIGEST_SIZE);
  }

  #digest(): Promise<string> {
    return sha256(this.#buffer.subarray(0, DIGEST_SIZE + this.#held));
  }
}
