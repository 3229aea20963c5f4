/**
 * The elements of a DASH manifest that tell of pieces: SegmentTemplate, SegmentList and SegmentBase, each of which may
 * stand at a Period, an AdaptationSet and a Representation (ISO 23009-1, 5.3.9.1).
 *
 * @module
 */

import { LIMITS } from "./playlist.ts";
import type { XmlElement } from "./xml.ts";

/** The last one counts where a level has several. */
const KINDS = ["SegmentBase", "SegmentList", "SegmentTemplate"] as const;
type Kind = (typeof KINDS)[number];

interface SegmentElement {
  attributes: ReadonlyMap<string, string>;
  timeline: TimelineEntry[] | undefined;
  initialization: ReadonlyMap<string, string> | undefined;
  urls: ListedUrl[];
}

/** Those of one level, read once for all representations below it. */
export type SegmentLevel = Partial<Record<Kind, SegmentElement>>;

/** The elements that count for a representation. */
export interface SegmentInfo extends Omit<SegmentElement, "attributes"> {
  kind: Kind;
  attributes: ReadonlyMap<string, string>;
}

/** An S element: a piece, and how often it is repeated. Times are in units of the timescale. */
export interface TimelineEntry {
  time: bigint | undefined;
  duration: bigint;
  /** Below 0: up to the next one. */
  repeat: bigint;
  number: bigint | undefined;
}

export interface ListedUrl {
  media: string | undefined;
  mediaRange: string | undefined;
}

export function readLevel({ childNodes }: XmlElement): SegmentLevel {
  const level: SegmentLevel = {};
  for (const element of childNodes) {
    const kind = KINDS.find((name) => name === element.tagName);
    if (kind !== undefined) level[kind] ??= readElement(element);
  }
  return level;
}

function readElement({ attributes, childNodes }: XmlElement): SegmentElement {
  const timeline = childNodes.find(({ tagName }) => tagName === "SegmentTimeline");
  const initialization = childNodes.find(({ tagName }) => tagName === "Initialization");
  return {
    attributes,
    timeline: timeline?.childNodes.filter(({ tagName }) => tagName === "S").map(readEntry),
    initialization: initialization?.attributes,
    urls: childNodes
      .filter(({ tagName }) => tagName === "SegmentURL")
      .map((element) => {
        const own = element.attributes;
        return { media: own.get("media"), mediaRange: own.get("mediaRange") };
      }),
  };
}

function readEntry(element: XmlElement): TimelineEntry {
  const own = element.attributes;
  return {
    time: wholeNumber(own, "t"),
    duration: wholeNumber(own, "d") ?? 0n,
    repeat: wholeNumber(own, "r") ?? 0n,
    number: wholeNumber(own, "n"),
  };
}

/** Puts the levels together, the outermost first: of what several of them say, the innermost counts. */
export function inherit(levels: readonly SegmentLevel[]): SegmentInfo | undefined {
  const kind = levels.flatMap((level) => KINDS.filter((name) => level[name] !== undefined)).at(-1);
  if (kind === undefined) return undefined;
  const elements = levels.flatMap((level) => level[kind] ?? []);
  const innermost = elements.toReversed();
  return {
    kind,
    attributes: new Map(elements.flatMap(({ attributes }) => [...attributes])),
    timeline: innermost.find(({ timeline }) => timeline !== undefined)?.timeline,
    initialization: innermost.find(({ initialization }) => initialization !== undefined)?.initialization,
    urls: innermost.find(({ urls }) => urls.length > 0)?.urls ?? [],
  };
}

/** A whole number; times may have more digits than a `number` holds. */
export function wholeNumber(attributes: ReadonlyMap<string, string>, name: string): bigint | undefined {
  const text = attributes.get(name)?.trim();
  if (text === undefined || text === "") return undefined;
  const [, digits] = /^(-?\d{1,20})(?:\.0*)?$/.exec(text) ?? [];
  if (digits === undefined)
    throw new UnusableRepresentation(`its manifest names ${name}="${shown(text)}", expected a whole number`);
  return BigInt(digits);
}

/** A value as far as it is nothing but a number: any other text of a manifest may be a secret. */
export function shown(text: string): string {
  return /^[\d.,:+-]{1,40}$/.test(text) ? text : "…";
}

/** Why a representation can't be read: the end of a sentence about the video. */
export class UnusableRepresentation extends Error {}

/** Values that are the same in all addresses of a representation. */
export interface AddressValues {
  RepresentationID: string;
  Bandwidth: string;
}

const IDENTIFIER = /\$([A-Za-z]*)(?:%0(\d+)d)?\$/g;
/** Digits of the largest number of 64 bits. */
const MOST_DIGITS = 20;

/** The address of a piece or an init that a template stands for (ISO 23009-1, 5.3.9.4.4). */
export function fillAddress(
  template: string,
  values: AddressValues & { Number?: string; Time?: string },
): string {
  const address = template.replace(IDENTIFIER, (found, name: string, width = "0") => {
    if (Number(width) > MOST_DIGITS)
      throw new UnusableRepresentation(`its addresses hold numbers of over ${MOST_DIGITS} digits`);
    if (name === "") return found === "$$" ? "$" : found;
    if (!Object.hasOwn(values, name)) return found;
    const value = values[name as keyof typeof values] ?? found;
    return name === "RepresentationID" ? value : value.padStart(Number(width), "0");
  });
  if (address.length > LIMITS.text)
    throw new UnusableRepresentation(`its manifest names an address of over ${LIMITS.text} characters`);
  return address;
}
