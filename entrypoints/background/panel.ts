/** The list beside pages: in the side panel, which dialogs and changes of the page leave open, or in a window. */
import { IS_FIREFOX } from "../shared/is-firefox.ts";
import { openSidePanel } from "../shared/side-panel.ts";
import { t } from "../shared/translate.ts";

/** Chromium's menu of the toolbar icon has an entry of its own. */
export function createPanelMenu(): void {
  if (IS_FIREFOX) chrome.contextMenus.create({ id: "panel", contexts: ["action"], title: t("panel.open") });
}

export function isPanelMenu({ menuItemId }: chrome.contextMenus.OnClickData): boolean {
  return menuItemId === "panel";
}

/** Within the click: after anything that is awaited, the browser opens none. */
export async function openPanel(tab: chrome.tabs.Tab | undefined): Promise<void> {
  if (tab !== undefined) await openSidePanel(tab.windowId);
}

/** @param query what the page is to show: why a video was refused, or the row of a job */
export async function openList(query: { refused?: string; job?: string }): Promise<void> {
  const url = chrome.runtime.getURL(`popup.html?${new URLSearchParams({ tab: "", ...query })}`);
  await chrome.windows.create({ type: "popup", width: 460, height: 600, url });
}
