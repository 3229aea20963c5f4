/** A range of a video, from wherever it is read. */

import { download } from "./download.ts";
import { DownloadRetry, type Place } from "./download-retry.ts";
import type { UrlFetch } from "./url-request.ts";

/** A range that can be opened again at any place in it. */
export interface OpenableRange {
  start: number;
  end: number;
  /** Opens what is left of it. */
  open(at: number): Promise<ReadableStream<Uint8Array>>;
  /** Where it is, as messages name it. */
  place: Place;
  /** True if a piece may be overwritten by the next. */
  copied?: boolean | undefined;
}

/** Reads a range, and goes on at its own place when the download is cut. */
export async function* resumedRange(
  { start, end, open, place, copied }: OpenableRange,
  how: Partial<UrlFetch>,
): AsyncGenerator<Uint8Array, undefined> {
  const retry = new DownloadRetry();
  let at = start;
  while (at < end) {
    let cut: unknown;
    try {
      for await (const piece of download(how, () => open(at), copied)) {
        yield piece.subarray(0, end - at);
        at += piece.length;
        retry.moved(piece.length);
        if (at >= end) return;
      }
    } catch (error) {
      cut = error;
    }
    await retry.after(cut, place, at, how.signal);
  }
}
