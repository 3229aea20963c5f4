/** A video that a page shows, as the collector found it: what the popup lists, and what of it is handed over. */
import type { PageVideoKind } from "../shared/video-kind.ts";

export interface PageVideo {
  kind: PageVideoKind;
  /** Where its bytes are, for a file, or its manifest; may hold a signature, so it is never shown whole nor logged. */
  address: string;
  title: string;
  /**
   * Where it was found: a frame, and the page around it, which can be opened again. `referrer`: the address of the
   * frame, where that is another one.
   */
  page: { tabId: number; frameId: number; url: string; referrer?: string };
  poster?: string;
  /** A small picture as a data: address. */
  thumbnail?: string;
  /** Seconds. */
  duration?: number;
  /** How long the element that plays it is, where it is not known whether its manifest is as long. */
  playedSeconds?: number;
  width?: number;
  height?: number;
  /** Bytes. */
  size?: number;
  type?: string;
  /** True if the browser may have known where its pieces come from, and has stopped to note that. */
  isForgotten?: true;
  /** True if its manifest is still looked for among several: until then it is nothing to be taken. */
  isUncertain?: true;
}

/** Where a video of the page is already: in the list of uploads, or at the service. */
export type KnownVideo = "listed" | "uploaded";

/** How a video element is shown at the moment of the look. */
export interface Shown {
  playing: boolean;
  sounding: boolean;
  /** True if most of it is in the window. */
  inView: boolean;
  /** The browser's own controls. */
  controls: boolean;
  /** Square pixels of the page. */
  area: number;
  /** True if it has no sound to be heard. */
  muted: boolean;
  /** True if it begins by itself, or begins again at its end. */
  repeats: boolean;
}

export interface FoundVideo extends Omit<PageVideo, "title" | "page"> {
  /** The page's own name for this very video. */
  title?: string;
  /** The heading near it, which it may share with others. */
  near?: string;
  shown?: Shown;
  /** True if nothing but a link leads to it. */
  isLink?: true;
  /** True if the page has loaded it, for a manifest: then something may play it. */
  isRequested?: true;
  /** Other addresses of the same video: its further sources. */
  aliases: string[];
}

export interface FrameFindings {
  url: string;
  /** The page's own name; empty where it has none. */
  title: string;
  videos: FoundVideo[];
  /** True if it is such a frame itself: large enough to show a video, and not to be looked into from its parent. */
  apart: boolean;
  /** The origin of each frame in it that can't be looked into from here, and is large enough to show a video. */
  closedOrigins: string[];
  /** True if there may be more videos than are listed: there were too many, or the look took too long. */
  isCut: boolean;
  /** True if the browser has stopped to note what the page loads, so that a manifest may be missing. */
  requestLogIsFull: boolean;
  /** Links of the page's own site that only their server knows to be videos, a few. */
  unnamedLinks: UnnamedLink[];
  isPdf: boolean;
}

/** A link that may be a video: its server is asked. */
export interface UnnamedLink {
  address: string;
  title?: string;
  near?: string;
}
