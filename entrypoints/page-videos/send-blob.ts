/** Has a frame of a page send the video that only it can read. */
import type { PageBlob } from "../shared/messages.ts";
import type { PageVideo } from "./page-video.ts";

/** Has the page's frame send what is behind a blob: address; whether it did. */
export async function sendBlob(
  batch: string,
  { address, title, page }: Pick<PageVideo, "address" | "title" | "page">,
): Promise<boolean> {
  const message = { to: "offscreen", type: "page-blob", batch, title, page: page.url } as const;
  try {
    const [response] = await chrome.scripting.executeScript({
      target: { tabId: page.tabId, frameIds: [page.frameId] },
      func: sendFromPage,
      args: [address, message],
      injectImmediately: true,
    });
    return response?.result === true;
  } catch {
    // The tab was closed or shows another page.
    return false;
  }
}

/** Runs in the page's frame: it can use nothing from around it. */
async function sendFromPage(address: string, message: Omit<PageBlob, "blob">): Promise<boolean> {
  try {
    const blob = await (await fetch(address)).blob();
    await chrome.runtime.sendMessage({ ...message, blob });
    return true;
  } catch {
    return false;
  }
}
