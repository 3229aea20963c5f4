/**
 * The context menu: ends a stream, on a selected id, on links, on the toolbar icon, on pages about a stream; and
 * uploads a video.
 */
import { isReady, readSettings } from "../shared/settings.ts";
import { documentPatterns, findStreamId } from "../shared/stream-id.ts";
import { outcomeOf } from "../shared/terminate-outcome.ts";
import { mayNotify, notify } from "./notifications.ts";
import { isPermitted } from "./permissions.ts";
import { terminateStream } from "./streams.ts";
import { createVideoMenus, isVideoMenu, takeVideo } from "./videos.ts";

let making: Promise<void> = Promise.resolve();

/** Menus last over restarts, so they are made anew whenever they may have changed, one time after the other. */
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
  const { address, confirmTerminate, streamPage } = await readSettings();
  const id = findStreamId({
    ...(info.menuItemId === "selection" && { selectionText: info.selectionText }),
    ...(info.menuItemId === "link" && { linkUrl: info.linkUrl }),
    ...(info.menuItemId === "page" && { pageUrl: info.pageUrl }),
    streamPage,
  });
  // The window can ask for what is missing, a menu can't; and without a notification the window tells the result.
  const ready = (await isReady()) && (await isPermitted(address)) && (await mayNotify());
  if (id === undefined || confirmTerminate || !ready)
    return await askFirst(id ?? info.selectionText?.trim() ?? "");
  const { title, detail, quote } = outcomeOf(await terminateStream(id).catch(() => null));
  const said = quote === undefined ? undefined : `It said: “${quote}”`;
  await notify("stream", title, [`Stream ${id}.`, detail, said].filter(Boolean).join(" "));
}

async function askFirst(id: string): Promise<void> {
  await chrome.windows.create({
    type: "popup",
    width: 440,
    height: 420,
    url: chrome.runtime.getURL(`terminate.html?id=${encodeURIComponent(id)}`),
  });
}
