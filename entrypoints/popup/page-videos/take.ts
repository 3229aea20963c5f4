/** Hands over chosen videos: addresses to the uploads at once. */
import type { OffscreenAsk } from "../../shared/messages.ts";
import type { PageVideo } from "../../shared/page-video.ts";

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
