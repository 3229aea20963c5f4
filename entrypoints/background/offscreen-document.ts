/** Chromium's place for the uploads: a document that is never shown, beside the worker. */

/** A place for the document that runs the uploads. */
export interface OffscreenPlace {
  open(): Promise<void>;
  isOpen(): Promise<boolean>;
  close(): Promise<void>;
}

export const offscreenDocument: OffscreenPlace = {
  open: () =>
    chrome.offscreen.createDocument({
      url: "offscreen.html",
      reasons: ["BLOBS"],
      justification: "Uploads chosen files, which takes longer than the popup and the service worker live",
    }),
  isOpen: async () => (await chrome.runtime.getContexts({ contextTypes: ["OFFSCREEN_DOCUMENT"] })).length > 0,
  close: () => chrome.offscreen.closeDocument(),
};
