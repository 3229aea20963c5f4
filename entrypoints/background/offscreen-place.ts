/** The place for the document that runs the uploads. */
import { IS_FIREFOX } from "../shared/is-firefox.ts";

interface OffscreenPlace {
  open(): Promise<void>;
  isOpen(): Promise<boolean>;
  close(): Promise<void>;
}

/** Chromium's place: a document that is never shown, beside the worker. */
const offscreenDocument: OffscreenPlace = {
  open: () =>
    chrome.offscreen.createDocument({
      url: "offscreen.html",
      reasons: ["BLOBS"],
      justification: "Uploads chosen files, which takes longer than the popup and the service worker live",
    }),
  isOpen: async () => (await chrome.runtime.getContexts({ contextTypes: ["OFFSCREEN_DOCUMENT"] })).length > 0,
  close: () => chrome.offscreen.closeDocument(),
};

/** Milliseconds between two calls. */
const KEEP_ALIVE_INTERVAL = 10_000;

let frame: HTMLIFrameElement | undefined;
let keepingAlive: ReturnType<typeof setInterval> | undefined;

/**
 * Firefox's place, which has no offscreen document: a frame in the background's own page.
 *
 * That page is ended half a minute after the last event, whatever its frames do. Calls of the browser are such events,
 * so they are made as long as the frame is there, which is as long as uploads are unfinished or a page is open.
 */
const offscreenFrame: OffscreenPlace = {
  async open() {
    const made = document.createElement("iframe");
    made.src = "offscreen.html";
    const loaded = new Promise<void>((resolve) => {
      made.addEventListener("load", () => resolve(), { once: true });
    });
    document.body.append(made);
    frame = made;
    keepingAlive = setInterval(() => void chrome.runtime.getPlatformInfo(), KEEP_ALIVE_INTERVAL);
    await loaded;
  },
  isOpen: async () => frame !== undefined,
  async close() {
    clearInterval(keepingAlive);
    frame?.remove();
    frame = undefined;
  },
};

export const place: OffscreenPlace = IS_FIREFOX ? offscreenFrame : offscreenDocument;
