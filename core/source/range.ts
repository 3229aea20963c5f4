/** A video whose server gives any range of it: read where and when it is wanted. */
import { abandon } from "../abort.ts";
import { resumedRange } from "./download.ts";
import { PART_SIZE } from "./parts.ts";
import type { ReadableSource, Slice } from "./source.ts";
import {
  changed,
  dropBody,
  endedBy,
  isPacked,
  requestUrl,
  type UrlFacts,
  type UrlFetch,
} from "./url-request.ts";
import { conditionOf, isSameVersion, versionOf } from "./version.ts";
import { type Reader, StreamWindow } from "./window.ts";

type RangeFacts = UrlFacts & { size: number };

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
        window?.cancel();
        window = new StreamWindow(partsFrom(start, url, how, facts), undefined, start);
      }
      return await window.read(start, end);
    },
    close: async () => window?.cancel(),
  };
}

/** Reads the rest of a video in ranges of a part, so that no more is fetched than there is room for. */
function partsFrom(start: number, url: URL, how: UrlFetch, facts: RangeFacts): Reader {
  const stopper = new AbortController();
  const stoppable = endedBy(stopper.signal, how);
  let at = start;
  let pieces: AsyncGenerator<Uint8Array, undefined> | undefined;
  return {
    async read() {
      while (at < facts.size) {
        pieces ??= rangePieces(url, stoppable, facts, at, Math.min(facts.size, at + PART_SIZE), true);
        const { value } = await pieces.next().catch((error: unknown) => {
          pieces = undefined;
          throw error;
        });
        if (value === undefined) pieces = undefined;
        else {
          at += value.length;
          return { value, done: false };
        }
      }
      return { done: true };
    },
    cancel() {
      stopper.abort();
      abandon(() => pieces?.return(undefined));
    },
  };
}

function rangePieces(
  url: URL,
  how: UrlFetch,
  facts: RangeFacts,
  start: number,
  end: number,
  copied?: boolean,
): AsyncGenerator<Uint8Array, undefined> {
  const open = (at: number) => openRange(url, how, facts, at, end);
  return resumedRange({ start, end, open, place: url, copied }, how);
}

/**
 * Asks for a range of a version of the video.
 *
 * @throws {UploadError} `source-changed` where the server gives anything else.
 */
async function openRange(
  url: URL,
  how: UrlFetch,
  { size, version }: RangeFacts,
  start: number,
  end: number,
): Promise<ReadableStream<Uint8Array>> {
  const condition = conditionOf(version);
  const response = await requestUrl(url, how, {
    range: `bytes=${start}-${end - 1}`,
    ...(condition !== undefined && { "if-range": condition }),
  });
  const { status, body, headers } = response;
  const found = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get("content-range") ?? "");
  const fits =
    status === 206 && Number(found?.[1]) === start && (found?.[2] === "*" || Number(found?.[2]) === size);
  if (fits && body !== null && !isPacked(headers) && isSameVersion(version, versionOf(headers))) return body;
  dropBody(response);
  throw changed(url);
}
