/** A video whose server gives any range of it: read where and when it is wanted. */
import { type Pieces, resumedRange, resumingReader } from "./download.ts";
import { PART_SIZE } from "./parts.ts";
import type { Slices } from "./source.ts";
import { changed, isPacked, refuseAnswer, requestUrl, type UrlFacts, type UrlFetch } from "./url-request.ts";
import { conditionOf, isSameVersion, versionOf } from "./version.ts";
import { type Reader, StreamWindow } from "./window.ts";

type RangeFacts = UrlFacts & { size: number };

interface Reading extends Reader<Uint8Array> {
  at: number;
  copied: boolean;
  /** The piece that comes next, where it was asked for before it is wanted. */
  ahead?: ReturnType<Reader<Uint8Array>["read"]> | undefined;
}

/** Slices that are read from anywhere; one that begins where another was read to its end goes on with its download. */
export function rangeSlices(url: URL, how: UrlFetch, facts: RangeFacts): Slices {
  const { size } = facts;
  /** The download that nobody reads from for now. */
  let kept: Reading | undefined;

  function keep(reading?: Reading): void {
    kept?.cancel();
    kept = reading;
  }

  function open(at: number, copied: boolean): Reading {
    return { at, copied, ...resumingReader(how, (own) => rangePieces(url, own, facts, at, size, copied)) };
  }

  async function* piecesOf(start: number, end: number, copied: boolean): Pieces {
    const reading = kept?.at === start && kept.copied === copied ? kept : open(start, copied);
    if (reading === kept) kept = undefined;
    else keep();
    try {
      while (reading.at < end) {
        const { value } = await (reading.ahead ?? reading.read());
        if (value === undefined) return;
        const wanted = end - reading.at;
        const rest = value.subarray(wanted);
        reading.ahead = rest.length > 0 ? Promise.resolve({ value: rest, done: false }) : undefined;
        reading.at += value.length - rest.length;
        yield value.subarray(0, wanted);
      }
      if (end < size) keep(reading);
    } finally {
      if (kept !== reading) reading.cancel();
    }
  }

  return {
    begin(start) {
      const reading = open(start, false);
      reading.ahead = reading.read();
      // A failure is reported once these bytes are wanted.
      reading.ahead.catch(() => {});
      keep(reading);
    },
    async slice(start, end) {
      const stop = Math.min(end, size);
      const pieces = (copied = false) => piecesOf(start, stop, copied);
      return { size: stop - start, last: stop === size, pieces };
    },
    close: async () => keep(),
  };
}

/** Slices of a window that moves on through the video, from wherever it is wanted. */
export function rangesAhead(url: URL, how: UrlFetch, facts: RangeFacts): Slices {
  let window: StreamWindow | undefined;

  /** The rest of the video in ranges of a part, so that no more is fetched than there is room for. */
  function readerFrom(start: number): Reader {
    let at = start;
    return resumingReader(how, async function* parts(own): Pieces {
      while (at < facts.size) {
        const end = Math.min(facts.size, at + PART_SIZE);
        for await (const piece of rangePieces(url, own, facts, at, end, true)) {
          at += piece.length;
          yield piece;
        }
      }
    });
  }

  function windowAt(start: number): StreamWindow {
    if (window?.reaches(start)) return window;
    window?.cancel();
    window = new StreamWindow(readerFrom(start), undefined, start);
    return window;
  }

  return {
    begin: (start) => windowAt(start).begin(start),
    slice: async (start, end) => await windowAt(start).read(start, end),
    close: async () => window?.cancel(),
  };
}

export function rangePieces(
  url: URL,
  how: UrlFetch,
  facts: RangeFacts,
  start: number,
  end: number,
  copied?: boolean,
): Pieces {
  const open = (at: number) => openRange(url, how, facts, at, end);
  return resumedRange({ start, end, open, place: url, copied }, how);
}

/** @throws {UploadError} `source-changed` where the server gives anything else. */
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
  return refuseAnswer(response, changed(url));
}
