/** Notifies of the end of uploads and of streams, where the person turned that on. */
import type { EndedUpload, ListSummary } from "../shared/job.ts";
import { readSettings } from "../shared/settings.ts";

/** One notification when an upload fails, and one when the last one is done. */
export async function notifyOfUploads(
  { unfinished, open }: ListSummary,
  ended: EndedUpload | undefined,
): Promise<void> {
  if (ended === undefined || !(await readSettings()).notifications) return;
  if (ended.state === "failed")
    await notify("upload", `${ended.name} needs attention`, "Open Upcut to see why and to continue");
  else if (open === 0) await notify("upload", "All uploads are done", `The last one was ${ended.name}`);
  // What waits for the person is not done.
  else if (unfinished === 0)
    await notify("upload", `${ended.name} is uploaded`, "Open Upcut to see what is left");
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
