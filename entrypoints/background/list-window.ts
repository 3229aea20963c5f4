/** The list in a window of its own. */

/** @param query what the page is to show: why a video was refused, or the row of a job */
export async function openList(query: { refused?: string; job?: string }): Promise<void> {
  const url = chrome.runtime.getURL(`popup.html?${new URLSearchParams({ tab: "", ...query })}`);
  await chrome.windows.create({ type: "popup", width: 460, height: 600, url });
}
