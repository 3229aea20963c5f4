/**
 * The languages of a video's sound and of its subtitles: what one is chosen by.
 *
 * @module
 */

/** Sound or subtitles in a language; several may have the same one, as a commentary does. */
export interface HlsLanguage {
  /** Names it to `openHls`: its tag, or its name where an earlier one has that tag. */
  id: string;
  /** As the playlist tags it, for example "en". */
  tag: string | undefined;
  /** As the playlist calls it, for example "English". */
  name: string | undefined;
}

/** Language and name of a track, as a playlist gives them. */
export interface Spoken {
  language: string | undefined;
  name: string | undefined;
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
