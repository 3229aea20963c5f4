/** Notifies of the end of uploads and of streams, where the person turned that on. */
import { endsSentence } from "../shared/format.ts";
import { markedText } from "../shared/isolates.ts";
import type { Ends, ListSummary } from "../shared/job.ts";
import { readSettings } from "../shared/settings.ts";
import { t } from "../shared/translate.ts";
import { openList } from "./list-window.ts";

/** One notification when uploads fail, and one when the last ones are done. A click on it opens the list there. */
export async function notifyOfUploads(summary: ListSummary, ended: Ends | undefined): Promise<void> {
  if (ended === undefined || !(await readSettings()).notifications) return;
  const words = wordsFor(summary, ended);
  if (words === undefined) return;
  await rememberNotified(ended.last.jobId);
  await notify("upload", ...words);
}

export function wordsFor({ unfinished, unended }: ListSummary, ended: Ends): [string, string] | undefined {
  const { done, failed, last } = ended;
  const { name } = last;
  if (failed > 1 || (failed > 0 && done > 0)) return [endsSentence(ended), t("notification.failedHint")];
  if (failed > 0) return [t("notification.failed", { name }), t("notification.failedHint")];
  // An upload that waits for the person is not done.
  if (unfinished > 0) return undefined;
  if (unended === 0)
    return [
      t("notification.allDone"),
      done > 1 ? endsSentence(ended) : t("notification.allDoneHint", { name }),
    ];
  return [done > 1 ? endsSentence(ended) : t("notification.done", { name }), t("notification.doneHint")];
}

export function mayNotify(): Promise<boolean> {
  return chrome.permissions.contains({ permissions: ["notifications"] });
}

export async function notify(id: string, title: string, message: string): Promise<void> {
  if (!(await mayNotify())) return;
  await chrome.notifications.create(`upcut-${id}`, {
    type: "basic",
    iconUrl: chrome.runtime.getURL("icon/128.png"),
    title: markedText(title),
    message: markedText(message),
  });
}

const NOTIFIED = "notified-job";

/** The worker may have ended by the time of the click. */
export async function rememberNotified(jobId: string): Promise<void> {
  await chrome.storage.session.set({ [NOTIFIED]: jobId });
}

/** Without the permission there is nothing to listen to; listening twice is listening once. */
export function watchNotificationClicks(): void {
  chrome.notifications?.onClicked.addListener(onClick);
}

async function onClick(id: string): Promise<void> {
  if (id !== "upcut-upload") return;
  await chrome.notifications.clear("upcut-upload");
  const { [NOTIFIED]: job } = await chrome.storage.session.get(NOTIFIED);
  await openList(typeof job === "string" ? { job } : {});
}
