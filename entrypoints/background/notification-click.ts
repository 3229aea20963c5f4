/** A click on the notification of uploads opens the list at the row that it told of. */
import { openList } from "./open-list.ts";

const NOTIFIED = "notified-job";

/** The worker may have ended by the time of the click. */
export async function rememberNotified(jobId: string): Promise<void> {
  await chrome.storage.session.set({ [NOTIFIED]: jobId });
}

/** Without the permission there is nothing to listen to; listening twice is listening once. */
export function watchNotificationClicks(): void {
  chrome.notifications?.onClicked.addListener(onClick);
}

function onClick(id: string): void {
  if (id === "upcut-upload") void openNotified();
}

async function openNotified(): Promise<void> {
  await chrome.notifications.clear("upcut-upload");
  const { [NOTIFIED]: job } = await chrome.storage.session.get(NOTIFIED);
  await openList(typeof job === "string" ? { job } : {});
}
