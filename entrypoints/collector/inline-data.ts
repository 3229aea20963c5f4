/** Addresses of videos in the data that a page brings for its own scripts, such as the settings of a player. */

import { known } from "../shared/record.ts";
import { addressOf, isManifest, kindOf } from "../shared/video-kind.ts";
import { isWebAddress } from "../shared/web-address.ts";
import type { Candidate } from "./catalogue.ts";
import { readScript, searchJson } from "./json.ts";
import { type Names, name } from "./label.ts";
import { baseAddress } from "./node-property.ts";
import { linesIn, qualityOf } from "./quality.ts";
import type { TimeSlice } from "./time-slice.ts";

/** Videos of all scripts of a page together: a shop brings its whole catalogue. */
const MAX_VIDEOS = 100;
const MAX_SCRIPTS = 20;
const MAX_ADDRESS = 2048;
const MAX_VERSIONS = 16;
/** Lists and objects around an address that may name it. */
const MAX_AROUND = 4;

const NAMES = ["title", "headline", "name", "caption", "alt", "label"];
const POSTERS = ["poster", "thumbnail", "thumbnailUrl", "image"];
const QUALITIES = ["height", "quality", "res", "resolution", "size", "label"];

/** JSON that only scripts read, in scripts that are not run. */
export async function* fromInlineData(
  scripts: HTMLScriptElement[],
  slice: TimeSlice,
): AsyncGenerator<Candidate> {
  let [read, found] = [0, 0];
  for (const script of scripts) {
    if (slice.isOver()) await slice.yieldToPage();
    if (slice.isUsedUp() || read >= MAX_SCRIPTS) return;
    if (!/^application\/json$/i.test(script.type.slice(0, MAX_ADDRESS))) continue;
    read++;
    for await (const candidate of searchJson(await readScript(script, slice), slice, readVideos())) {
      yield candidate;
      if (++found >= MAX_VIDEOS) return;
    }
  }
}

/**
 * Reads the values of one JSON text.
 *
 * @param names what the videos in it are called, if they don't say so themselves
 */
export function readVideos(names: Names = {}) {
  /** Versions of a video that was found by its list. */
  const versions = new Set<unknown>();
  /** Where a manifest was found: others beside it are of the same video. */
  const withManifest = new Set<unknown>();
  return function* (value: unknown, around: readonly object[]): Generator<Candidate | undefined> {
    if (Array.isArray(value)) {
      const [best, ...others] = versionsIn(value);
      if (best === undefined) return;
      for (const item of value.slice(0, MAX_VERSIONS)) versions.add(item);
      yield { ...candidateAt(best.address, around, names), aliases: others.map(({ address }) => address) };
      return;
    }
    const address = videoAddress(value);
    const holder = around.at(-1);
    if (address === undefined || versions.has(holder) || versions.has(around.at(-2))) return;
    if (isManifest(kindOf(address))) {
      const place = placeOf(around);
      if (withManifest.has(place) || holdsFile(place)) return;
      withManifest.add(place);
    }
    yield candidateAt(address, around, names);
  };
}

/** An address of a video that is written as one: with its ending, and from the beginning or the root. */
export function videoAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MAX_ADDRESS) return undefined;
  if (!/^\s*((https?:)?\/\/|\.{0,2}\/)[^\s<>"]+$/i.test(value)) return undefined;
  const address = addressOf(value, baseAddress());
  const isVideo = address !== undefined && isWebAddress(address) && kindOf(address) !== undefined;
  return isVideo ? address : undefined;
}

function fileAddress(value: unknown): string | undefined {
  const address = videoAddress(value);
  return address !== undefined && kindOf(address) === "file" ? address : undefined;
}

/** What all belongs to one video: a list of nameless sources, else the object that an address lies in. */
function placeOf(around: readonly object[]): object | undefined {
  const [list, holder] = around.slice(-2);
  if (!Array.isArray(list) || holder === undefined) return around.at(-1);
  return field(holder, NAMES, name) === undefined ? list : holder;
}

/** True if a whole file is among them: it is the same video, and simpler to take. */
function holdsFile(place: object | undefined): boolean {
  const items = Array.isArray(place) ? place.slice(0, MAX_VERSIONS) : [place];
  return items.some((item) => {
    const values = typeof item === "object" && item !== null ? Object.values(item) : [item];
    return values.slice(0, MAX_VERSIONS).some((value) => fileAddress(value) !== undefined);
  });
}

/** The versions of one video, the best first; none where a list holds anything else. */
function versionsIn(list: unknown[]): { address: string; lines: number }[] {
  if (list.length < 2 || list.length > MAX_VERSIONS) return [];
  const versions = list.flatMap((item) => {
    if (typeof item !== "object" || item === null) return [];
    const fields = Object.entries(item).slice(0, MAX_VERSIONS);
    const address = fields.map(([, value]) => fileAddress(value)).find((each) => each !== undefined);
    const lines = fields.flatMap(([key, value]) => (QUALITIES.includes(key) ? linesIn(value) : []));
    const isNamed = fields.some(([key, value]) => NAMES.includes(key) && name(value) !== undefined);
    if (address === undefined || isNamed) return [];
    return [{ address, lines: Math.max(0, ...lines) || qualityOf(address) }];
  });
  const areAll = versions.length === list.length && versions.every(({ lines }) => lines > 0);
  return areAll ? versions.sort((one, other) => other.lines - one.lines) : [];
}

function candidateAt(address: string, around: readonly object[], names: Names): Candidate {
  const holders = around.slice(-MAX_AROUND).reverse();
  const [own, ...outer] = holders.map((holder) => field(holder, NAMES, name));
  const near = outer.find((each) => each !== undefined) ?? names.near;
  const poster = holders[0] && field(holders[0], POSTERS, (value) => addressOf(value, baseAddress()));
  return { kind: kindOf(address) ?? "file", address, ...known({ title: own ?? names.title, near, poster }) };
}

function field(
  holder: object,
  keys: string[],
  read: (value: unknown) => string | undefined,
): string | undefined {
  for (const key of keys) {
    const value = Object.hasOwn(holder, key) ? read((holder as Record<string, unknown>)[key]) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}
