/** Addresses of videos in the attributes of elements that become players only by a script. */

import { FILE_ENDINGS, isManifest, kindOf, MANIFEST_ENDINGS } from "../shared/video-kind.ts";
import type { Candidate } from "./catalogue.ts";
import { readVideos, videoAddress } from "./inline-data.ts";
import { readJson, searchJson } from "./json.ts";
import { namesOf } from "./label.ts";
import { elementProperty } from "./node-property.ts";
import type { PlacedElement } from "./page-walk.ts";
import { CLOCK_INTERVAL, type TimeSlice } from "./time-slice.ts";

const MAX_ATTRIBUTES = 32;
const [MAX_NAME, MAX_VALUE] = [100, 2 ** 14];
/** Values that may hold a video, of all elements together, and videos that are found in them. */
const [MAX_VALUES, MAX_VIDEOS] = [500, 500];
/** Addresses in a value that is neither an address nor JSON. */
const MAX_INSIDE = 8;

const FILE = new RegExp(`\\.(${FILE_ENDINGS.join("|")})(?!\\w)`, "i");
const MANIFEST = new RegExp(`\\.(${Object.values(MANIFEST_ENDINGS).flat().join("|")})(?!\\w)`, "i");
const JSON_START = /^\s*[[{]/;
const INSIDE = /https?:\/\/[^\s"'<>|,;\\]+/gi;

interface PlayerValue {
  place: PlacedElement<Element>;
  value: string;
}

export interface PlayerAttributes {
  /** Takes an element that may be a player. @returns the steps that this took */
  note(place: PlacedElement<Element>): number;
  candidates(slice: TimeSlice): AsyncGenerator<Candidate>;
}

export function openPlayerAttributes(): PlayerAttributes {
  const values: PlayerValue[] = [];
  /** Elements that name a whole file: manifests in them are of the same video. */
  const withFile = new Set<Element>();
  return {
    note(place) {
      const { element } = place;
      if (element instanceof HTMLSourceElement) return 1;
      const attributes = elementProperty(element, "attributes");
      const isCustom = elementProperty(element, "localName").includes("-");
      const count = Math.min(attributes.length, MAX_ATTRIBUTES);
      for (let at = 0; at < count; at++) {
        const { name = "", value = "" } = attributes[at] ?? {};
        if (values.length >= MAX_VALUES || !isPlayers(name, isCustom) || !mayHold(value)) continue;
        values.push({ place, value });
        if (namesFile(value)) withFile.add(element);
      }
      return count;
    },
    async *candidates(slice) {
      let found = 0;
      for (const { place, value } of values) {
        if (slice.isOver(CLOCK_INTERVAL)) await slice.yieldToPage();
        if (slice.isUsedUp()) return;
        const names = namesOf(place, "videos");
        for await (const candidate of candidatesIn(value, names, slice)) {
          if (isManifest(candidate.kind) && withFile.has(place.element) && !JSON_START.test(value)) continue;
          yield candidate;
          if (++found >= MAX_VIDEOS) return;
        }
      }
    },
  };
}

async function* candidatesIn(
  value: string,
  names: ReturnType<typeof namesOf>,
  slice: TimeSlice,
): AsyncGenerator<Candidate> {
  if (JSON_START.test(value)) {
    yield* searchJson(await readJson(value, slice), slice, readVideos(names));
    return;
  }
  for (const address of addressesIn(value)) yield { kind: kindOf(address) ?? "file", address, ...names };
}

function namesFile(value: string): boolean {
  if (!FILE.test(value) || JSON_START.test(value)) return false;
  return addressesIn(value).some((address) => kindOf(address) === "file");
}

function addressesIn(value: string): string[] {
  const address = videoAddress(value);
  if (address !== undefined) return [address];
  return [...value.matchAll(INSIDE).take(MAX_INSIDE)].flatMap(([each]) => videoAddress(each) ?? []);
}

/** Attributes for scripts, and all of a custom element; those of a video element are read with it. */
function isPlayers(name: string, isCustom: boolean): boolean {
  if (name.length > MAX_NAME) return false;
  if (/poster|thumb|image|preview|srcset/.test(name)) return false;
  return name.startsWith("data-") || (isCustom && /src|file|url|video|source|hls|dash|manifest/.test(name));
}

function mayHold(value: string): boolean {
  return value.length > 4 && value.length <= MAX_VALUE && (FILE.test(value) || MANIFEST.test(value));
}
