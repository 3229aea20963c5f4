/** The place in which this page is shown, the way into the side panel, and what the panel does beyond the popup. */
import { IS_FIREFOX } from "../shared/is-firefox.ts";
import { openSidePanel } from "../shared/side-panel.ts";

const query = new URLSearchParams(location.search);

/** The tab this page was opened from; null where it is in no tab itself. */
export const openedFrom: string | null = query.get("tab");

export const surface: "popup" | "tab" | "panel" =
  openedFrom !== null ? "tab" : query.has("panel") ? "panel" : "popup";

/**
 * Whether files are chosen in the panel instead of here: a file dialog ends Firefox's popup at once, before it can take
 * them.
 */
export const CHOOSES_IN_PANEL: boolean = IS_FIREFOX && surface === "popup";

/** The window of the popup, once it is noted: within a click it is too late to ask for it. */
export let windowId: number | undefined;

export async function noteWindow(): Promise<void> {
  windowId = (await chrome.windows.getCurrent()).id;
}

/** Opens the panel in place of the popup. Within a click: after anything that is awaited, the browser opens none. */
export function moveToPanel(): void {
  if (windowId !== undefined) void openSidePanel(windowId).then(() => window.close());
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
