/** A video of the page as it is listed: what is known of it, and what the person has chosen. Pure. */

import { canBeTaken } from "../shared/video-kind.ts";
import type { KnownVideo, PageVideo } from "./page-video.ts";
import type { Manifest, Quality } from "./read-manifest.ts";

export interface ListedVideo {
  id: string;
  video: PageVideo;
  /** True if it is one of the loops behind a text. */
  isLoop: boolean;
  /** The origin that the click on the toolbar button lets us read: that of the page in front, whichever frame it is in. */
  pageOrigin: string;
  /** True if its server has let us read it as anybody. */
  open: boolean;
  picked: boolean;
  added: boolean;
  /** True if it need not be handed over again. */
  known?: KnownVideo;
  /** What its manifest says, once it was read: for a video in pieces. */
  manifest?: Manifest;
  quality?: string;
  language?: string;
  /** What keeps it from being read: its server, or the page that it was in and that is gone. */
  trouble?: "refused" | "gone" | undefined;
}

/** True if it can be uploaded, as far as is known by now. */
export function isTakeable({ video, manifest }: Pick<ListedVideo, "video" | "manifest">): boolean {
  return canBeTaken(video) && !video.isUncertain && manifest?.refusal === undefined;
}

/** True if it can be uploaded and was not yet. */
export function isFresh(listed: ListedVideo): boolean {
  return isTakeable(listed) && !listed.added && listed.known === undefined;
}

/** The quality that is taken of a video in pieces, where its manifest was read. */
export function chosenQuality({ manifest, quality }: ListedVideo): Quality | undefined {
  return manifest?.qualities.find(({ id }) => id === quality) ?? manifest?.qualities[0];
}

export function withManifest(listed: ListedVideo, manifest: Manifest | undefined): ListedVideo {
  if (manifest === undefined) return listed;
  return {
    ...listed,
    manifest,
    open: manifest.open && !manifest.refused,
    picked: listed.picked && manifest.refusal === undefined,
    ...(manifest.refused && { trouble: "refused" as const }),
  };
}
