/** Where this page is shown: in the popup, in a tab, or in the browser's side panel. */

const query = new URLSearchParams(location.search);

/** The tab this page was opened from; null where it is in no tab itself. */
export const openedFrom: string | null = query.get("tab");

export const surface: "popup" | "tab" | "panel" =
  openedFrom !== null ? "tab" : query.has("panel") ? "panel" : "popup";
