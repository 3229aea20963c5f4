/**
 * Firefox's place for the uploads, which has no offscreen document: a frame in the background's own page.
 *
 * That page is ended half a minute after the last event, whatever its frames do. Calls of the browser are such events,
 * so they are made as long as the frame is there, which is as long as uploads are unfinished or a page is open.
 */
import type { OffscreenPlace } from "./offscreen-document.ts";

/** Milliseconds between two calls. */
const KEEP_ALIVE_INTERVAL = 10_000;

let frame: HTMLIFrameElement | undefined;
let keepingAlive: ReturnType<typeof setInterval> | undefined;

export const offscreenFrame: OffscreenPlace = {
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
