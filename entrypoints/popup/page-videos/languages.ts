/** Languages of a video, as the person calls them. */
import type { HlsLanguage } from "../../../core/hls/mod.ts";
import type { NamedTracks } from "../../shared/job.ts";
import { language as ownLanguage } from "../../shared/translate.ts";

export function languagesOf(languages: readonly HlsLanguage[]): Required<NamedTracks>["languages"] {
  const names = new Intl.DisplayNames(ownLanguage(), { type: "language", fallback: "none" });
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
    // It is no tag.
    return undefined;
  }
}
