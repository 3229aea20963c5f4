/** Says which stored settings were left out. */
import { type PlainKey, t } from "../shared/translate.ts";

export function refusedSentence(names: readonly PlainKey[]): string {
  return t("options.refused", { settings: names.map((name) => t(name)).join(", ") });
}
