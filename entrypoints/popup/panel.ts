/** The way into the browser's side panel, and what the panel does beyond the popup. */
import { element } from "../shared/elements.ts";

/** The button that opens the panel in place of the popup. */
export function makePanelButton(isPopup: boolean): void {
  const button = element("open-panel", HTMLButtonElement);
  button.hidden = !isPopup;
  if (!isPopup) return;
  let windowId: number | undefined;
  void chrome.windows.getCurrent().then(({ id }) => {
    windowId = id;
  });
  button.addEventListener("click", () => {
    // Within the click: after anything that is awaited, the browser opens none.
    if (windowId !== undefined) void chrome.sidePanel.open({ windowId }).then(() => window.close());
  });
}

/** Calls `look` with the tab in front of the panel's window whenever that is another one, or shows another page. */
export async function followFrontTab(look: (tabId: number) => void): Promise<void> {
  const { id: own } = await chrome.windows.getCurrent();
  chrome.tabs.onActivated.addListener(({ tabId, windowId }) => {
    if (windowId === own) look(tabId);
  });
  chrome.tabs.onUpdated.addListener((tabId, { status }, { active, windowId }) => {
    if (status === "complete" && active && windowId === own) look(tabId);
  });
}
