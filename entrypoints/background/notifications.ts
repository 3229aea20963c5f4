/** Tells the end of uploads and of streams, where the person asked for that. */
import type { ListSummary } from "../shared/job.ts";
import { readSettings } from "../shared/settings.ts";

/** One notification when an upload fails, and one when the last one is done. */
export async function notifyOfUploads(
  { unfinished, open }: ListSummary,
  news: { name: string; state: "done" | "failed" } | undefined,
): Promise<void> {
  if (news === undefined || !(await readSettings()).notifications) return;
  if (news.state === "failed")
    await notify("upload", `${news.name} needs you`, "Open Upcut to see why, and to go on");
  else if (open === 0) await notify("upload", "All uploads are done", `The last one was ${news.name}`);
  // What waits for the person is not done.
  else if (unfinished === 0)
    await notify("upload", `${news.name} is uploaded`, "Open Upcut to see what is left");
}

export function mayNotify(): Promise<boolean> {
  return chrome.permissions.contains({ permissions: ["notifications"] });
}

/** Shows a notification, if that is allowed. */
export async function notify(id: string, title: string, message: string): Promise<void> {
  if (!(await mayNotify())) return;
  await chrome.notifications.create(`upcut-${id}`, {
    type: "basic",
    iconUrl: chrome.runtime.getURL("icon/128.png"),
    title,
    message,
  });
}
