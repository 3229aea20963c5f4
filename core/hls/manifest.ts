/// <reference path="./mpd-parser.d.ts" />
/**
 * Reads a DASH manifest (MPD) with the package mpd-parser, which is loaded when there is one.
 *
 * A few numbers in a manifest may stand for any number of pieces: they are counted before they are made. Its XML is read
 * here, since the package's own reader takes minutes for a hostile text and prints what it dislikes.
 *
 * @module
 */

import type { Representation } from "mpd-parser";
import * as v from "valibot";
import { InputError } from "../errors.ts";
import { originOf } from "../redaction/redaction.ts";
import { LIMITS } from "./playlist.ts";
import { readXml, type XmlElement } from "./xml.ts";

/** A piece, or the index of some, as a manifest names it. */
export interface ManifestSegment {
  resolvedUri: string;
  byterange?: { offset?: unknown; length?: unknown } | undefined;
  /** Seconds. */
  duration: number;
  /** What it is read with. */
  map?: Pick<ManifestSegment, "resolvedUri" | "byterange"> | undefined;
  discontinuity?: boolean | undefined;
}

/** One quality of pictures or of sound. */
export interface ManifestPlaylist {
  attributes: {
    BANDWIDTH: number;
    CODECS: string;
    RESOLUTION?: { width: number; height: number } | undefined;
    "FRAME-RATE"?: number | undefined;
  };
  segments: ManifestSegment[];
  /** Where the index of its pieces is. */
  sidx?: ManifestSegment | undefined;
  /** By the names of systems. */
  contentProtection?: Record<string, unknown> | undefined;
}

/** What a manifest holds. */
export interface Manifest {
  playlists: ManifestPlaylist[];
  mediaGroups: {
    AUDIO: Record<string, Record<string, { default?: boolean | undefined; playlists: ManifestPlaylist[] }>>;
  };
  /** Whether it lists no piece, so that how many there are is reckoned from lengths. */
  isReckoned: boolean;
}

const place = {
  resolvedUri: v.string(),
  byterange: v.optional(v.object({ offset: v.unknown(), length: v.unknown() })),
};
const segment: v.GenericSchema<unknown, ManifestSegment> = v.object({
  ...place,
  duration: v.number(),
  map: v.optional(v.object(place)),
  discontinuity: v.optional(v.boolean()),
});
const playlist: v.GenericSchema<unknown, ManifestPlaylist> = v.object({
  attributes: v.object({
    BANDWIDTH: v.optional(v.number(), 0),
    CODECS: v.optional(v.string(), ""),
    RESOLUTION: v.optional(v.object({ width: v.number(), height: v.number() })),
    "FRAME-RATE": v.optional(v.number()),
  }),
  segments: v.array(segment),
  sidx: v.optional(segment),
  contentProtection: v.optional(v.record(v.string(), v.unknown())),
});
const manifest: v.GenericSchema<unknown, Omit<Manifest, "isReckoned">> = v.object({
  playlists: v.array(playlist),
  mediaGroups: v.object({
    AUDIO: v.record(
      v.string(),
      v.record(v.string(), v.object({ default: v.optional(v.boolean()), playlists: v.array(playlist) })),
    ),
  }),
});

/** Addresses of equal rank that an element may name: each multiplies all that is below it. */
const MOST_BASES = 4;

/**
 * Reads a manifest.
 *
 * @throws {InputError} `live-stream`, or `unsupported-video` where it can't be read, or names more than anybody needs.
 */
export async function readManifest(text: string, url: URL): Promise<Manifest> {
  const refuse = (words: string) =>
    new InputError("unsupported-video", `Cannot take the video: the manifest at ${originOf(url)} ${words}`);
  const { inheritAttributes, toM3u8, toPlaylists } = await import("mpd-parser").catch(() => {
    throw new InputError(
      "invalid-source",
      "Cannot open a manifest: the package mpd-parser isn't installed here. Add it, version 1.4 or newer",
    );
  });
  let representations: Representation[];
  try {
    const mpd = readXml(text);
    if (mpd.tagName !== "MPD") throw refuse("is none");
    if (hasTooManyBases(mpd)) throw refuse(`names over ${MOST_BASES} addresses for the same`);
    // Before the package makes one of each with all that it inherits.
    if (countQualities(mpd) > LIMITS.variants) throw refuse(`names over ${LIMITS.variants} qualities`);
    if (hasLongAddress(mpd)) throw refuse(`names an address of over ${LIMITS.text} characters`);
    representations = inheritAttributes(mpd, { manifestUri: url.href }).representationInfo;
  } catch (error) {
    // Messages of the package may repeat what is in the file.
    throw error instanceof InputError ? error : refuse("can't be read");
  }
  if (representations.some(({ attributes }) => attributes.type !== "static"))
    throw new InputError("live-stream", `Cannot take the video from ${originOf(url)}: it is a live stream`);
  for (const { segmentInfo } of representations) listAll(segmentInfo);
  let [pieces, characters] = [0, 0];
  for (const each of representations) {
    const count = piecesOf(each);
    pieces += count;
    characters += count * addressLength(each);
  }
  // What is no number isn't at most that, either.
  if (!(pieces <= LIMITS.pieces)) throw refuse(`names over ${LIMITS.pieces} pieces`);
  if (characters > LIMITS.addresses) throw refuse("names addresses that are too long");
  try {
    const isReckoned = representations.every(
      ({ segmentInfo: { template, segmentTimeline } }) => template && segmentTimeline === undefined,
    );
    return { ...v.parse(manifest, toM3u8({ dashPlaylists: toPlaylists(representations) })), isReckoned };
  } catch {
    throw refuse("can't be read");
  }
}

function hasTooManyBases({ childNodes }: XmlElement): boolean {
  const own = childNodes.filter(({ tagName }) => tagName === "BaseURL");
  return own.length > MOST_BASES || childNodes.some(hasTooManyBases);
}

/** How many qualities are made of the elements below: each for each address of equal rank above it. */
function countQualities({ tagName, childNodes }: XmlElement): number {
  const bases = childNodes.filter(({ tagName }) => tagName === "BaseURL").length;
  const below = childNodes.reduce(
    (sum, each) => sum + countQualities(each),
    tagName === "Representation" ? 1 : 0,
  );
  return Math.max(bases, 1) * below;
}

/** Whether an address that all pieces below repeat is longer than any real one. */
function hasLongAddress({ tagName, textContent, attributes, childNodes }: XmlElement): boolean {
  const own = tagName === "BaseURL" ? [textContent] : Array.from(attributes, ({ value }) => value);
  return own.some(({ length }) => length > LIMITS.text) || childNodes.some(hasLongAddress);
}

/** Characters of the address of each piece of a representation, at most. */
function addressLength({ attributes, segmentInfo }: Representation): number {
  const { template } = segmentInfo;
  return [attributes.baseUrl, template?.media].reduce<number>(
    (sum, text) => sum + (typeof text === "string" ? text.length : 0),
    0,
  );
}

/** All pieces of a list count: sound mostly has one more than there is time for, which the package leaves out. */
function listAll(segmentInfo: Representation["segmentInfo"]): void {
  const { list, segmentTimeline } = segmentInfo;
  if (list?.duration === undefined || segmentTimeline !== undefined || !Array.isArray(list.segmentUrls))
    return;
  segmentInfo.segmentTimeline = [{ t: 0, d: list.duration, r: list.segmentUrls.length - 1 }];
  delete list.duration;
}

/** How many pieces are made of a representation. */
function piecesOf({ attributes, segmentInfo }: Representation): number {
  const { template, list, base, segmentTimeline } = segmentInfo;
  const own = { ...attributes, ...(template ?? list ?? base) };
  const timescale = amount(own.timescale ?? 1);
  const seconds = Math.max(amount(own.sourceDuration ?? 0), amount(own.periodDuration ?? 0));
  if (segmentTimeline !== undefined)
    return segmentTimeline.reduce((sum, { r = 0, d }) => {
      const repeated = Number(r);
      return sum + (repeated < 0 ? (seconds * timescale) / amount(d) : repeated) + 1;
    }, 0);
  if (own.duration === undefined) return 1;
  return Math.ceil((seconds * timescale) / amount(own.duration));
}

/** A number that may be reckoned with, or none. */
function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : Number.NaN;
}
