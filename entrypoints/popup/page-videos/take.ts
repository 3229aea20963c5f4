/** Hands over chosen videos: addresses to the uploads at once. */
import type { OffscreenAsk } from "../../shared/messages.ts";
import type { PageVideo } from "../../shared/page-video.ts";
import { hostPattern } from "../../shared/settings.ts";

/** Asks for the hosts of addresses, all in one question. Must be called within the click. */
export async function allowHosts(addresses: string[]): Promise<boolean> {
  if (addresses.length === 0) return true;
  const origins = [...new Set(addresses.map((address) => hostPattern(new URL(address).origin)))];
  return await chrome.permissions.request({ origins }).catch(() => false);
}

export function addressesAsk(
  batch: string,
  videos: (PageVideo & { open: boolean })[],
): Extract<OffscreenAsk, { type: "addresses" }> {
  return {
    type: "addresses",
    batch,
    videos: videos.map(({ address, title, page, type, size, thumbnail, open }) => ({
      address,
      title,
      page: page.url,
      ...(type !== undefined && { type }),
      ...(size !== undefined && { size }),
      ...(thumbnail !== undefined && { thumbnail }),
      ...(open && { open }),
    })),
  };
}
