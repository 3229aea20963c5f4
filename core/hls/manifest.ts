/** Reads a DASH manifest (MPD, ISO 23009-1): its Periods, and what each of them offers. */
import { InputError } from "../errors.ts";
import { originOf } from "../redaction/redaction.ts";
import { badList, codecsIn, LIMITS, type Spoken, unsupported } from "./playlist.ts";
import { OTHER_PICTURES, OTHER_SOUND, PICTURES, SOUND, strangeFormat, TEXTS } from "./qualities.ts";
import {
  inherit,
  readLevel,
  type SegmentInfo,
  type SegmentLevel,
  type SegmentSource,
  UnusableRepresentation,
} from "./segments.ts";
import { childrenOf, readXml, UnreadableXml, type XmlElement } from "./xml.ts";

export interface Period {
  /** Seconds, where they are known. */
  duration: number | undefined;
  representations: Representation[];
  subtitles: Spoken[];
}

export interface Manifest {
  periods: Period[];
  /** Seconds of all Periods, where it tells. */
  duration: number | undefined;
}

const MOST_PERIODS = 1_000;
/** Elements that each have an address, of all Periods. */
const SETS = /^(AdaptationSet|Representation)$/;
const MOST_SETS = 10_000;
/** Of all Periods: each Period may offer as many as a playlist has qualities. */
const MOST_REPRESENTATIONS = 2_000;
/** Of an element that there is nothing of. */
const TO_NOTHING = "urn:mpeg:dash:resolve-to-zero:2013";
/** Pictures to look for a place in the video by. */
const TRICK_MODE = "http://dashif.org/guidelines/trickmode";

/**
 * @throws {InputError} `live-stream`, or `unsupported-video` where it can't be read, or names more than anybody needs.
 */
export function readManifest(text: string, url: URL): Manifest {
  const refuse: Refuse = (words) => badList(words, url, "manifest");
  try {
    const mpd = readXml(text);
    if (mpd.tagName !== "MPD") throw refuse("is none");
    const elements = [...elementsIn(mpd)];
    if (elements.filter(({ tagName }) => SETS.test(tagName)).length > MOST_SETS)
      throw refuse(`names over ${MOST_SETS} sets of qualities`);
    if (elements.some(hasLongText)) throw refuse(`names an address of over ${LIMITS.text} characters`);
    if (elements.some(hasLink))
      throw refuse("has parts at other addresses (xlink), which aren't fetched here");
    const { attributes } = mpd;
    if ((attributes.get("type") ?? "static") !== "static")
      throw new InputError("live-stream", `Cannot take the video from ${originOf(url)}: it is a live stream`);
    const base = baseOf(mpd, url.href, refuse);
    const duration = secondsOf(attributes.get("mediaPresentationDuration")) || undefined;
    return periodsOf(mpd, base, duration, refuse);
  } catch (error) {
    if (error instanceof UnreadableXml) throw refuse("can't be read");
    if (!(error instanceof UnusableRepresentation)) throw error;
    throw unsupported(error.message, url);
  }
}

type Refuse = (words: string) => InputError;

/** An element and all that is in it, but for events beside the video and for what there is nothing of. */
function* elementsIn(element: XmlElement): Generator<XmlElement> {
  if (element.tagName === "EventStream" || isNothing(element)) return;
  yield element;
  for (const child of element.childNodes) yield* elementsIn(child);
}

/** True for a text that addresses are made of, and that is longer than any real one. */
function hasLongText({ tagName, textContent, attributes }: XmlElement): boolean {
  const isLong = ({ length }: string) => length > LIMITS.text;
  return [...attributes.values()].some(isLong) || (tagName === "BaseURL" && isLong(textContent));
}

function hasLink({ attributes }: XmlElement): boolean {
  return [...attributes.keys()].some((name) => name.endsWith(":href"));
}

function isNothing({ attributes }: XmlElement): boolean {
  return [...attributes].some(([name, value]) => name.endsWith(":href") && value === TO_NOTHING);
}

/** The address that those below an element are relative to: the first of several, which are all of equal rank. */
function baseOf(element: XmlElement, above: string, refuse: Refuse): string {
  const own = element.childNodes.find(({ tagName }) => tagName === "BaseURL")?.textContent.trim() ?? "";
  if (own === "") return above;
  if (!URL.canParse(own, above)) throw refuse("names an invalid address");
  return new URL(own, above).href;
}

function periodsOf(mpd: XmlElement, base: string, total: number | undefined, refuse: Refuse): Manifest {
  const elements = childrenOf(mpd, "Period").filter((element) => !isNothing(element));
  if (elements.length > MOST_PERIODS) throw refuse(`names over ${MOST_PERIODS} Periods`);
  if (elements.length === 0) throw refuse("has no Period");
  let [start, first] = [0, 0];
  let [count, characters] = [0, 0];
  const periods = elements.map((element, at): Period => {
    const own = element.attributes;
    const next = elements[at + 1];
    start = secondsOf(own.get("start")) ?? start;
    if (at === 0) first = start;
    const end = next === undefined ? total : secondsOf(next.attributes.get("start"));
    const rest = end !== undefined && end > start ? end - start : undefined;
    // The length of a presentation may be told without the time at which it begins.
    const duration = secondsOf(own.get("duration")) || rest || (elements.length === 1 ? total : undefined);
    start += duration ?? 0;
    const representations = representationsOf(element, { base, duration, refuse });
    count += representations.length;
    for (const { source } of representations) characters += "base" in source ? source.base.length : 0;
    if (representations.length > LIMITS.variants) throw refuse(`names over ${LIMITS.variants} qualities`);
    if (count > MOST_REPRESENTATIONS)
      throw refuse(`names over ${MOST_REPRESENTATIONS} qualities of its Periods`);
    if (characters > LIMITS.addresses) throw refuse("names addresses that are too long");
    return {
      duration,
      representations,
      subtitles: childrenOf(element, "AdaptationSet").flatMap(readSubtitles),
    };
  });
  return { periods, duration: total !== undefined && total > first ? total - first : total };
}

interface PeriodFacts {
  base: string;
  duration: number | undefined;
  refuse: Refuse;
}

function representationsOf(period: XmlElement, { base, duration, refuse }: PeriodFacts): Representation[] {
  const periodBase = baseOf(period, base, refuse);
  const periodLevel = readLevel(period);
  const found: Representation[] = [];
  for (const set of childrenOf(period, "AdaptationSet")) {
    if (isNothing(set) || isTrickMode(set)) continue;
    const setBase = baseOf(set, periodBase, refuse);
    const levels = [periodLevel, readLevel(set)];
    const shared = readSetFacts(set);
    for (const element of childrenOf(set, "Representation")) {
      const own = { base: baseOf(element, setBase, refuse), periodDuration: duration };
      const representation = readRepresentation(element, shared, [...levels, readLevel(element)], own);
      if (representation !== undefined) found.push(representation);
      if (found.length > LIMITS.variants) return found;
    }
  }
  return found;
}

function isTrickMode(set: XmlElement): boolean {
  return childrenOf(set, "EssentialProperty").some(
    (element) => element.attributes.get("schemeIdUri") === TRICK_MODE,
  );
}

const DURATION =
  /^P(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{0,9}\.?\d{0,15})S)?)?$/;
/** Seconds of a year, a month, a day, an hour, a minute and a second. */
const UNITS = [31_536_000, 2_592_000, 86_400, 3_600, 60, 1];

/** A duration of ISO 8601 in seconds; none where it says nothing. */
function secondsOf(text: string | undefined): number | undefined {
  const found = DURATION.exec(text?.trim() ?? "");
  if (found === null) return undefined;
  const seconds = UNITS.reduce((sum, unit, at) => sum + unit * Number(found[at + 1] ?? 0), 0);
  return seconds >= 0 ? seconds : undefined;
}

export interface Representation {
  kind: "video" | "audio";
  id: string;
  bandwidth: number;
  width: number | undefined;
  height: number | undefined;
  frameRate: number | undefined;
  codecs: string[];
  language: string;
  role: string;
  /** Its name, where several differ in more than quality. */
  label: string;
  isProtected: boolean;
  /** Leads to its pieces, or says why they can't be read; with its `file`, where it is one without an index. */
  source: SegmentSource | { problem: string; file?: string };
}

/** Pieces that are read here: MP4, and MPEG-TS. */
const READABLE = /^((video|audio|application)\/mp4|(video|audio)\/(mp2t|iso\.segment))?$/i;

export interface SetFacts {
  attributes: Map<string, string>;
  role: string;
  label: string;
  isProtected: boolean;
}

export function readSetFacts(set: XmlElement): SetFacts {
  const [role] = childrenOf(set, "Role");
  return {
    attributes: set.attributes,
    role: role?.attributes.get("value") ?? "",
    label: childrenOf(set, "Label")[0]?.textContent.trim() ?? "",
    isProtected: isProtectedBy(set),
  };
}

/** The language of a set of subtitles; nothing of any other set. */
export function readSubtitles(set: XmlElement): Spoken[] {
  const [representation] = childrenOf(set, "Representation");
  const own = new Map([...set.attributes, ...(representation ? representation.attributes : [])]);
  const types = ["contentType", "mimeType", "codecs"].map((name) => own.get(name)?.trim() ?? "");
  const { attributes, label } = readSetFacts(set);
  return types.some((type) => SUBTITLES.test(type))
    ? [{ language: attributes.get("lang"), name: label }]
    : [];
}

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
  const own = new Map([...attributes, ...element.attributes]);
  const text = (name: string) => own.get(name)?.trim() ?? "";
  const codecs = codecsIn(text("codecs"));
  const kind = kindOf(text("contentType"), text("mimeType"), codecs);
  if (kind === undefined) return undefined;
  const [frames = "", by = "1"] = text("frameRate").split("/");
  const bandwidth = amountOf(text("bandwidth")) ?? 0;
  const values = { RepresentationID: element.attributes.get("id") ?? "", Bandwidth: String(bandwidth) };
  const language = text("lang");
  const mimeType = text("mimeType").split(";", 1)[0]?.trim() ?? "";
  const info = inherit(levels);
  const isLayer = own.has("dependencyId");
  const problem =
    strangeFormat([mimeType], [READABLE]) ??
    strangeFormat(codecs, kind === "audio" ? [SOUND] : [PICTURES, SOUND, TEXTS]) ??
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

function amountOf(text: string): number | undefined {
  return /^\d{1,12}(\.\d{1,12})?$/.test(text) ? Number(text) : undefined;
}

function rateOf(frames: number | undefined, by: number | undefined): number | undefined {
  return frames === undefined || by === undefined || by === 0 ? undefined : frames / by;
}
