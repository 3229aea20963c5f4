/**
 * DASH as playlists: what a manifest names in one file, HLS names in several.
 *
 * @module
 */

import { Budget, makeFile, makePieces, measureQuality, mediaOf, type Quality } from "./dash-pieces.ts";
import type { Fetching } from "./fetch-bytes.ts";
import { joinPeriods } from "./join-periods.ts";
import { languagesOf, type Spoken } from "./languages.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import type { MediaPlaylist, Problem, Rendition, Variant } from "./playlist.ts";
import { UnusableRepresentation } from "./segment-address.ts";

/** What a manifest offers, and the pieces of each. */
export interface DashVideo {
  variants: Variant[];
  /** Its sound in each language, unless the pictures hold it: the one that plays by default comes first. */
  renditions: Rendition[];
  subtitles: Spoken[];
  /** The pieces of a quality, or of the rendition that is wanted. */
  piecesOf(offered: Variant | Rendition, how: Fetching): Promise<MediaPlaylist>;
}

const GROUP = "audio";

/**
 * Reads a manifest.
 *
 * @param language the id of the language that is wanted. @default that of the sound that plays by default
 */
export async function readDash(text: string, url: URL, language?: string): Promise<DashVideo> {
  const manifest = readManifest(text, url);
  const { videos, sounds, subtitles } = joinPeriods(manifest);
  const known = new Map<Variant | Rendition, Quality>();
  const budget = new Budget(url);
  const renditions = sounds.map(({ main }, at): Rendition => {
    const name = main.label || (main.role === "main" ? "" : main.role);
    const isDefault = at === 0;
    return { group: GROUP, href: url.href, name, language: main.language, isDefault, isChosen: isDefault };
  });
  const languages = languagesOf(renditions);
  const place = renditions.findIndex((each) => languages.get(each)?.id === language);
  const wanted = Math.max(0, place);
  const [audio, rendition] = [sounds[wanted], renditions[wanted]];
  // Of the other ones no pieces are made, so that they don't count.
  if (audio && rendition) known.set(rendition, measureQuality("sound", audio.parts, budget));
  const variants = videos.map(({ main, parts }): Variant => {
    const { bandwidth, width, height, frameRate, codecs } = main;
    const group = audio && GROUP;
    const variant = { href: url.href, bandwidth, width, height, frameRate, codecs, audio: group };
    known.set(variant, measureQuality("pictures", parts, budget));
    return variant;
  });
  const making = { url, budget, indexes: new Map(), made: new Map(), total: manifest.duration };
  const make = async (offered: Variant | Rendition, how: Fetching): Promise<MediaPlaylist> => {
    const quality = known.get(offered);
    if (quality === undefined) throw new RangeError("the manifest offers no such thing");
    const beside = rendition && rendition !== offered ? known.get(rendition) : undefined;
    const file = makeFile(quality, beside, { url, total: lengthOf(manifest) });
    if (file !== undefined) return file;
    try {
      return await makePieces(quality, beside, { ...making, how });
    } catch (error) {
      if (!(error instanceof UnusableRepresentation)) throw error;
      const problem: Problem = { code: "unsupported-video", words: error.message };
      return { ...mediaOf([], url, problem), duration: lengthOf(manifest) };
    }
  };
  /** The sound of all qualities, which is made once. */
  let sound: Promise<MediaPlaylist> | undefined;
  return {
    variants,
    renditions,
    subtitles,
    async piecesOf(offered, how) {
      if (offered !== rendition) return await make(offered, how);
      sound ??= make(offered, how).catch((error: unknown) => {
        sound = undefined;
        throw error;
      });
      return await sound;
    },
  };
}

/** Seconds of a video, as its manifest tells them. */
function lengthOf({ duration, periods }: Manifest): number {
  return duration ?? periods.reduce((sum, { duration = 0 }) => sum + duration, 0);
}
