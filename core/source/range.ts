/**
 * A video whose server gives any range of it: read where and when it is wanted.
 *
 * @module
 */

import { changed, download, get, Patience, type UrlFacts, type UrlFetch, versionOf } from "./download.ts";
import type { Slice } from "./source.ts";

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

/** Reads a range, and goes on at its own place when the download is cut. */
async function* rangePieces(
  url: URL,
  how: UrlFetch,
  facts: RangeFacts,
  start: number,
  end: number,
  copied?: boolean,
): AsyncGenerator<Uint8Array, undefined> {
  const patience = new Patience();
  let at = start;
  while (at < end) {
    let cut: unknown;
    try {
      const open = (watched: UrlFetch) => openRange(url, watched, facts, at, end);
      for await (const piece of download(how, open, copied)) {
        yield piece.subarray(0, end - at);
        at += piece.length;
        patience.moved();
        if (at >= end) return;
      }
    } catch (error) {
      cut = error;
    }
    await patience.after(cut, url, at, how.signal);
  }
}

async function openRange(
  url: URL,
  how: UrlFetch,
  { size, version }: RangeFacts,
  start: number,
  end: number,
): Promise<ReadableStream<Uint8Array>> {
  const response = await get(url, how, {
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
