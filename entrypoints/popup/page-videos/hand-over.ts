/** Hands over videos of the page: addresses to the uploads at once, and Blobs by their page. */
import { requestReading } from "../../shared/host-permissions.ts";
import type { OffscreenCommand } from "../../shared/messages.ts";
import type { PageVideo } from "../../shared/page-video.ts";
import { sendBlob } from "../../shared/send-blob.ts";
import { refusedSentence } from "./message-catalogue.ts";
import type { VideoRow } from "./video-rows.ts";

export interface HandOverOptions {
  send(command: OffscreenCommand): void;
  /** Names a batch that is about to be handed over. */
  nameBatch(): string;
  draw(row: VideoRow): void;
}

/**
 * Everything is handed over within the click: a question of the browser may close the popup.
 *
 * @returns what is wrong, once the person has answered the browser's question; empty where nothing is
 */
export async function handOverVideos(
  chosen: VideoRow[],
  { send, nameBatch, draw }: HandOverOptions,
): Promise<string> {
  const files = chosen.filter(({ view }) => view.video.kind === "file");
  const unread = files.flatMap(({ view, own, open }) => (own || open ? [] : [view.video.address]));
  if (files.length > 0) {
    const videos = files.map(({ view, open }) => ({ ...view.video, open }));
    send(addressesCommand(nameBatch(), videos));
  }
  const requesting = unread.length === 0 || requestReading(unread);
  for (const row of chosen) {
    const { view } = row;
    view.picked = false;
    view.added = view.video.kind === "file";
    delete view.trouble;
    draw(row);
    if (view.video.kind === "blob") void handOverBlob(row, draw);
  }
  return (await requesting) ? "" : refusedSentence(unread);
}

async function handOverBlob(row: VideoRow, draw: (row: VideoRow) => void): Promise<void> {
  const { view } = row;
  // Reading a large one takes its time; whether it was sent is told here.
  view.added = await sendBlob(crypto.randomUUID(), view.video);
  if (!view.added) view.trouble = "gone";
  draw(row);
}

function addressesCommand(batch: string, videos: (PageVideo & { open: boolean })[]): OffscreenCommand {
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
