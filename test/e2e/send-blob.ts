/** A video that only its page can read, as a script of the extension in it sends it. */
import type { Page } from "playwright-core";
import type { Extension } from "./extension.ts";

/** Has a page make a Blob of its video. */
export async function makeBlob(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const blob = await (await fetch("videos/video.mp4")).blob();
    document.body.dataset.video = URL.createObjectURL(blob);
  });
}

/** Sends it, and things that are none, as a page that was taken over could. */
export async function sendBlob(extension: Extension, origin: string, title: string): Promise<void> {
  await extension.inWorker(`chrome.tabs.query({ url: "${origin}/*" }).then(([tab]) =>
    chrome.scripting.executeScript({
      target: { tabId: tab.id },
      args: ["${title}"],
      func: async (title) => {
        const blob = await (await fetch(document.body.dataset.video)).blob();
        const message = { to: "offscreen", type: "page-blob", batch: "b", page: location.href };
        chrome.runtime.sendMessage({ ...message, blob: {}, title: "No blob" });
        chrome.runtime.sendMessage({ ...message, type: "addresses", videos: [{ address: location.href, title: "No ask" }] });
        chrome.runtime.sendMessage({ ...message, blob, title });
      },
    }))`);
}
