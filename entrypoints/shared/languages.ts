/** Languages of a video, as the person calls them. */

import type { HlsLanguage } from "../../core/extension.ts";
import type { HlsVideo } from "../../core/hls/mod.ts";
import type { NamedTracks } from "./job.ts";

/** Languages to choose from: none has as many. */
const MOST_LANGUAGES = 100;

/** @param own the language in which they are named */
export function tracksOf({ languages, subtitles }: HlsVideo, own: string): Required<NamedTracks> {
  return { languages: languagesOf(languages.slice(0, MOST_LANGUAGES), own), subtitles: subtitles.length };
}

function languagesOf(languages: readonly HlsLanguage[], own: string): Required<NamedTracks>["languages"] {
  const names = new Intl.DisplayNames(own, { type: "language", fallback: "none" });
  const labels = languages.map(({ id, tag, name }) => (tag && nameIn(names, tag)) || name || id);
  return languages.map(({ id, name }, at) => {
    const label = labels[at] ?? id;
    // A commentary, for example.
    const isOther = labels.indexOf(label) < at && name !== undefined;
    return { id, label: isOther ? `${label} (${name})` : label };
  });
}

function nameIn(names: Intl.DisplayNames, tag: string): string | undefined {
  try {
    return tag === "und" ? undefined : names.of(tag);
  } catch {
    return undefined;
  }
}
