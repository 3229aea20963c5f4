/**
 * A playlist that names nothing but one MP4 file, or ranges of it: that file is taken as it is.
 *
 * @module
 */

import type { ReadableSource } from "../source/source.ts";
import { urlSource } from "../source/url.ts";
import { hasTrack, isProtected } from "./boxes.ts";
import { type Fetching, fetchBytes } from "./fetch-bytes.ts";
import { type Lanes, refusal } from "./load.ts";
import { LIMITS, type Piece, PROTECTED } from "./playlist.ts";

/** Bytes that a file may hold behind its last piece: an index. With more of them, the playlist is a part of it. */
const LONGEST_INDEX = 1024 * 1024;

interface SingleFile {
  href: string;
  end: number | undefined;
}

/** The file that a playlist's pieces are all ranges of. */
export function singleFileOf({ main, audio }: Lanes): SingleFile | undefined {
  const [first] = main.pieces;
  if (main.isFile && first !== undefined) return { href: first.href, end: undefined };
  const { init } = first ?? {};
  if (
    audio !== undefined ||
    !main.ended ||
    main.isPart ||
    first?.range === undefined ||
    init?.range?.start !== 0
  )
    return undefined;
  if (
    init.href !== first.href ||
    init.key !== undefined ||
    first.range.start > init.range.end + LONGEST_INDEX
  )
    return undefined;
  let { start: end } = first.range;
  for (const { href, range, key, init: other, run } of main.pieces as Piece[]) {
    if (href !== first.href || key !== undefined || other !== init || run !== first.run) return undefined;
    if (range?.start !== end) return undefined;
    end = range.end;
  }
  return { href: first.href, end };
}

/**
 * Makes a source of that file; `undefined` where it holds more than the playlist names.
 *
 * @throws {InputError} `protected-video` or `unsupported-video`.
 */
export async function singleFileSource(
  { main }: Lanes,
  { href, end }: SingleFile,
  name: string,
  how: Fetching,
): Promise<ReadableSource | undefined> {
  const [first] = main.pieces;
  if (first === undefined) return undefined;
  const url = new URL(href);
  if (end !== undefined) {
    const { bytes: init } = await fetchBytes({ url, range: first.init?.range, most: LIMITS.init }, how);
    if (isProtected(init)) throw refusal(PROTECTED, url);
    if (!hasTrack(init, "vide"))
      throw refusal({ code: "unsupported-video", words: "it is sound alone" }, url);
  }
  const { signal: _, headers, ...reading } = how;
  const own = url.origin === how.origin ? headers : undefined;
  let stopper = new AbortController();
  const source = await urlSource(url, {
    ...reading,
    headers: own,
    // Read for each request: what was closed is opened again by the next one.
    get signal() {
      return stopper.signal;
    },
  });
  const { size } = source;
  if (end !== undefined && (size === undefined || size < end || size > end + LONGEST_INDEX)) {
    await source.close();
    return undefined;
  }
  const close = async () => {
    stopper.abort(new Error("closed"));
    stopper = new AbortController();
    await source.close();
  };
  return { ...source, name, type: "video/mp4", close };
}
