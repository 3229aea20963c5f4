/** The browser's side panel, which Firefox calls a sidebar. */
import { IS_FIREFOX } from "./is-firefox.ts";

/** Opens it in a window, with the list. Within a click: after anything that is awaited, the browser opens none. */
export async function openSidePanel(windowId: number): Promise<void> {
  if (IS_FIREFOX)
    await (chrome as unknown as { sidebarAction: { open(): Promise<void> } }).sidebarAction.open();
  else await chrome.sidePanel.open({ windowId });
}
