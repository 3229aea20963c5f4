/** A video that a page shows, as the collector found it: what the popup lists, and what of it is handed over. */

/**
 * Why a video can or can't be taken: a `file` is read at its address, a `blob` in its page. A `media-source` has no
 * file, `hls` and `dash` are manifests of many pieces, and what is under `drm` can't be read at all.
 */
export type PageVideoKind = "file" | "blob" | "media-source" | "hls" | "dash" | "drm";

export interface PageVideo {
  kind: PageVideoKind;
  /** Where its bytes are, for a file; may hold a signature, so it is never shown whole nor logged. */
  address: string;
  title: string;
  /** Where it was found: a frame, and the page around it, which can be opened again. */
  page: { tabId: number; frameId: number; url: string };
  poster?: string;
  /** A small picture as a data: address. */
  thumbnail?: string;
  /** Seconds. */
  duration?: number;
  width?: number;
  height?: number;
  /** Bytes. */
  size?: number;
  /** A media type. */
  type?: string;
}

/** A video as one frame of the page has it. */
export interface FoundVideo extends Omit<PageVideo, "title" | "page"> {
  /** What the page calls this very video, if anything. */
  title?: string;
  /** Other addresses of the same video: its further sources. */
  aliases: string[];
}

/** What the collector gives of one frame. */
export interface FrameFindings {
  url: string;
  /** What the page calls itself; empty where it has no name. */
  title: string;
  videos: FoundVideo[];
  /** Whether it is such a frame itself: large enough to show a video, and not to be looked into from its parent. */
  apart: boolean;
  /** The origin of each frame in it that can't be looked into from here, and is large enough to show a video. */
  closedOrigins: string[];
}
