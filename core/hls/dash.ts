/** DASH as playlists: a manifest names in one file what HLS names in several. */
import { type Fetching, Kept } from "./fetch-bytes.ts";
import { type Manifest, type Period, type Representation, readManifest } from "./manifest.ts";
import {
  checkCoverage,
  type IndexEntry,
  type IndexReading,
  longestOf,
  type PeriodPieces,
  piecesOfPeriod,
  withoutShared,
} from "./period-pieces.ts";
import {
  badList,
  LIMITS,
  type MainPlaylist,
  type MediaPlaylist,
  type Piece,
  PROTECTED,
  type Problem,
  placeUrl,
  type Rendition,
  type Variant,
} from "./playlist.ts";
import { clockOf, initOf, type SegmentSource, type Spend, UnusableRepresentation } from "./segments.ts";

/** The sound of a video in each language is named unless the pictures hold it: the one that plays by default comes first. */
export interface DashVideo extends Pick<MainPlaylist, "variants" | "renditions" | "subtitles"> {
  /** @param sound what is heard with it */
  piecesOf(offered: Offered, sound: Offered | undefined, how: Fetching): Promise<MediaPlaylist>;
}

type Offered = Variant | Rendition;

const GROUP = "audio";
/** Pieces of all qualities together: each may have as many as a playlist. */
const MOST_PIECES = 4 * LIMITS.pieces;

export function readDash(text: string, url: URL): DashVideo {
  const manifest = readManifest(text, url);
  const { videos, sounds, subtitles } = joinPeriods(manifest);
  const qualities = new Map<Offered, Quality>();
  const renditions = sounds.map((sound, at) => {
    const { label, role, language } = sound.main;
    const name = label || (role === "main" ? "" : role);
    const rendition = { group: GROUP, href: url.href, name, language, preference: at === 0 ? 1 : 0 };
    qualities.set(rendition, sound);
    return rendition;
  });
  const variants = videos.map((video) => {
    const { bandwidth, width, height, frameRate, codecs } = video.main;
    const audio = renditions[0]?.group;
    const variant = { href: url.href, bandwidth, width, height, frameRate, codecs, audio };
    qualities.set(variant, video);
    return variant;
  });
  const length = manifest.duration ?? manifest.periods.reduce((sum, { duration = 0 }) => sum + duration, 0);
  const making = {
    url,
    spend: countingFor(url),
    indexes: new Kept<IndexEntry[]>(),
    made: new Kept<PeriodPieces[]>(),
    total: manifest.duration,
    length,
  };
  const sounding = new Kept<MediaPlaylist>();
  return {
    variants,
    renditions,
    subtitles,
    async piecesOf(offered, sound, how) {
      const quality = qualities.get(offered);
      if (quality === undefined) throw new RangeError("the manifest offers no such thing");
      const [beside, own] = [sound && qualities.get(sound), { ...making, how }];
      const make = async () => {
        try {
          const playlist = makeFile(quality, own, beside) ?? (await makePieces(quality, own, beside));
          return quality.parts.some((part) => part?.isProtected)
            ? { ...playlist, problem: PROTECTED }
            : playlist;
        } catch (error) {
          if (!(error instanceof UnusableRepresentation)) throw error;
          return { ...mediaOf([], url, error), duration: length };
        }
      };
      // The sound of all qualities is made once.
      return await (quality.main.kind === "audio" ? sounding.get(quality, how.signal, make) : make());
    },
  };
}

function countingFor(url: URL): Spend {
  let [allPieces, allCharacters] = [0, 0];
  const refuse = (words: string) => badList(words, url, "manifest");
  return (pieces, characters) => {
    allPieces += pieces;
    allCharacters += characters;
    if (pieces > LIMITS.pieces) throw refuse(`names over ${LIMITS.pieces} pieces`);
    if (allPieces > MOST_PIECES) throw refuse(`names over ${MOST_PIECES} pieces of all its qualities`);
    if (allCharacters > LIMITS.addresses) throw refuse("names addresses that are too long");
  };
}

/** Pictures, or sound, by what the longest Period offers; and the like of it in each Period. */
interface Quality {
  main: Representation;
  parts: (Representation | undefined)[];
}

/** @throws {UnusableRepresentation} where it has none */
function sourceOf(part: Representation | undefined): SegmentSource {
  if (part === undefined)
    throw new UnusableRepresentation("a Period of it lacks pictures, or sound of its own");
  if ("info" in part.source) return part.source;
  throw new UnusableRepresentation(part.source.problem);
}

/** The file that a quality is, where its pieces can't be told apart. */
function fileOf({ parts: [only, ...others] }: Quality): string | undefined {
  return only === undefined || others.length > 0 || "info" in only.source ? undefined : only.source.file;
}

interface Making extends IndexReading {
  url: URL;
  made: Kept<PeriodPieces[]>;
  /** Seconds of all Periods, where the manifest tells. */
  total: number | undefined;
  /** Seconds of the video: `total`, or the sum of those Periods that tell their own. */
  length: number;
}

/** @throws {UnusableRepresentation} where it has a problem, or they don't make the whole video */
async function makePieces(quality: Quality, making: Making, sound?: Quality): Promise<MediaPlaylist> {
  const { url, total } = making;
  const periods = await periodsOf(quality, making);
  const others = sound && (await periodsOf(sound, making).catch(saidBySound));
  const pieces: Piece[] = [];
  let [told, longest, isPart] = [0, 0, false];
  for (const [run, period] of periods.entries()) {
    const { source, segments, isCut } = period;
    const longer = checkPeriod(quality, period, others?.[run]);
    told += source.periodDuration ?? longer.covered;
    longest = Math.max(longest, longestOf(longer.segments));
    isPart ||= isCut;
    const init = initOf(source);
    const clock = clockOf(source);
    for (const { start, ...segment } of segments)
      pieces.push({ ...segment, sequence: pieces.length, run, init, clock, isNominal: start === undefined });
    if (pieces.length > LIMITS.pieces)
      throw new UnusableRepresentation(`its manifest names over ${LIMITS.pieces} pieces`);
  }
  if (quality.main.kind === "video") checkCoverage(told, total, longest);
  if (pieces.length === 0) throw new UnusableRepresentation("its manifest names no pieces of it");
  return { ...mediaOf(pieces, url), isPart };
}

/** The file that a quality is, where it holds its sound as well; nothing of any other. */
function makeFile(quality: Quality, { url, length }: Making, sound?: Quality): MediaPlaylist | undefined {
  const file = fileOf(quality);
  if (file === undefined || file === url.href || (sound && fileOf(sound) !== file)) return undefined;
  const { href } = placeUrl(file, url);
  const piece = { href, duration: length, sequence: 0, run: 0 };
  return { ...mediaOf([piece], url), isFile: true };
}

/** The pieces of a quality; those of sound, which all pictures are compared with, are made once. */
function periodsOf(quality: Quality, making: Making): Promise<PeriodPieces[]> {
  const make = async () => {
    const periods: PeriodPieces[] = [];
    for (const source of quality.parts.map(sourceOf)) periods.push(await piecesOfPeriod(source, making));
    return withoutShared(periods);
  };
  return quality.main.kind === "audio" ? making.made.get(quality, making.how.signal, make) : make();
}

function saidBySound(error: unknown): undefined {
  if (!(error instanceof UnusableRepresentation)) throw error;
}

/** Compares a Period with its length by the longer of pictures and sound, which often end apart; gives that one. */
function checkPeriod({ main }: Quality, period: PeriodPieces, other: PeriodPieces | undefined): PeriodPieces {
  const longer = other !== undefined && other.covered > period.covered ? other : period;
  const { source, segments, covered } = period;
  const told = source.periodDuration;
  // Of sound alone nothing tells whether there should be more of it.
  const isShorterSound = main.kind === "audio" && segments.length > 0 && told !== undefined && covered < told;
  if (!isShorterSound) {
    const counted = segments.length > 0 ? longer : period;
    checkCoverage(counted.covered, told, longestOf(counted.segments));
  }
  return longer;
}

function mediaOf(pieces: Piece[], url: URL, problem?: Problem): MediaPlaylist {
  const duration = pieces.reduce((sum, { duration }) => sum + duration, 0);
  return { kind: "media", url, ended: true, pieces, duration, problem };
}

/** Joins what Periods offer by the longest one that has any: what that offers, each other Period has something like it. */
function joinPeriods({ periods: all }: Manifest) {
  const periods = all.filter(({ duration, representations }) => duration || representations.length > 0);
  const joined = (kind: Representation["kind"]): Quality[] => {
    const offeredIn = (period: Period) => period.representations.filter((each) => each.kind === kind);
    const [longest] = periods
      .filter((period) => offeredIn(period).length > 0)
      .toSorted((a, b) => (b.duration ?? 0) - (a.duration ?? 0));
    // Of two qualities that are alike the first one is taken.
    const offered = longest
      ? offeredIn(longest).toSorted((one, other) => Number(isUsable(other)) - Number(isUsable(one)))
      : [];
    return (kind === "audio" ? soundsOf(offered) : offered).map((main) => ({
      main,
      parts: periods.map((period) => (period === longest ? main : nearest(main, period))),
    }));
  };
  const subtitles = periods.flatMap((period) => period.subtitles);
  return { videos: joined("video"), sounds: joined("audio"), subtitles };
}

/** The sound in each language, in the form that can be read and needs the most bytes. */
function soundsOf(all: Representation[]): Representation[] {
  const rankOf = (sound: Representation) => 2 * Number(isUsable(sound)) + Number(sound.role === "main");
  const sounds = new Map<string, Representation>();
  for (const sound of all.toSorted((a, b) => rankOf(b) - rankOf(a))) {
    const key = JSON.stringify([sound.language, sound.role, sound.label]);
    const known = sounds.get(key);
    const isBetter =
      known === undefined || (isUsable(known) === isUsable(sound) && known.bandwidth < sound.bandwidth);
    if (isBetter) sounds.set(key, sound);
  }
  return [...sounds.values()];
}

function isUsable({ source }: Representation): boolean {
  return "info" in source;
}

function nearest(wanted: Representation, { representations }: Period): Representation | undefined {
  let best: { candidate: Representation; distance: number[] } | undefined;
  for (const candidate of representations) {
    if (candidate.kind !== wanted.kind) continue;
    const distance = distanceOf(wanted, candidate);
    const at = distance.findIndex((amount, place) => amount !== best?.distance[place]);
    if (best === undefined || (distance[at] ?? 0) < (best.distance[at] ?? 0)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** How far two are from one another, what matters most first. */
function distanceOf(one: Representation, other: Representation): number[] {
  const areaOf = ({ width = 0, height = 0 }: Representation) => width * height;
  const formatOf = ({ codecs }: Representation) => codecs[0]?.split(".", 1)[0] ?? "";
  return [
    Number(!isUsable(other)),
    Number(one.kind === "audio" && one.language !== other.language),
    Number(one.role !== other.role),
    Number(one.label !== other.label),
    Number(formatOf(one) !== formatOf(other)),
    Math.abs(areaOf(one) - areaOf(other)),
    Number(one.id !== other.id),
    Math.abs(one.bandwidth - other.bandwidth),
  ];
}
