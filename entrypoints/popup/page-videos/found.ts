/** Puts together what the collector found in the frames of a page. Pure. */
import type { FoundVideo, FrameFindings, PageVideo } from "../../shared/page-video.ts";
import { canBeTaken } from "../../shared/video-kind.ts";
import { fileNameOf, originOf } from "../../shared/web-address.ts";

/** What the collector gave of a frame, and which frame it was. */
export interface Findings extends FrameFindings {
  frameId: number;
}

export interface FoundOnPage {
  /** Those that can be taken first. */
  videos: PageVideo[];
  /** Origins of frames that could not be looked into. */
  closedOrigins: string[];
}

interface Placed {
  found: FoundVideo;
  frame: Findings;
}

export function putTogether(tabId: number, frames: Findings[]): FoundOnPage {
  const placed: Placed[] = [];
  const byAddress = new Map<string, Placed>();
  // The page itself first, then its frames.
  const ordered = [...frames].sort((a, b) => a.frameId - b.frameId);
  const [top] = ordered;
  for (const frame of ordered) {
    for (const found of frame.videos) {
      const addresses = [found.address, ...found.aliases].filter((address) => address !== "");
      const known = addresses.map((address) => byAddress.get(address)).find((each) => each !== undefined);
      if (known !== undefined) known.found = { ...found, ...known.found };
      const place = known ?? { found, frame };
      if (known === undefined) placed.push(place);
      for (const address of addresses) if (!byAddress.has(address)) byAddress.set(address, place);
    }
  }
  return {
    videos: placed
      .map(({ found: { aliases: _, title, ...video }, frame }) => ({
        ...video,
        title: title ?? titleFor(video, frame.title || (top?.title ?? ""), placed.length === 1),
        page: { tabId, frameId: frame.frameId, url: top?.url ?? frame.url },
      }))
      .sort((a, b) => Number(canBeTaken(b)) - Number(canBeTaken(a))),
    closedOrigins: closedStill(frames),
  };
}

/** Origins of which more frames are closed than were entered: of a page's own too, whose sandboxed frames may be. */
function closedStill(frames: Findings[]): string[] {
  const count = (origins: string[], wanted: string) => origins.filter((origin) => origin === wanted).length;
  const closed = frames.flatMap(({ closedOrigins }) => closedOrigins);
  const entered = frames.flatMap(({ apart, url }) => (apart ? [originOf(url)] : []));
  return [...new Set(closed)].filter((origin) => count(closed, origin) > count(entered, origin));
}

/** The only video of a page is what the page is about; of many, each is told apart by its file. */
function titleFor(
  { address, kind }: Pick<PageVideo, "address" | "kind">,
  page: string,
  only: boolean,
): string {
  const file = kind === "blob" || kind === "media-source" ? "" : fileNameOf(address);
  return (only || file === "" ? page : file) || file || "Video";
}
