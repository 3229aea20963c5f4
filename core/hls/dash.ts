/**
 * DASH as playlists: what a manifest names in one file, HLS names in several.
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import { originOf } from "../redaction/redaction.ts";
import { boxesIn } from "./boxes.ts";
import { type Fetching, fetchBytes } from "./fetch-bytes.ts";
import { type ManifestPlaylist, type ManifestSegment, readManifest } from "./manifest.ts";
import { placeUrl } from "./places.ts";
import {
  type ByteRange,
  type Init,
  LIMITS,
  type MediaPlaylist,
  type Piece,
  type Place,
  type Rendition,
  type Variant,
} from "./playlist.ts";

/** What a manifest offers, and the pieces of each. */
export interface DashVideo {
  variants: Variant[];
  renditions: Rendition[];
  /** The pieces of a quality or a rendition. */
  piecesOf(offered: Variant | Rendition, how: Fetching): Promise<MediaPlaylist>;
}

const GROUP = "audio";

/** Reads a manifest. */
export async function readDash(text: string, url: URL): Promise<DashVideo> {
  const { playlists, mediaGroups, isReckoned } = await readManifest(text, url);
  const known = new Map<Variant | Rendition, ManifestPlaylist>();
  const renditions = Object.entries(mediaGroups.AUDIO.audio ?? {}).flatMap(([name, group]) => {
    // The one that needs the most bytes is the best of a language.
    const [best] = group.playlists.toSorted((a, b) => b.attributes.BANDWIDTH - a.attributes.BANDWIDTH);
    if (best === undefined) return [];
    const isDefault = group.default ?? false;
    const rendition = {
      group: GROUP,
      href: url.href,
      name,
      language: undefined,
      isDefault,
      isChosen: isDefault,
    };
    known.set(rendition, best);
    return [rendition];
  });
  const variants = playlists.map((playlist) => {
    const { BANDWIDTH, CODECS, RESOLUTION, "FRAME-RATE": frameRate } = playlist.attributes;
    const variant: Variant = {
      href: url.href,
      bandwidth: BANDWIDTH,
      width: RESOLUTION?.width,
      height: RESOLUTION?.height,
      frameRate,
      codecs: CODECS.split(",")
        .map((codec) => codec.trim())
        .filter((codec) => codec !== ""),
      audio: renditions.length === 0 ? undefined : GROUP,
    };
    known.set(variant, playlist);
    return variant;
  });
  return {
    variants,
    renditions,
    async piecesOf(offered, how) {
      const playlist = known.get(offered);
      if (playlist === undefined) throw new RangeError("the manifest offers no such thing");
      const media = await toMedia(playlist, url, how);
      if (isReckoned) allowOneLess(media.pieces);
      return media;
    },
  };
}

/** Where pieces are reckoned from lengths, a moment at the end may make one more than there is. */
function allowOneLess(pieces: Piece[]): void {
  const [before, last] = pieces.slice(-2);
  if (before !== undefined && last !== undefined) last.mayBeMissing = last.duration < before.duration / 2;
}

async function toMedia(playlist: ManifestPlaylist, url: URL, how: Fetching): Promise<MediaPlaylist> {
  const { segments, sidx, contentProtection = {} } = playlist;
  const listed = sidx === undefined ? segments : await indexed(sidx, url, how);
  const inits = new Map<string, Init>();
  let run = 0;
  const pieces = listed.map((segment, sequence): Piece => {
    if (segment.discontinuity && sequence > 0) run++;
    const init = segment.map && { ...placeOf(segment.map, url), key: undefined };
    const name = JSON.stringify([init?.href, init?.range]);
    if (init !== undefined && !inits.has(name)) inits.set(name, init);
    const { duration } = segment;
    return { ...placeOf(segment, url), duration, sequence, run, init: inits.get(name), key: undefined };
  });
  const [system] = Object.keys(contentProtection);
  const words = "it is protected, so that only certain players can read it";
  return {
    kind: "media",
    url,
    ended: true,
    pieces,
    duration: pieces.reduce((sum, { duration }) => sum + duration, 0),
    problem: system === undefined ? undefined : { code: "protected-video", words },
  };
}

function placeOf(
  { resolvedUri, byterange }: Pick<ManifestSegment, "resolvedUri" | "byterange">,
  url: URL,
): Place {
  const { href } = placeUrl(resolvedUri, url);
  if (byterange === undefined) return { href };
  const [start, length] = [Number(byterange.offset), Number(byterange.length)];
  return { href, range: { start, end: start + length } };
}

/** The pieces that the index of a file lists. */
async function indexed(sidx: ManifestSegment, url: URL, how: Fetching): Promise<ManifestSegment[]> {
  const { href, range } = placeOf(sidx, url);
  const refuse = (words: string) =>
    new UploadError("source-unreadable", `Cannot read the video: ${originOf(href)} ${words}`);
  if (range === undefined) throw refuse("gives no index");
  const { bytes } = await fetchBytes({ url: new URL(href), range, most: LIMITS.init }, how);
  const entries = readIndex(bytes, range);
  if (entries === undefined) throw refuse("gives an index that can't be read");
  return entries.map(({ start, end, duration }) => ({
    ...sidx,
    byterange: { offset: start, length: end - start },
    duration,
  }));
}

/** Reads a segment index (ISO 14496-12, 8.16.3); `undefined` for one of further indexes. */
function readIndex(
  bytes: Uint8Array,
  { start }: ByteRange,
): (ByteRange & { duration: number })[] | undefined {
  const box = [...boxesIn(bytes)].find(({ type }) => type === "sidx");
  if (box === undefined || box.end - box.content < 24) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const timescale = view.getUint32(box.content + 8);
  const isLong = view.getUint8(box.content) !== 0;
  const counted = box.content + (isLong ? 28 : 20);
  const count = counted + 4 <= box.end ? view.getUint16(counted + 2) : 0;
  if (timescale === 0 || count === 0 || counted + 4 + 12 * count > box.end) return undefined;
  const offset = isLong ? Number(view.getBigUint64(box.content + 20)) : view.getUint32(box.content + 16);
  let at = start + box.end + offset;
  const entries: (ByteRange & { duration: number })[] = [];
  for (let entry = 0; entry < count; entry++) {
    const place = counted + 4 + 12 * entry;
    const reference = view.getUint32(place);
    if (reference >= 2 ** 31) return undefined;
    entries.push({ start: at, end: at + reference, duration: view.getUint32(place + 4) / timescale });
    at += reference;
  }
  return entries;
}
