/** The context menu that uploads a video: under the pointer, or behind a link. */

import { sendBlob } from "../page-videos/send-blob.ts";
import { isOpenedByClick, requestReading } from "../reach/host-permissions.ts";
import { removeDialogNote, writeDialogNote } from "../shared/dialog-note.ts";
import { readUploadSettings } from "../shared/known-account.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { openOffscreenChannel } from "../shared/offscreen-channel.ts";
import { isConnected, readAccount } from "../shared/settings.ts";
import { t } from "../shared/translate.ts";
import { FILE_ENDINGS } from "../shared/video-kind.ts";
import { readLink } from "../shared/video-link.ts";
import { isWebAddress, originOf } from "../shared/web-address.ts";
import { within } from "../shared/within.ts";
import { openList } from "./list-window.ts";
import { mayNotify, notify } from "./notifications.ts";
import { ensureOffscreen, keepWatch } from "./offscreen.ts";
import { noteAnswer, openPopup } from "./reopen.ts";

/** Milliseconds within which the uploads answer, on a busy machine too. */
const READY_TIMEOUT = 20_000;

type Click = chrome.contextMenus.OnClickData;

/** Patterns know no difference between a path and its query, and one between small and large letters. */
const LINKS = FILE_ENDINGS.flatMap((ending) => [ending, ending.toUpperCase()]).flatMap((ending) => [
  `*://*/*.${ending}`,
  `*://*/*.${ending}?*`,
]);

export function createVideoMenus(): void {
  const title = t("menu.video");
  chrome.contextMenus.create({ id: "video", contexts: ["video"], title });
  chrome.contextMenus.create({ id: "video-link", contexts: ["link"], targetUrlPatterns: LINKS, title });
}

export function isVideoMenu({ menuItemId }: Click): boolean {
  return menuItemId === "video" || menuItemId === "video-link";
}

/** Takes the video of a click. The click itself lets us read the page's own site; another one is asked for. */
export async function takeVideo(click: Click, tab: chrome.tabs.Tab | undefined): Promise<void> {
  const { srcUrl, linkUrl, pageUrl = "" } = click;
  const given = click.menuItemId === "video" ? srcUrl : linkUrl;
  const link = readLink(given ?? "");
  // Within the click: after anything that is awaited, the browser asks no more.
  const isForeign = "address" in link && !isOpenedByClick(originOf(link.address), originOf(pageUrl));
  const requesting = isForeign ? requestReading([link.address]) : undefined;
  if (!isConnected(await readAccount())) return await chrome.runtime.openOptionsPage();
  const title = (click.menuItemId === "video" && tab?.title) || ("title" in link ? link.title : "");
  if (given === undefined)
    return await (tab === undefined ? openList({ refused: "no-address" }) : openAbovePage(tab));
  if (given.startsWith("blob:")) return await takeBlob(given, title || t("found.video"), click, tab);
  if ("refused" in link) return await openList({ refused: link.refused });
  const page = isWebAddress(pageUrl) ? { page: pageUrl } : {};
  const batch = await nameBatch(tab);
  const isSent = await sendToUploads({ type: "addresses", batch, videos: [{ ...link, ...page, title }] });
  await requesting;
  if (!isSent) return await openList({});
  await reportStart(title);
}

async function takeBlob(address: string, title: string, click: Click, tab?: chrome.tabs.Tab): Promise<void> {
  const { frameId = 0, pageUrl = "" } = click;
  if (tab?.id === undefined) return await openList({ refused: "gone" });
  const batch = await nameBatch(tab);
  if (!(await sendToUploads({ type: "expect-blob", batch }))) return await openList({});
  const video = { address, title, page: { tabId: tab.id, frameId, url: pageUrl } };
  if (await sendBlob(batch, video)) await reportStart(title);
  // A script feeds the player with a video that can't be read: the popup looks for where its pieces come from.
  else await openAbovePage(tab);
}

/** The click on the menu lets the popup look into the page, as one on the toolbar does. */
async function openAbovePage({ windowId }: chrome.tabs.Tab): Promise<void> {
  await removeDialogNote();
  if (!(await openPopup(windowId))) await openList({ refused: "no-address" });
}

/** Names a batch, of which the popup that is opened afterwards is to show the row. */
async function nameBatch(tab: chrome.tabs.Tab | undefined): Promise<string> {
  const batch = crypto.randomUUID();
  const windowId = tab?.windowId;
  await writeDialogNote({ batch, kind: "host", at: Date.now(), ...(windowId !== undefined && { windowId }) });
  return batch;
}

/** A started upload shows in the popup, with its grace; a draft waits to be started, so the list is opened. */
async function reportStart(title: string): Promise<void> {
  if ((await readUploadSettings()).reviewFirst) {
    await removeDialogNote();
    return await openList({});
  }
  await noteAnswer();
  if (await mayNotify()) await notify("upload", t("notification.started"), title);
}

/** @returns false where the uploads don't answer, which the list says once it is opened */
async function sendToUploads(command: OffscreenCommand): Promise<boolean> {
  await keepWatch(true);
  const channel = openOffscreenChannel(undefined, ensureOffscreen);
  const isReady = channel.waitUntilReady().then(() => true);
  const isSent = await within(READY_TIMEOUT, isReady, () => false);
  if (isSent) channel.send(command);
  else await removeDialogNote();
  channel.close();
  return isSent;
}
