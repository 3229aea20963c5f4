/** The toolbar icon's badge: overall percent while uploading, a mark when the person is needed. */
import type { ListSummary } from "../shared/job.ts";

export async function showBadge({
  running,
  needsAttention,
  failed,
  fraction,
  unfinished,
}: ListSummary): Promise<void> {
  const wanted = needsAttention + failed;
  const text =
    running > 0 ? `${Math.floor(fraction * 100)}%` : wanted > 0 ? "!" : unfinished > 0 ? `${unfinished}` : "";
  await Promise.all([
    chrome.action.setBadgeText({ text }),
    chrome.action.setBadgeBackgroundColor({ color: running > 0 ? "#4338ca" : "#b42318" }),
    chrome.action.setBadgeTextColor({ color: "#ffffff" }),
  ]);
}
