/** Many ends of uploads in one sentence. */
import { plural, t } from "./translate.ts";

/** Such as "12 videos uploaded, 1 failed". */
export function endsSentence({ done, failed }: { done: number; failed: number }): string {
  const parts = { done: plural("list.uploaded", done), failed: plural("list.failed", failed) };
  if (failed === 0) return parts.done;
  return done === 0 ? plural("list.onlyFailed", failed) : t("list.ends", parts);
}
