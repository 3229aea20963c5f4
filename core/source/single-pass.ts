/** A video that its server gives only whole: read again from the start where a pass ended, and compared by digests. */
import { sha256 } from "../content/digest.ts";
import { kindOfBytes, mayBeText, otherKindError, SNIFF_SIZE } from "./answer-kind.ts";
import { brokenOff, DownloadRetry, download, type Pieces, resumingReader } from "./download.ts";
import { PART_SIZE } from "./parts.ts";
import type { ReadableSource } from "./source.ts";
import { changed, lengthOf, refuseAnswer, requestUrl, type UrlFacts, type UrlFetch } from "./url-request.ts";
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
  const open = (body?: ReadableStream<Uint8Array>) =>
    new StreamWindow(passOf(url, how, facts, known, body), size);
  let window = open(first);
  let untouched = true;

  const rewind = () => {
    window.cancel();
    window = open();
  };

  let beginning: Uint8Array;
  try {
    beginning = await window.first(mayBeText, SNIFF_SIZE);
    const other = how.anyType ? undefined : kindOfBytes(beginning);
    if (other !== undefined) throw otherKindError(other, url.origin);
  } catch (error) {
    window.cancel();
    throw error;
  }

  return {
    name,
    type,
    size: beginning.length === 0 ? 0 : size,
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
  how: UrlFetch,
  { size, version }: UrlFacts,
  known: string[],
  first: ReadableStream<Uint8Array> | undefined,
): Reader {
  const retry = new DownloadRetry();
  let unread = first;
  let parts = new PartDigests(url, known);

  /** One download. Up to where the former one broke off, its bytes are only compared. */
  async function* downloadOnce(own: UrlFetch): Pieces {
    const former = parts;
    const again = new PartDigests(url, known);
    for await (const piece of download(own, () => openBody(own), true)) {
      const compared = Math.max(0, former.end - again.end);
      await again.take(piece.subarray(0, compared));
      if (again.end < former.end) continue;
      if (parts === former) await again.compare(former);
      parts = again;
      const beyond = piece.subarray(compared);
      await parts.take(beyond);
      retry.moved(beyond.length);
      yield beyond;
    }
    if (again.end < (size ?? former.end)) throw brokenOff(url, again.end);
    await parts.finish();
  }

  async function openBody(own: UrlFetch): Promise<ReadableStream<Uint8Array>> {
    const opened = unread;
    unread = undefined;
    if (opened !== undefined) return opened;
    const response = await requestUrl(url, own);
    const { status, body, headers } = response;
    const length = lengthOf(headers);
    const fits = status === 200 && (size === undefined || length === undefined || length === size);
    // An answer without a version is compared by its bytes.
    if (fits && body !== null && !isOtherVersion(version, versionOf(headers))) return body;
    return refuseAnswer(response, changed(url));
  }

  return resumingReader(how, async function* pass(own): Pieces {
    for (;;) {
      try {
        return yield* downloadOnce(own);
      } catch (error) {
        await retry.after(error, url, parts.end, own.signal);
      }
    }
  });
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
  /** Bytes of the open part that are in the buffer, behind the digest of those before them. */
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
