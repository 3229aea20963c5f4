/**
 * The context menu: ends a stream, on a selected id, on links, on the toolbar icon, on pages about a stream; and
 * uploads a video.
 */
import { readSettings } from "../shared/settings.ts";
import { outcomeOf } from "../shared/terminate-outcome.ts";
import { mayNotify, notify } from "./notifications.ts";
import { documentPatterns, findStreamId } from "./stream-id.ts";
import { terminateStream } from "./streams.ts";
import { createVideoMenus, isVideoMenu, takeVideo } from "./videos.ts";

let making: Promise<void> = Promise.resolve();

/** Menus last over restarts, so they are made again whenever they may have changed, one time after the other. */
export function createMenus(): Promise<void> {
  making = making.then(make, make);
  return making;
}

async function make(): Promise<void> {
  const { streamPage } = await readSettings();
  await chrome.contextMenus.removeAll();
  createVideoMenus();
  chrome.contextMenus.create({ id: "selection", contexts: ["selection"], title: "End the stream “%s”…" });
  chrome.contextMenus.create({ id: "link", contexts: ["link"], title: "End the stream of this link…" });
  chrome.contextMenus.create({ id: "action", contexts: ["action"], title: "End a stream…" });
  const documentUrlPatterns = documentPatterns(streamPage);
  if (documentUrlPatterns.length > 0) {
    chrome.contextMenus.create({
      id: "page",
      contexts: ["page"],
      title: "End the stream of this page…",
      documentUrlPatterns,
    });
  }
}

export async function onMenuClick(
  info: chrome.contextMenus.OnClickData,
  tab: chrome.tabs.Tab | undefined,
): Promise<void> {
  if (isVideoMenu(info)) return await takeVideo(info, tab);
  const { confirmTerminate, streamPage } = await readSettings();
  const id = findStreamId({
    ...(info.menuItemId === "selection" && { selectionText: info.selectionText }),
    ...(info.menuItemId === "link" && { linkUrl: info.linkUrl }),
    ...(info.menuItemId === "page" && { pageUrl: info.pageUrl }),
    streamPage,
  });
  // Without a notification the window tells the result.
  if (id === undefined || confirmTerminate || !(await mayNotify()))
    return await openTerminateWindow(id ?? info.selectionText?.trim() ?? "");
  const response = await terminateStream(id).catch(() => null);
  // The window can ask for what is missing, a menu can't.
  if (response !== null && "missing" in response) return await openTerminateWindow(id);
  const { title, detail, quote } = outcomeOf(response);
  const said = quote === undefined ? undefined : `The service said: “${quote}”`;
  await notify("stream", title, [`Stream ${id}.`, detail, said].filter(Boolean).join(" "));
}

async function openTerminateWindow(id: string): Promise<void> {
  await chrome.windows.create({
    type: "popup",
    width: 440,
    height: 420,
    url: chrome.runtime.getURL(`terminate.html?id=${encodeURIComponent(id)}`),
  });
}
