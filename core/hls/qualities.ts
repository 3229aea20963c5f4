/** The choices that a video offers: its qualities, the best one first, and the languages of its sound and subtitles. */
import { PICTURES, SOUND, strangeFormat, TEXTS } from "./formats.ts";
import type { HlsLanguage } from "./options.ts";
import type { MainPlaylist, Problem, Rendition, Spoken, Variant } from "./playlist.ts";

export interface Offer {
  variant: Variant;
  /** Sound of its own, unless the pieces of the pictures hold it. */
  audio?: Rendition | undefined;
  language?: HlsLanguage | undefined;
}

export interface Choice extends Offer {
  /** Names it among the others, for example "1080p-5000000". */
  id: string;
  /** Other places of the quality, for when its first one is away (RFC 8216, 6.2.4). */
  backups: Offer[];
  /** Why it can't be taken, where the main playlist itself tells. */
  problem?: Problem | undefined;
}

/** @param wanted the id of the language of their sound. @default the one that plays unless somebody chooses another */
export function choicesOf(
  { variants, renditions }: Pick<MainPlaylist, "variants" | "renditions">,
  wanted?: string,
): Choice[] {
  const languages = languagesOf(renditions);
  const spoken = renditions.filter((each) => wanted === undefined || languages.get(each)?.id === wanted);
  const sorted = [...variants].sort(
    (a, b) => areaOf(b) - areaOf(a) || (b.frameRate ?? 0) - (a.frameRate ?? 0) || b.bandwidth - a.bandwidth,
  );
  const choices = new Map<string, Choice>();
  for (const variant of sorted) {
    const group = spoken.filter((each) => each.group === variant.audio);
    const [sound] = group.toSorted((a, b) => b.preference - a.preference);
    const language = sound && languages.get(sound);
    const audio = sound?.href === undefined ? undefined : sound;
    const id = `${variant.height === undefined ? "unknown" : `${variant.height}p`}-${variant.bandwidth}`;
    const isSilent = wanted !== undefined && language === undefined;
    const message =
      strangenessOf(variant) ?? (isSilent ? "it has no sound in the language that was chosen" : undefined);
    const problem: Problem | undefined =
      message === undefined ? undefined : { code: "unsupported-video", message };
    const known = choices.get(id);
    // Of two formats as good as each other, one may be read here.
    if (known === undefined || (known.problem !== undefined && problem === undefined))
      choices.set(id, { id, variant, audio, language, backups: [], problem });
    else if (problem === undefined && known.language === language)
      known.backups.push({ variant, audio, language });
  }
  return [...choices.values()];
}

function areaOf({ width = 0, height = 0 }: Variant): number {
  return width * height;
}

function strangenessOf({ codecs, width, height }: Variant): string | undefined {
  const hasSize = width !== undefined && height !== undefined;
  const hasPictures = codecs.length === 0 || hasSize || codecs.some((codec) => PICTURES.test(codec));
  return strangeFormat(codecs, [PICTURES, SOUND, TEXTS]) ?? (hasPictures ? undefined : "it is sound alone");
}

/** Characters of a tag or a name: more than any real one has. */
const LONGEST = 100;

/** The language of each; what differs in its form alone has the same one. */
export function languagesOf<Offered extends Spoken>(offered: readonly Offered[]): Map<Offered, HlsLanguage> {
  const known = new Map<string, HlsLanguage>();
  const ids = new Set<string>();
  const found = new Map<Offered, HlsLanguage>();
  for (const each of offered) {
    const [tag, name] = [each.language, each.name].map((text) => text?.slice(0, LONGEST) || undefined);
    const key = JSON.stringify([tag, name]);
    const numbered = `${tag ?? name ?? "unnamed"}-${known.size + 1}`;
    const id = [tag, name].find((text) => text !== undefined && !ids.has(text)) ?? numbered;
    const language = known.get(key) ?? { id, tag, name };
    known.set(key, language);
    ids.add(language.id);
    found.set(each, language);
  }
  return found;
}
