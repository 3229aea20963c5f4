/** Says which stored settings were left out, and what waits for the person to look at that. */
import { formatList } from "../shared/format.ts";
import { holdsUploads } from "../shared/settings.ts";
import { joinSentences, type PlainKey, t } from "../shared/translate.ts";

export function refusedSettingSentence(names: readonly PlainKey[]): string {
  const sentence = t("options.refused", { settings: formatList(names.map((name) => t(name))) });
  return holdsUploads(names) ? joinSentences([sentence, t("options.held")]) : sentence;
}
