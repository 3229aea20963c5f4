/**
 * A video whose server gives any range of it: read where and when it is wanted.
 *
 * @module
 */

import { download } from "./download.ts";
import { DownloadRetry } from "./download-retry.ts";
import { PART_SIZE } from "./parts.ts";
import type { ReadableSource, Slice } from "./source.ts";
import { changed, endedBy, requestUrl, type UrlFacts, type UrlFetch, versionOf } from "./url-request.ts";
import { StreamWindow } from "./window.ts";

type RangeFacts = UrlFacts & { size: number };

/** A slice that is fetched when it is read. */
export function rangeSlice(url: URL, how: UrlFetch, facts: RangeFacts, start: number, end: number): Slice {
  const stop = Math.min(end, facts.size);
  return {
    size: stop - start,
    last: stop === facts.size,
    pieces: (copied) => rangePieces(url, how, facts, start, stop, copied),
  };
}

/** Slices of a window that moves on through the video, from wherever it is wanted. */
export function rangesAhead(
  url: URL,
  how: UrlFetch,
  facts: RangeFacts,
): Pick<ReadableSource, "slice" | "close"> {
  let window: StreamWindow | undefined;
  return {
    async slice(start, end) {
      if (!window?.reaches(start)) {
        await window?.cancel();
        window = new StreamWindow(new Ranges(url, how, facts, start), undefined, start);
      }
      return await window.read(start, end);
    },
    close: async () => await window?.cancel(),
  };
}

/** The rest of a video in ranges of a part, so that no more is fetched than there is room for. */
class Ranges {
  readonly #open: (start: number) => AsyncGenerator<Uint8Array, undefined>;
  readonly #stopper = new AbortController();
  readonly #size: number;
  #pieces: AsyncGenerator<Uint8Array, undefined> | undefined;
  #at: number;

  constructor(url: URL, how: UrlFetch, facts: RangeFacts, start: number) {
    const stoppable = endedBy(this.#stopper.signal, how);
    this.#open = (at) => rangePieces(url, stoppable, facts, at, Math.min(facts.size, at + PART_SIZE), true);
    this.#size = facts.size;
    this.#at = start;
  }

  async read(): Promise<{ value?: Uint8Array; done: boolean }> {
    while (this.#at < this.#size) {
      this.#pieces ??= this.#open(this.#at);
      const { value } = await this.#pieces.next().catch((error: unknown) => {
        this.#pieces = undefined;
        throw error;
      });
      if (value === undefined) this.#pieces = undefined;
      else {
        this.#at += value.length;
        return { value, done: false };
      }
    }
    return { done: true };
  }

  async cancel(): Promise<void> {
    this.#stopper.abort();
    await this.#pieces?.return(undefined).catch(() => {});
  }
}

/** Reads a range, and goes on at its own place when the download is cut. */
async function* rangePieces(
  url: URL,
  how: UrlFetch,
  facts: RangeFacts,
  start: number,
  end: number,
  copied?: boolean,
): AsyncGenerator<Uint8Array, undefined> {
  const retry = new DownloadRetry();
  let at = start;
  while (at < end) {
    let cut: unknown;
    try {
      const open = (watched: UrlFetch) => openRange(url, watched, facts, at, end);
      for await (const piece of download(how, open, copied)) {
        yield piece.subarray(0, end - at);
        at += piece.length;
        retry.moved();
        if (at >= end) return;
      }
    } catch (error) {
      cut = error;
    }
    await retry.after(cut, url, at, how.signal);
  }
}

async function openRange(
  url: URL,
  how: UrlFetch,
  { size, version }: RangeFacts,
  start: number,
  end: number,
): Promise<ReadableStream<Uint8Array>> {
  const response = await requestUrl(url, how, {
    range: `bytes=${start}-${end - 1}`,
    ...(version !== undefined && { "if-range": version }),
  });
  const found = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get("content-range") ?? "");
  const fits =
    response.status === 206 &&
    Number(found?.[1]) === start &&
    (found?.[2] === "*" || Number(found?.[2]) === size);
  const now = versionOf(response.headers);
  if (fits && response.body !== null && (version === undefined || now === undefined || now === version))
    return response.body;
  await response.body?.cancel().catch(() => {});
  throw changed(url);
}
