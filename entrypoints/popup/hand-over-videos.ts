/** Hands over videos of the page: addresses to the uploads at once, and Blobs by their page. */
import { batch } from "@preact/signals";
import { chosenQuality, type ListedVideo } from "../page-videos/listed-video.ts";
import { refusedSentence } from "../page-videos/message-catalogue.ts";
import { sendBlob } from "../page-videos/send-blob.ts";
import { isOpenedByClick, requestReading } from "../reach/host-permissions.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { known } from "../shared/record.ts";
import { isManifest, videoKind } from "../shared/video-kind.ts";
import { originOf } from "../shared/web-address.ts";
import { change, note } from "./found-videos.ts";
import { expectTaken } from "./handing-over.ts";
import { send } from "./offscreen-connection.ts";

/**
 * Everything is handed over within the click: a question of the browser may close the popup. What is wrong is noted once
 * the person has answered it.
 */
export async function handOverVideos(chosen: readonly ListedVideo[]): Promise<void> {
  const addressed = chosen.filter(({ video }) => !videoKind(video).isInPage);
  const unread = addressed.flatMap(hostsToAllow);
  if (addressed.length > 0) send(addressesCommand(expectTaken(), addressed));
  const requesting = unread.length === 0 || requestReading(unread);
  batch(() => {
    for (const { id, video } of chosen)
      change(id, { picked: false, added: !videoKind(video).isInPage, trouble: undefined });
  });
  for (const listed of chosen) if (videoKind(listed.video).isInPage) void handOverBlob(listed);
  note.value = (await requesting) ? "" : refusedSentence(unread);
}

async function handOverBlob({ id, video }: ListedVideo): Promise<void> {
  const batch = crypto.randomUUID();
  // The person's click, which no script of a page can send.
  send({ type: "expect-blob", batch });
  // Reading a large one takes its time; whether it was sent is told here.
  const added = await sendBlob(batch, video);
  change(id, { added, trouble: added ? undefined : "gone" });
}

/** An address at each host that has to be allowed: pieces may lie elsewhere than their manifest. */
function hostsToAllow(listed: ListedVideo): string[] {
  const { open, pageOrigin, video } = listed;
  const { address } = video;
  const elsewhere = (chosenQuality(listed)?.origins ?? []).filter(
    (origin) => !isOpenedByClick(origin, pageOrigin) && origin !== originOf(address),
  );
  const isOwn = isOpenedByClick(originOf(address), pageOrigin);
  return isOwn || open ? elsewhere : [address, ...elsewhere];
}

function addressesCommand(batch: string, listed: readonly ListedVideo[]): OffscreenCommand {
  return {
    type: "addresses",
    batch,
    videos: listed.map((view) => {
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
        ...known({ type, size, thumbnail, playedSeconds, quality, language }),
        ...(view.open && { open: true }),
        ...(isManifest(kind) && { pieces: kind, ...known({ referrer: page.referrer }) }),
        ...(languages.length > 1 && { languages }),
        ...(view.manifest && { subtitles }),
      };
    }),
  };
}
