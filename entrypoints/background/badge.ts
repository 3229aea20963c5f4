/** The toolbar icon's badge: overall percent while uploading, else how many uploads wait for the person. */
import { formatPercent } from "../shared/format.ts";
import type { ListSummary } from "../shared/job.ts";
import { plural, t } from "../shared/translate.ts";

/** Words of the badge and of the icon's title. Pure but for the language. */
export function badgeOf({ running, waiting, fraction, unfinished }: ListSummary): {
  text: string;
  title: string;
  isRunning: boolean;
} {
  const isRunning = unfinished > 0;
  const title = [
    ...(isRunning
      ? [running > 0 ? t("badge.running", { percent: formatPercent(fraction) }) : t("badge.starting")]
      : []),
    ...(waiting > 0 ? [plural("badge.waiting", waiting)] : []),
  ].join(" · ");
  // A badge has room for four characters.
  const count = waiting > 999 ? "999+" : String(waiting);
  const text = running > 0 ? `${Math.floor(fraction * 100)}%` : waiting > 0 ? count : isRunning ? "…" : "";
  return { text, title: title === "" ? t("name") : `${t("name")} · ${title}`, isRunning: running > 0 };
}

export async function showBadge(summary: ListSummary): Promise<void> {
  const { text, title, isRunning } = badgeOf(summary);
  await Promise.all([
    chrome.action.setBadgeText({ text }),
    chrome.action.setTitle({ title }),
    chrome.action.setBadgeBackgroundColor({ color: isRunning || text === "…" ? "#4338ca" : "#b42318" }),
    chrome.action.setBadgeTextColor({ color: "#ffffff" }),
  ]);
}
