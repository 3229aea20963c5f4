/** Says which stored settings were left out, and what waits for the person to look at that. */
import { holdsUploads } from "../shared/settings.ts";
import { type PlainKey, t } from "../shared/translate.ts";

export function refusedSettingSentence(names: readonly PlainKey[]): string {
  const sentence = t("options.refused", { settings: names.map((name) => t(name)).join(", ") });
  return holdsUploads(names) ? `${sentence} ${t("options.held")}` : sentence;
}
