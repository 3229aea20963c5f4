/** Videos that the page tells search engines and other sites about. */

import { known } from "../shared/record.ts";
import { addressOf, kindOf, mediaType } from "../shared/video-kind.ts";
import type { Candidate } from "./catalogue.ts";
import { readScript, searchJson } from "./json.ts";
import { name } from "./label.ts";
import { baseAddress } from "./node-property.ts";
import type { TimeSlice } from "./time-slice.ts";

/** Characters of a number, a duration or a type, and things of one kind that a video has. */
const MAX_FIELD = 100;

const VIDEO_NAMES = [
  ["og:video:secure_url", "og:video:type"],
  ["og:video:url", "og:video:type"],
  ["og:video", "og:video:type"],
  ["twitter:player:stream", "twitter:player:stream:content_type"],
] as const;

/** The first content of each name that is asked for. */
export async function readMetas(metas: HTMLMetaElement[], slice: TimeSlice): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  for (const meta of metas) {
    if (slice.isOver()) await slice.yieldToPage();
    for (const attribute of ["property", "name"]) {
      const name = meta.getAttribute(attribute);
      if (name !== null && META_NAMES.has(name) && !contents.has(name)) contents.set(name, meta.content);
    }
  }
  return contents;
}

const META_NAMES: ReadonlySet<string> = new Set([
  ...VIDEO_NAMES.flat(),
  "og:title",
  "og:image",
  "twitter:image",
  "og:video:width",
  "og:video:height",
]);

export function fromMeta(metas: Map<string, string>): Candidate[] {
  const poster = addressOf(metas.get("og:image") ?? metas.get("twitter:image"), baseAddress());
  const picture = pictureSize(metas.get("og:video:width"), metas.get("og:video:height"));
  return VIDEO_NAMES.flatMap(([name, typeName]): Candidate[] => {
    const address = addressOf(metas.get(name), baseAddress());
    const type = mediaType(metas.get(typeName));
    // Often it is a page with a player.
    const kind = address === undefined ? undefined : kindOf(address, type);
    if (address === undefined || kind === undefined || type === "text/html") return [];
    return [{ kind, address, ...known({ type, poster }), ...picture }];
  });
}

/** The VideoObjects of JSON-LD, however deep they lie. */
export async function* fromJsonLd(scripts: HTMLScriptElement[], slice: TimeSlice): AsyncGenerator<Candidate> {
  for (const script of scripts) {
    if (slice.isOver()) await slice.yieldToPage();
    if (slice.isUsedUp()) return;
    if (script.type.length > MAX_FIELD || script.type.toLowerCase() !== "application/ld+json") continue;
    yield* searchJson(await readScript(script, slice), slice, videosIn);
  }
}

function* videosIn(value: unknown): Generator<Candidate | undefined> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const read = nodeReader(value as Record<string, unknown>);
  if (read === undefined) return;
  for (const url of many((value as { contentUrl?: unknown }).contentUrl)) yield read(url);
}

/** What a node says of each of its addresses; `undefined` where it describes no video. */
function nodeReader(
  node: Record<string, unknown>,
): ((contentUrl: unknown) => Candidate | undefined) | undefined {
  if (!many(node["@type"]).some(isVideoType)) return undefined;
  const type = mediaType(node.encodingFormat ?? node.fileFormat);
  const title = name(node.name) ?? name(node.headline);
  const picture = pictureOf(node.thumbnailUrl) ?? pictureOf(node.thumbnail) ?? pictureOf(node.image);
  const poster = addressOf(picture, baseAddress());
  const duration = readDuration(node.duration);
  const about = { ...known({ type, title, poster, duration }), ...pictureSize(node.width, node.height) };
  return (contentUrl) => {
    const address = addressOf(contentUrl, baseAddress());
    return address === undefined ? undefined : { kind: kindOf(address, type) ?? "file", address, ...about };
  };
}

function isVideoType(type: unknown): boolean {
  return typeof type === "string" && /(^|[/:])VideoObject$/.test(type.slice(-MAX_FIELD));
}

function pictureOf(value: unknown): unknown {
  const [picture] = many(value);
  if (typeof picture !== "object") return picture;
  const { contentUrl, url } = picture as Record<string, unknown>;
  return contentUrl ?? url;
}

/** Things that a node has of one kind; more than a few are no description. */
function many(value: unknown): unknown[] {
  const all: unknown[] = Array.isArray(value) ? value.slice(0, MAX_FIELD) : [value];
  return all.filter((each) => each !== undefined && each !== null);
}

/** Both or nothing. */
function pictureSize(wide: unknown, high: unknown): Pick<Candidate, "width" | "height"> {
  const [width, height] = [positive(wide), positive(high)];
  return width === undefined || height === undefined ? {} : { width, height };
}

function positive(value: unknown): number | undefined {
  const number = typeof value === "string" ? Number.parseFloat(value.slice(0, MAX_FIELD)) : value;
  return typeof number === "number" && number > 0 && Number.isFinite(number) ? number : undefined;
}

/** Seconds of an ISO 8601 duration such as `PT1M33S`. */
function readDuration(value: unknown): number | undefined {
  if (typeof value !== "string" || value.length > MAX_FIELD) return undefined;
  const parts = /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/i.exec(value);
  if (parts === null) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return positive(((days * 24 + hours) * 60 + minutes) * 60 + seconds);
}
