/** Hands over chosen videos: addresses to the uploads at once, and what only its page can read from within the page. */
import type { OffscreenAsk, PageBlob } from "../shared/messages.ts";
import type { PageVideo } from "../shared/page-video.ts";
import { hostPattern } from "../shared/settings.ts";

/** Asks for the hosts of addresses, all in one question. Must be called within the click. */
export async function allowHosts(addresses: string[]): Promise<boolean> {
  if (addresses.length === 0) return true;
  const origins = [...new Set(addresses.map((address) => hostPattern(new URL(address).origin)))];
  return await chrome.permissions.request({ origins }).catch(() => false);
}

export function addressesAsk(
  batch: string,
  videos: PageVideo[],
): Extract<OffscreenAsk, { type: "addresses" }> {
  return {
    type: "addresses",
    batch,
    videos: videos.map(({ address, title, page, type, size, thumbnail }) => ({
      address,
      title,
      page: page.url,
      ...(type !== undefined && { type }),
      ...(size !== undefined && { size }),
      ...(thumbnail !== undefined && { thumbnail }),
    })),
  };
}

/** Has the page's frame send what is behind a blob: address; whether it did. */
export async function sendBlob(batch: string, { address, title, page }: PageVideo): Promise<boolean> {
  const message = { to: "offscreen", type: "page-blob", batch, title, page: page.url } as const;
  try {
    const [answer] = await chrome.scripting.executeScript({
      target: { tabId: page.tabId, frameIds: [page.frameId] },
      func: sendFromPage,
      args: [address, message],
      injectImmediately: true,
    });
    return answer?.result === true;
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
