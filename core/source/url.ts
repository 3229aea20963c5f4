/**
 * A video at an address: read by Range requests where the server allows it, else in one pass.
 *
 * @module
 */

import { decodeOrKeep } from "../decode-or-keep.ts";
import { digest } from "../digest.ts";
import { InputError } from "../errors.ts";
import { rangeSlice, rangesAhead } from "./range.ts";
import { singlePassSource } from "./single-pass.ts";
import type { ReadableSource } from "./source.ts";
import { lengthOf, requestUrl, type UrlFetch, versionOf } from "./url-request.ts";

/** Makes a source of an address, having asked for its first byte. */
export async function urlSource(url: URL, how: UrlFetch): Promise<ReadableSource> {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new InputError(
      "invalid-source",
      `Cannot read the video: its address begins with "${url.protocol}", expected https: or http:`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new InputError(
      "invalid-source",
      "Cannot read the video: its address holds a user name and password, which can't be sent. Give them as sourceHeaders",
    );
  }
  // A presigned address refuses HEAD, so one byte is asked for.
  const probe = await requestUrl(url, how, { range: "bytes=0-0" });
  const { headers } = probe;
  const type = headers.get("content-type") ?? undefined;
  const name = nameOf(url, headers.get("content-disposition"));
  const version = versionOf(headers);
  // The query often holds a signature that is new each time, and no part of what the video is.
  const identity = (size: number | undefined) => () =>
    digest([url.origin + url.pathname, `${size ?? ""}`, version ?? ""]);
  const total = /^bytes 0-0\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1];
  if (probe.status === 206 && total !== undefined) {
    await probe.body?.cancel().catch(() => {});
    const size = Number(total);
    const facts = { name, type, size, version };
    return {
      name,
      type,
      size,
      rereadable: true,
      identity: identity(size),
      slice: async (start, end) => rangeSlice(url, how, facts, start, end),
      readAhead: () => rangesAhead(url, how, facts),
      close: async () => {},
    };
  }
  if (probe.status === 416)
    throw new InputError("empty-source", `Cannot upload from ${url.origin}: the file there is empty`);
  const { body, size } = await wholeAnswer(url, how, probe);
  if (body === null)
    throw new InputError("empty-source", `Cannot upload from ${url.origin}: the answer has no body`);
  return {
    ...(await singlePassSource(url, how, { name, type, size, version }, body)),
    identity: identity(size),
  };
}

/** A 206 that doesn't give the whole length, or whose Content-Range CORS hides, can't be used: the whole is asked for. */
async function wholeAnswer(
  url: URL,
  how: UrlFetch,
  probe: Response,
): Promise<{ body: Response["body"]; size: number | undefined }> {
  if (probe.status !== 206) return { body: probe.body, size: lengthOf(probe.headers) };
  await probe.body?.cancel().catch(() => {});
  const { body, headers } = await requestUrl(url, how);
  return { body, size: lengthOf(headers) };
}

function nameOf(url: URL, disposition: string | null): string | undefined {
  const extended = /filename\*\s*=\s*[\w-]*'[^']*'([^;]+)/i.exec(disposition ?? "")?.[1];
  const given = /filename\s*=\s*(?:"([^"]*)"|([^;]+))/i.exec(disposition ?? "");
  const plain = given?.[1] ?? given?.[2];
  const last = url.pathname.split("/").at(-1);
  const name = decodeOrKeep(extended?.trim() ?? "") || plain?.trim() || decodeOrKeep(last ?? "") || undefined;
  return name?.split(/[\\/]/).at(-1);
}
