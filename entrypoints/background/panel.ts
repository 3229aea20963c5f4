/** The side panel: the popup's page, in a place that dialogs and changes of the page leave open. */
import { openSidePanel } from "../shared/side-panel.ts";
import { t } from "../shared/translate.ts";

export function createPanelMenu(): void {
  chrome.contextMenus.create({ id: "panel", contexts: ["action"], title: t("panel.open") });
}

export function isPanelMenu({ menuItemId }: chrome.contextMenus.OnClickData): boolean {
  return menuItemId === "panel";
}

/** Within the click: after anything that is awaited, the browser opens none. */
export async function openPanel(tab: chrome.tabs.Tab | undefined): Promise<void> {
  if (tab !== undefined) await openSidePanel(tab.windowId);
}
