/**
 * A video at an address: read by Range requests where the server allows it, else in one pass.
 *
 * @module
 */

import { digest } from "../digest.ts";
import { InputError, UploadError } from "../errors.ts";
import { originOf, redact } from "../redaction.ts";
import { connectionReason, type Fetch } from "../request.ts";
import type { Slice, Source } from "./source.ts";
import { streamSource } from "./stream.ts";

/** How a video at an address is fetched. */
export interface UrlFetch {
  fetch: Fetch;
  /** Sent to that address alone. */
  headers?: Record<string, string> | undefined;
  /** For browsers: whether cookies go along. */
  credentials?: "omit" | "same-origin" | "include" | undefined;
  signal?: AbortSignal | undefined;
}

/** A cut download is opened anew at its own place this often without progress. */
const REOPENINGS = 5;
/** Milliseconds without a byte until a download counts as cut. */
const STALL = 30_000;

/** Makes a source of an address, having asked for its first byte. */
export async function urlSource(url: URL, how: UrlFetch): Promise<Source> {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new InputError(
      "invalid-source",
      `Cannot read the video: its address begins with "${url.protocol}", expected https: or http:`,
    );
  }
  // A presigned address refuses HEAD, so one byte is asked for.
  const probe = await get(url, how, { range: "bytes=0-0" });
  const type = probe.headers.get("content-type") ?? undefined;
  const name = nameOf(url, probe.headers.get("content-disposition"));
  const total = /^bytes 0-0\/(\d+)$/.exec(probe.headers.get("content-range") ?? "")?.[1];
  if (probe.status === 206 && total !== undefined) {
    await probe.body?.cancel().catch(() => {});
    return rangeSource(url, how, { name, type, size: Number(total), version: versionOf(probe.headers) });
  }
  if (probe.status === 416)
    throw new InputError("empty-source", `Cannot upload from ${url.origin}: the file there is empty`);
  if (probe.body === null)
    throw new InputError("empty-source", `Cannot upload from ${url.origin}: the answer has no body`);
  const encoded = (probe.headers.get("content-encoding") ?? "identity") !== "identity";
  const length = probe.headers.get("content-length");
  return await streamSource(probe.body, {
    name,
    type,
    // The length of a compressed answer isn't that of the bytes it unpacks to.
    size: encoded || length === null ? undefined : Number(length),
  });
}

interface UrlFacts {
  name: string | undefined;
  type: string | undefined;
  size: number;
  /** Strong ETag or Last-Modified, to notice that the content changed. */
  version: string | undefined;
}

function rangeSource(url: URL, how: UrlFetch, facts: UrlFacts): Source {
  const { name, type, size, version } = facts;
  return {
    name,
    type,
    size,
    rereadable: true,
    // The query often holds a signature that is new each time, and no part of what the video is.
    identity: () => digest([url.origin + url.pathname, `${size}`, version ?? ""]),
    async slice(start, end) {
      const stop = Math.min(end, size);
      const slice: Slice = {
        size: stop - start,
        last: stop === size,
        pieces: () => rangePieces(url, how, facts, start, stop),
      };
      return slice;
    },
    close: async () => {},
  };
}

/** Reads a range, and goes on at its own place when the download is cut. */
async function* rangePieces(
  url: URL,
  how: UrlFetch,
  facts: UrlFacts,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, undefined> {
  let at = start;
  let failures = 0;
  while (at < end) {
    const before = at;
    try {
      for await (const piece of readRange(url, how, facts, at, end)) {
        yield piece.subarray(0, end - at);
        at += piece.length;
        if (at >= end) return;
      }
    } catch (error) {
      how.signal?.throwIfAborted();
      if (error instanceof UploadError && !error.retryable) throw error;
    }
    failures = at > before ? 0 : failures + 1;
    if (failures > REOPENINGS) {
      throw new UploadError(
        "source-unreadable",
        `Cannot read the video: the download from ${url.origin} breaks off at byte ${at}`,
        {
          retryable: true,
        },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** failures * Math.random()));
  }
}

async function* readRange(
  url: URL,
  how: UrlFetch,
  facts: UrlFacts,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  const { version, size } = facts;
  const stall = new AbortController();
  const watched = { ...how, signal: how.signal ? AbortSignal.any([how.signal, stall.signal]) : stall.signal };
  let alarm: ReturnType<typeof setTimeout> | undefined;
  const watch = () => {
    clearTimeout(alarm);
    alarm = setTimeout(() => stall.abort(), STALL);
  };
  try {
    watch();
    const response = await get(url, watched, {
      range: `bytes=${start}-${end - 1}`,
      ...(version !== undefined && { "if-range": version }),
    });
    const found = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get("content-range") ?? "");
    const fits =
      response.status === 206 &&
      Number(found?.[1]) === start &&
      (found?.[2] === "*" || Number(found?.[2]) === size);
    const now = versionOf(response.headers);
    if (!fits || response.body === null || (version !== undefined && now !== undefined && now !== version)) {
      await response.body?.cancel().catch(() => {});
      throw new UploadError(
        "source-changed",
        `Cannot read the video: what ${url.origin} holds at that address has changed. Start again`,
      );
    }
    for await (const piece of readAll(response.body, watch)) {
      // The reader may take its time; only the download is watched.
      clearTimeout(alarm);
      yield piece;
    }
  } finally {
    clearTimeout(alarm);
  }
}

async function* readAll(
  body: ReadableStream<Uint8Array>,
  beforeEach: () => void,
): AsyncGenerator<Uint8Array, undefined> {
  const reader = body.getReader();
  try {
    for (;;) {
      beforeEach();
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function get(url: URL, how: UrlFetch, headers: Record<string, string>): Promise<Response> {
  const origin = originOf(url);
  let response: Response;
  try {
    response = await how.fetch(url, {
      headers: { ...how.headers, ...headers },
      // Some edge runtimes refuse the option itself.
      ...(how.credentials !== undefined && { credentials: how.credentials }),
      ...(how.signal !== undefined && { signal: how.signal }),
    });
  } catch (error) {
    how.signal?.throwIfAborted();
    const { words } = connectionReason(error);
    throw new UploadError(
      "source-unreadable",
      `Cannot read the video: ${origin} could not be reached${words}`,
      { retryable: true },
    );
  }
  if (response.ok || response.status === 416) return response;
  await response.body?.cancel().catch(() => {});
  const { status } = response;
  const hint =
    status === 401 || status === 403 || status === 410
      ? ". The address may have expired or need a sign-in: open it again and take the new address"
      : "";
  throw new UploadError(
    "source-unreadable",
    redact(`Cannot read the video: ${origin} answered ${status}${hint}`),
    {
      status,
      retryable: status === 429 || status >= 500,
    },
  );
}

function versionOf(headers: Headers): string | undefined {
  const etag = headers.get("etag");
  // If-Range takes strong validators only.
  if (etag !== null && !etag.startsWith("W/")) return etag;
  return headers.get("last-modified") ?? undefined;
}

function nameOf(url: URL, disposition: string | null): string | undefined {
  const extended = /filename\*\s*=\s*[\w-]*'[^']*'([^;]+)/i.exec(disposition ?? "")?.[1];
  const given = /filename\s*=\s*(?:"([^"]*)"|([^;]+))/i.exec(disposition ?? "");
  const plain = given?.[1] ?? given?.[2];
  const last = url.pathname.split("/").at(-1);
  const name = decoded(extended?.trim()) ?? plain?.trim() ?? decoded(last);
  return name === undefined || name === "" ? undefined : name.split(/[\\/]/).at(-1);
}

function decoded(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
