/** Says what of a video isn't taken: the sound in other languages, and the subtitles. */
import type { NamedTracks } from "../shared/job.ts";
import { plural } from "../shared/translate.ts";

/**
 * @param chosen the id of the language that is taken. @default the first one
 * @returns nothing where all of it is taken
 */
export function tracksLeftOut({ languages = [], subtitles = 0 }: NamedTracks, chosen?: string): string {
  const taken = languages.find(({ id }) => id === chosen) ?? languages[0];
  const count = languages.length;
  const parts = [
    ...(taken !== undefined && count > 1
      ? [plural("found.languages", count, { language: taken.label })]
      : []),
    ...(subtitles > 0 ? [plural("found.withoutSubtitles", subtitles)] : []),
  ];
  return parts.join(" · ");
}
