/** Reads a DASH manifest (MPD, ISO 23009-1): its Periods, and what each of them offers. */
import { InputError } from "../errors/errors.ts";
import { originOf } from "../redaction/redaction.ts";
import { OTHER_PICTURES, OTHER_SOUND, PICTURES, SOUND, strangeFormat, TEXTS } from "./formats.ts";
import { badList, codecsIn, LIMITS, refusal, type Spoken, type Variant } from "./playlist.ts";
import {
  inherit,
  readLevel,
  type SegmentInfo,
  type SegmentPlaces,
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

export interface Representation extends Omit<Variant, "href" | "audio"> {
  kind: "video" | "audio";
  id: string;
  language: string;
  role: string;
  /** Name of what is offered, where several differ in more than quality. */
  label: string;
  isProtected: boolean;
  /** Leads to its pieces, or says why they can't be read; with its `file`, where it is one without an index. */
  source: SegmentSource | { problem: string; file?: string };
}

const MOST_PERIODS = 1_000;
/** Elements that each have an address, of all Periods. */
const SETS = /^(AdaptationSet|Representation)$/;
const MOST_SETS = 10_000;
/** Of all Periods: each Period may offer as many as a playlist has qualities. */
const MOST_REPRESENTATIONS = 2_000;
/** The address of an element that stands for nothing. */
const TO_NOTHING = "urn:mpeg:dash:resolve-to-zero:2013";
/** Pictures to look for a place in the video by. */
const TRICK_MODE = "http://dashif.org/guidelines/trickmode";

/** @throws {InputError} `live-stream`, or `unsupported-video` where it can't be read, or names more than anybody needs. */
export function readManifest(text: string, url: URL): Manifest {
  try {
    const mpd = readXml(text);
    if (mpd.tagName !== "MPD") throw refuse("is none", url);
    checkElement(mpd, url);
    if ([mpd, ...childrenOf(mpd, "Period")].some(needsUnknown)) throw refuse(NEEDS_UNKNOWN, url);
    if ((mpd.attributes.get("type") ?? "static") !== "static")
      throw new InputError("live-stream", `Cannot take the video from ${originOf(url)}: it is a live stream`);
    return periodsOf(mpd, url);
  } catch (error) {
    if (error instanceof UnreadableXml) throw refuse("can't be read", url);
    if (!(error instanceof UnusableRepresentation)) throw error;
    throw refusal(error, url);
  }
}

function refuse(words: string, url: URL): InputError {
  return badList(words, url, "manifest");
}

/** Refuses what nobody needs, in an element and all that is in it, but for events beside the video. */
function checkElement(mpd: XmlElement, url: URL): void {
  let sets = 0;
  const check = (element: XmlElement) => {
    const { tagName, textContent, attributes, childNodes } = element;
    if (tagName === "EventStream" || isNothing(element)) return;
    if (SETS.test(tagName) && ++sets > MOST_SETS)
      throw refuse(`names over ${MOST_SETS} sets of qualities`, url);
    let longest = tagName === "BaseURL" ? textContent.length : 0;
    for (const [name, value] of attributes) {
      longest = Math.max(longest, value.length);
      if (isLink(name))
        throw refuse("has elements at other addresses (xlink), which aren't fetched here", url);
    }
    if (longest > LIMITS.text) throw refuse(`names an address of over ${LIMITS.text} characters`, url);
    for (const child of childNodes) check(child);
  };
  check(mpd);
}

function isLink(name: string): boolean {
  return name.endsWith(":href");
}

function isNothing({ attributes }: XmlElement): boolean {
  for (const [name, value] of attributes) if (value === TO_NOTHING && isLink(name)) return true;
  return false;
}

/** The address that those below an element are relative to: the first of several, which are all of equal rank. */
function baseOf(element: XmlElement, above: string, url: URL): string {
  const own = element.childNodes.find(({ tagName }) => tagName === "BaseURL")?.textContent.trim() ?? "";
  if (own === "") return above;
  if (!URL.canParse(own, above)) throw refuse("names an invalid address", url);
  return new URL(own, above).href;
}

function periodsOf(mpd: XmlElement, url: URL): Manifest {
  const base = baseOf(mpd, url.href, url);
  const total = secondsOf(mpd.attributes.get("mediaPresentationDuration")) || undefined;
  const elements = childrenOf(mpd, "Period").filter((element) => !isNothing(element));
  if (elements.length > MOST_PERIODS) throw refuse(`names over ${MOST_PERIODS} Periods`, url);
  if (elements.length === 0) throw refuse("has no Period", url);
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
    const representations = representationsOf(element, {
      base: baseOf(element, base, url),
      periodDuration: duration,
      manifest: url,
    });
    count += representations.length;
    for (const { source } of representations) characters += "base" in source ? source.base.length : 0;
    if (representations.length > LIMITS.variants)
      throw refuse(`names over ${LIMITS.variants} qualities`, url);
    if (count > MOST_REPRESENTATIONS)
      throw refuse(`names over ${MOST_REPRESENTATIONS} qualities of its Periods`, url);
    if (characters > LIMITS.addresses) throw refuse("names addresses that are too long", url);
    const subtitles = childrenOf(element, "AdaptationSet").flatMap(readSubtitles);
    return { duration, representations, subtitles };
  });
  return { periods, duration: total !== undefined && total > first ? total - first : total };
}

function representationsOf(period: XmlElement, place: SegmentPlaces): Representation[] {
  const { manifest } = place;
  const levels = readLevel(period);
  const found: Representation[] = [];
  for (const set of childrenOf(period, "AdaptationSet")) {
    if (isNothing(set) || essentialsOf(set).includes(TRICK_MODE)) continue;
    const above = baseOf(set, place.base, manifest);
    const own = [...levels, ...readLevel(set)];
    for (const element of childrenOf(set, "Representation")) {
      const base = baseOf(element, above, manifest);
      const info = inherit([...own, ...readLevel(element)]);
      const representation = readRepresentation(element, set, info, { ...place, base });
      if (representation !== undefined) found.push(representation);
      if (found.length > LIMITS.variants) return found;
    }
  }
  return found;
}

function essentialsOf(element: XmlElement): string[] {
  return childrenOf(element, "EssentialProperty").map(
    ({ attributes }) => attributes.get("schemeIdUri") ?? "",
  );
}

const NEEDS_UNKNOWN = "asks for what isn't known here (EssentialProperty)";
/** Colours, which the pieces tell as well. */
const KNOWN = /^urn:mpeg:mpegB:cicp:/i;

/** A reader that doesn't know an essential property is to leave alone what has it (ISO 23009-1, 5.8.4.8). */
function needsUnknown(element: XmlElement): boolean {
  return essentialsOf(element).some((scheme) => !KNOWN.test(scheme));
}

const DURATION =
  /^P(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{0,9}\.?\d{0,15})S)?)?$/;
/** Seconds of a year, a month, a day, an hour, a minute and a second. */
const UNITS = [31_536_000, 2_592_000, 86_400, 3_600, 60, 1];

function secondsOf(text: string | undefined): number | undefined {
  const found = DURATION.exec(text?.trim() ?? "");
  if (found === null) return undefined;
  const seconds = UNITS.reduce((sum, unit, at) => sum + unit * Number(found[at + 1] ?? 0), 0);
  return seconds >= 0 ? seconds : undefined;
}

/** Pieces that are read here: MP4, and MPEG-TS. */
const READABLE = /^((video|audio|application)\/mp4|(video|audio)\/(mp2t|iso\.segment))?$/i;

/** The attributes of a Representation, and those that its set has for all. */
function attributesOf(set: XmlElement, element?: XmlElement): (name: string) => string {
  const own = new Map([...set.attributes, ...(element ? element.attributes : [])]);
  return (name) => own.get(name)?.trim() ?? "";
}

function labelOf(set: XmlElement): string {
  return childrenOf(set, "Label")[0]?.textContent.trim() ?? "";
}

function readSubtitles(set: XmlElement): Spoken[] {
  const text = attributesOf(set, childrenOf(set, "Representation")[0]);
  const isText = ["contentType", "mimeType", "codecs"].some((name) => SUBTITLES.test(text(name)));
  return isText ? [{ language: set.attributes.get("lang"), name: labelOf(set) }] : [];
}

const SUBTITLES = /^(text\b|application\/ttml|stpp\b|wvtt\b)/i;

function readRepresentation(
  element: XmlElement,
  set: XmlElement,
  info: SegmentInfo | undefined,
  place: SegmentPlaces,
): Representation | undefined {
  const text = attributesOf(set, element);
  const codecs = codecsIn(text("codecs"));
  const kind = kindOf(text("contentType"), text("mimeType"), codecs);
  if (kind === undefined) return undefined;
  const [frames = "", by = "1"] = text("frameRate").split("/");
  const frameRate = (amountOf(frames) ?? Number.NaN) / (amountOf(by) ?? Number.NaN);
  const bandwidth = amountOf(text("bandwidth")) ?? 0;
  const values = { RepresentationID: element.attributes.get("id") ?? "", Bandwidth: String(bandwidth) };
  const mimeType = text("mimeType").split(";", 1)[0]?.trim() ?? "";
  const isLayer = text("dependencyId") !== "";
  const problem =
    strangeFormat([mimeType], [READABLE]) ??
    strangeFormat(codecs, kind === "audio" ? [SOUND] : [PICTURES, SOUND, TEXTS]) ??
    (isLayer ? "it adds to another quality, and shows nothing by itself" : undefined) ??
    ([set, element].some(needsUnknown) ? `its manifest ${NEEDS_UNKNOWN}` : undefined);
  const file = !isLayer && isFile(mimeType, place.base, info) ? { file: place.base } : {};
  const isListed = problem === undefined && info !== undefined && !lacksIndex(info);
  return {
    kind,
    id: values.RepresentationID,
    bandwidth,
    width: amountOf(text("width")),
    height: amountOf(text("height")),
    frameRate: Number.isFinite(frameRate) ? frameRate : undefined,
    codecs,
    language: text("lang"),
    role: childrenOf(set, "Role")[0]?.attributes.get("value") ?? "",
    label: labelOf(set),
    isProtected: [set, element].some((each) => childrenOf(each, "ContentProtection").length > 0),
    source: isListed ? { ...place, info, values } : { problem: problem ?? NO_INDEX, ...file },
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
