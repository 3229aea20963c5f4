/**
 * What a Period of a DASH manifest offers: pictures or sound, each in several forms.
 *
 * @module
 */

import type { Spoken } from "./languages.ts";
import { OTHER_PICTURES, OTHER_SOUND, PICTURES, SOUND, TEXTS } from "./qualities.ts";
import { inherit, type SegmentInfo, type SegmentLevel } from "./segment-info.ts";
import type { SegmentSource } from "./segments.ts";
import { attributesOf, childrenOf, type XmlElement } from "./xml.ts";

/** Pictures or sound of a Period, in one of the forms in which it has them. */
export interface Representation {
  kind: "video" | "audio";
  id: string;
  /** Bits per second. */
  bandwidth: number;
  width: number | undefined;
  height: number | undefined;
  frameRate: number | undefined;
  codecs: string[];
  language: string;
  role: string;
  /** What it is called, where several differ in more than quality. */
  label: string;
  isProtected: boolean;
  /** Where its pieces are, or why they can't be read; the `file` that it is, where it is one without an index. */
  source: SegmentSource | { problem: string; file?: string };
}

/** Pieces that are read here: MP4, and MPEG-TS. */
const READABLE = /^((video|audio|application)\/mp4|(video|audio)\/(mp2t|iso\.segment))?$/i;

/** What all representations of an AdaptationSet have in common. */
export interface SetFacts {
  attributes: Map<string, string>;
  role: string;
  label: string;
  isProtected: boolean;
}

/** Reads it. */
export function readSetFacts(set: XmlElement): SetFacts {
  const [role] = childrenOf(set, "Role");
  return {
    attributes: attributesOf(set),
    role: (role && attributesOf(role).get("value")) ?? "",
    label: childrenOf(set, "Label")[0]?.textContent.trim() ?? "",
    isProtected: isProtectedBy(set),
  };
}

/** The language of a set of subtitles; nothing of any other set. */
export function readSubtitles(set: XmlElement): Spoken[] {
  const [representation] = childrenOf(set, "Representation");
  const own = new Map([...attributesOf(set), ...(representation ? attributesOf(representation) : [])]);
  const types = ["contentType", "mimeType", "codecs"].map((name) => own.get(name)?.trim() ?? "");
  const { attributes, label } = readSetFacts(set);
  return types.some((type) => SUBTITLES.test(type))
    ? [{ language: attributes.get("lang"), name: label }]
    : [];
}

/** Content types, media types and codecs of subtitles. */
const SUBTITLES = /^(text\b|application\/ttml|stpp\b|wvtt\b)/i;

function isProtectedBy(element: XmlElement): boolean {
  return childrenOf(element, "ContentProtection").length > 0;
}

/** Reads one; `undefined` for what is neither pictures nor sound. */
export function readRepresentation(
  element: XmlElement,
  { attributes, role, label, isProtected }: SetFacts,
  levels: SegmentLevel[],
  { base, periodDuration }: { base: string; periodDuration: number | undefined },
): Representation | undefined {
  const own = new Map([...attributes, ...attributesOf(element)]);
  const text = (name: string) => own.get(name)?.trim() ?? "";
  const codecs = text("codecs")
    .split(",", 20)
    .map((codec) => codec.trim())
    .filter((codec) => codec !== "");
  const kind = kindOf(text("contentType"), text("mimeType"), codecs);
  if (kind === undefined) return undefined;
  const [frames = "", by = "1"] = text("frameRate").split("/");
  const bandwidth = amountOf(text("bandwidth")) ?? 0;
  const values = { RepresentationID: attributesOf(element).get("id") ?? "", Bandwidth: String(bandwidth) };
  const language = text("lang");
  const mimeType = text("mimeType").split(";", 1)[0]?.trim() ?? "";
  const info = inherit(levels);
  const isLayer = own.has("dependencyId");
  const problem =
    formatProblem(mimeType, kind, codecs) ??
    (isLayer ? "it adds to another quality, and shows nothing by itself" : undefined);
  return {
    kind,
    id: values.RepresentationID,
    bandwidth,
    width: amountOf(text("width")),
    height: amountOf(text("height")),
    frameRate: rateOf(amountOf(frames), amountOf(by)),
    codecs,
    language,
    role,
    label,
    isProtected: isProtected || isProtectedBy(element),
    source:
      problem === undefined && info !== undefined && !lacksIndex(info)
        ? { info, base, values, periodDuration }
        : { problem: problem ?? NO_INDEX, ...(!isLayer && isFile(mimeType, base, info) && { file: base }) },
  };
}

const NO_INDEX = "its manifest names a file without the index of its pieces";

function lacksIndex({ kind, attributes }: SegmentInfo): boolean {
  return kind === "SegmentBase" && !attributes.has("indexRange");
}

function isFile(mimeType: string, base: string, info: SegmentInfo | undefined): boolean {
  const isWhole = info === undefined || (lacksIndex(info) && !info.initialization?.has("sourceURL"));
  return isWhole && /\/mp4$/i.test(mimeType) && !base.endsWith("/");
}

function kindOf(contentType: string, mimeType: string, codecs: string[]): Representation["kind"] | undefined {
  const types = [contentType, mimeType.split("/", 1)[0] ?? ""].map((type) => type.toLowerCase());
  const told = types.find((type) => /^(video|audio|text|image|font)$/.test(type));
  if (told !== undefined) return told === "video" || told === "audio" ? told : undefined;
  const hasAny = (...formats: RegExp[]) =>
    codecs.some((codec) => formats.some((format) => format.test(codec)));
  if (hasAny(PICTURES, OTHER_PICTURES)) return "video";
  return hasAny(SOUND, OTHER_SOUND) ? "audio" : undefined;
}

/** Why pieces of such a format can't be taken. */
function formatProblem(mimeType: string, kind: Representation["kind"], codecs: string[]): string | undefined {
  const known = kind === "audio" ? [SOUND] : [PICTURES, SOUND, TEXTS];
  const strange = READABLE.test(mimeType)
    ? codecs.find((codec) => !known.some((each) => each.test(codec)))
    : mimeType;
  if (strange === undefined) return undefined;
  const named = /^[\w./+-]{1,40}$/.test(strange) ? ` (${strange})` : "";
  return `it is in a format that isn't read here, or that MP4 doesn't hold${named}`;
}

function amountOf(text: string): number | undefined {
  return /^\d{1,12}(\.\d{1,12})?$/.test(text) ? Number(text) : undefined;
}

function rateOf(frames: number | undefined, by: number | undefined): number | undefined {
  return frames === undefined || by === undefined || by === 0 ? undefined : frames / by;
}
