/**
 * The context menu: ends a stream, on a selected id, on links, on the toolbar icon, on pages about a stream; and
 * uploads a video.
 */
import { IS_FIREFOX } from "../shared/is-firefox.ts";
import { readSettings } from "../shared/settings.ts";
import { openSidePanel } from "../shared/side-panel.ts";
import { menuPages, narrow } from "../shared/stream-pages.ts";
import { outcomeOf } from "../shared/terminate-outcome.ts";
import { joinSentences, t } from "../shared/translate.ts";
import { createTurns } from "../shared/turns.ts";
import { terminateStream } from "./account.ts";
import { mayNotify, notify } from "./notifications.ts";
import { documentPatterns, findStreamId, STREAM_LINKS } from "./stream-id.ts";
import { createVideoMenus, isVideoMenu, takeVideo } from "./videos.ts";

const inTurn = createTurns(1);

/** Menus last over restarts, so they are made again whenever they may have changed, one time after the other. */
export const createMenus = (): Promise<void> => inTurn(make);

async function make(): Promise<void> {
  const settings = await readSettings();
  await chrome.contextMenus.removeAll();
  createVideoMenus();
  // Chromium's menu of the toolbar icon has an entry of its own.
  if (IS_FIREFOX)
    chrome.contextMenus.create({ id: "panel", contexts: ["action"], title: t("panel.openSidebar") });
  const pages = menuPages(settings);
  createOn(pages, { id: "selection", contexts: ["selection"], title: t("menu.selection") });
  createOn(pages, { id: "link", contexts: ["link"], targetUrlPatterns: STREAM_LINKS, title: t("menu.link") });
  chrome.contextMenus.create({ id: "action", contexts: ["action"], title: t("menu.action") });
  createOn(narrow(pages, documentPatterns(settings.streamPage)), {
    id: "page",
    contexts: ["page"],
    title: t("menu.page"),
  });
}

/** An entry on some pages, or on all; without any page there is none. */
function createOn(
  documentUrlPatterns: string[] | undefined,
  entry: chrome.contextMenus.CreateProperties,
): void {
  if (documentUrlPatterns?.length === 0) return;
  chrome.contextMenus.create({ ...entry, ...(documentUrlPatterns && { documentUrlPatterns }) });
}

export async function onMenuClick(
  info: chrome.contextMenus.OnClickData,
  tab: chrome.tabs.Tab | undefined,
): Promise<void> {
  // Within the click: after anything that is awaited, the browser opens none.
  if (info.menuItemId === "panel") return tab && (await openSidePanel(tab.windowId));
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
  const { title, detail, quote, next, isUnknown } = outcomeOf(response);
  const warning = isUnknown && next === "again" && t("terminate.tryAgainEnds");
  const said = quote !== undefined && t("notification.said", { words: quote });
  await notify("stream", title, joinSentences([t("notification.stream", { id }), detail, warning, said]));
}

async function openTerminateWindow(id: string): Promise<void> {
  await chrome.windows.create({
    type: "popup",
    width: 440,
    height: 420,
    url: chrome.runtime.getURL(`terminate.html?id=${encodeURIComponent(id)}`),
  });
}
