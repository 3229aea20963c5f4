/** Says when something was uploaded before. */
import { unbroken } from "../shared/format.ts";
import { language, t } from "../shared/translate.ts";

const DAY = 86_400_000;

/** Such as "Uploaded yesterday. Upload again?". */
export function uploadedBeforeSentence(at: number, now = Date.now()): string {
  return t("list.uploadedBefore", { when: whenInDays(at, now) });
}

/** "today", "yesterday" and so on, by the calendar; a date once it is longer ago. */
function whenInDays(at: number, now: number): string {
  const days = Math.round((midnight(now) - midnight(at)) / DAY);
  if (days > 30) return new Intl.DateTimeFormat(language(), { dateStyle: "medium" }).format(at);
  const relative = new Intl.RelativeTimeFormat(language(), { numeric: "auto" });
  return unbroken(relative.format(-Math.max(0, days), "day"));
}

function midnight(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}
