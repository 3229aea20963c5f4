/** Hands over videos of the page: addresses to the uploads at once, and Blobs by their page. */
import { isOpenedByClick, requestReading } from "../../shared/host-permissions.ts";
import type { OffscreenCommand } from "../../shared/messages.ts";
import { sendBlob } from "../../shared/send-blob.ts";
import { isManifest } from "../../shared/video-kind.ts";
import { originOf } from "../../shared/web-address.ts";
import { refusedSentence } from "./message-catalogue.ts";
import { chosenQuality } from "./row.ts";
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
  const addressed = chosen.filter(({ view }) => view.video.kind !== "blob");
  const unread = addressed.flatMap(hostsToAllow);
  if (addressed.length > 0) send(addressesCommand(nameBatch(), addressed));
  const requesting = unread.length === 0 || requestReading(unread);
  for (const row of chosen) {
    const { view } = row;
    view.picked = false;
    view.added = view.video.kind !== "blob";
    delete view.trouble;
    draw(row);
    if (view.video.kind === "blob") void handOverBlob(row, { send, draw });
  }
  return (await requesting) ? "" : refusedSentence(unread);
}

async function handOverBlob(
  row: VideoRow,
  { send, draw }: Pick<HandOverOptions, "send" | "draw">,
): Promise<void> {
  const { view } = row;
  const batch = crypto.randomUUID();
  // The person's click, which no script of a page can send.
  send({ type: "expect-blob", batch });
  // Reading a large one takes its time; whether it was sent is told here.
  view.added = await sendBlob(batch, view.video);
  if (!view.added) view.trouble = "gone";
  draw(row);
}

/** An address at each host that has to be allowed: pieces may lie elsewhere than their manifest. */
function hostsToAllow({ view, own, open, pageOrigin }: VideoRow): string[] {
  const { address } = view.video;
  const elsewhere = (chosenQuality(view)?.origins ?? []).filter(
    (origin) => !isOpenedByClick(origin, pageOrigin) && origin !== originOf(address),
  );
  return own || open ? elsewhere : [address, ...elsewhere];
}

function addressesCommand(batch: string, rows: VideoRow[]): OffscreenCommand {
  return {
    type: "addresses",
    batch,
    videos: rows.map(({ view, open }) => {
      const { kind, address, title, page, type, thumbnail, playedSeconds } = view.video;
      // Of those that are still offered. Where nobody chose, the best one is taken, without being named.
      const quality = view.quality === undefined ? view.manifest?.chosen : chosenQuality(view)?.id;
      const { languages = [], subtitles = 0 } = view.manifest ?? {};
      const language = languages.find(({ id }) => id === view.language)?.id;
      // Of pieces it is an estimate.
      const size = view.video.size ?? chosenQuality(view)?.size;
      return {
        address,
        title,
        page: page.url,
        ...(type !== undefined && { type }),
        ...(size !== undefined && { size }),
        ...(thumbnail !== undefined && { thumbnail }),
        ...(open && { open }),
        ...(isManifest(kind) && { pieces: kind, ...(page.referrer && { referrer: page.referrer }) }),
        ...(playedSeconds !== undefined && { playedSeconds }),
        ...(quality !== undefined && { quality }),
        ...(language !== undefined && { language }),
        ...(languages.length > 1 && { languages }),
        ...(view.manifest && { subtitles }),
      };
    }),
  };
}
