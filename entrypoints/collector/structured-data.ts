/** Videos that the page tells search engines and other sites about. */

import { addressOf, kindOf, mediaType } from "../shared/video-kind.ts";
import type { Candidate } from "./catalogue.ts";
import { text } from "./label.ts";

/** Nesting deeper than this is no description of a video. */
const MAX_DEPTH = 12;

/** The videos of Open Graph and of player cards. */
export function fromMeta(): Candidate[] {
  const read = (name: string) =>
    document.querySelector<HTMLMetaElement>(`meta[property="${name}"], meta[name="${name}"]`)?.content;
  const poster = addressOf(read("og:image") ?? read("twitter:image"), document.baseURI);
  const number = (name: string) => positive(read(name));
  const [width, height] = [number("og:video:width"), number("og:video:height")];
  const named: [string, string][] = [
    ["og:video:secure_url", "og:video:type"],
    ["og:video:url", "og:video:type"],
    ["og:video", "og:video:type"],
    ["twitter:player:stream", "twitter:player:stream:content_type"],
  ];
  return named.flatMap(([name, typeName]): Candidate[] => {
    const address = addressOf(read(name), document.baseURI);
    const type = mediaType(read(typeName));
    // Often it is a page with a player.
    const kind = address === undefined ? undefined : kindOf(address, type);
    if (address === undefined || kind === undefined || type === "text/html") return [];
    return [
      {
        kind,
        address,
        ...(type !== undefined && { type }),
        ...(poster !== undefined && { poster }),
        ...(width !== undefined && height !== undefined && { width, height }),
      },
    ];
  });
}

/** The VideoObjects of JSON-LD, however deep they lie. */
export function fromJsonLd(): Candidate[] {
  const scripts = document.querySelectorAll<HTMLScriptElement>('script[type="application/ld+json" i]');
  return [...scripts].flatMap(({ textContent }) => {
    try {
      return videoObjects(JSON.parse(textContent ?? ""));
    } catch {
      // Written by people and programs: many are broken.
      return [];
    }
  });
}

function videoObjects(value: unknown, depth = 0): Candidate[] {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return [];
  const inner = Object.values(value).flatMap((each) => videoObjects(each, depth + 1));
  if (Array.isArray(value)) return inner;
  const node = value as Record<string, unknown>;
  const isVideo = many(node["@type"]).some((type) => /(^|[/:])VideoObject$/.test(String(type)));
  return isVideo ? [...many(node.contentUrl).flatMap((url) => readNode(node, url)), ...inner] : inner;
}

function readNode(node: Record<string, unknown>, contentUrl: unknown): Candidate[] {
  const address = addressOf(contentUrl, document.baseURI);
  if (address === undefined) return [];
  const type = mediaType(node.encodingFormat ?? node.fileFormat);
  const title = text(node.name) ?? text(node.headline);
  const [picture] = [...many(node.thumbnailUrl), ...many(node.thumbnail), ...many(node.image)];
  const poster = addressOf(
    typeof picture === "object"
      ? ((picture as Record<string, unknown>).contentUrl ?? (picture as { url?: unknown }).url)
      : picture,
    document.baseURI,
  );
  const duration = readDuration(node.duration);
  const [width, height] = [positive(node.width), positive(node.height)];
  return [
    {
      kind: kindOf(address, type) ?? "file",
      address,
      ...(type !== undefined && { type }),
      ...(title !== undefined && { title }),
      ...(poster !== undefined && { poster }),
      ...(duration !== undefined && { duration }),
      ...(width !== undefined && height !== undefined && { width, height }),
    },
  ];
}

function many(value: unknown): unknown[] {
  return (Array.isArray(value) ? value : [value]).filter((each) => each !== undefined && each !== null);
}

function positive(value: unknown): number | undefined {
  const number = Number.parseFloat(String(value));
  return number > 0 ? number : undefined;
}

/** Seconds of an ISO 8601 duration such as `PT1M33S`. */
function readDuration(value: unknown): number | undefined {
  const parts = /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/i.exec(String(value));
  if (parts === null) return undefined;
  const [days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ];
  return positive(((days * 24 + hours) * 60 + minutes) * 60 + seconds);
}
