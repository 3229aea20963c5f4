/** Puts together what the collector found in the frames of a page. Pure. */

import { without } from "../shared/record.ts";
import { t } from "../shared/translate.ts";
import { canBeTaken, videoKind } from "../shared/video-kind.ts";
import { cleanName, humanName } from "../shared/video-name.ts";
import { fileNameOf, isWebAddress, originOf } from "../shared/web-address.ts";
import { collectNamedPlaylists, type ReadManifests } from "./named-playlists.ts";
import type { FoundVideo, FrameFindings, PageVideo, UnnamedLink } from "./page-video.ts";
import { pairStreams } from "./pairing.ts";
import { complete, identityOf } from "./video-identity.ts";
import { isBackgroundLoop, rankOf } from "./video-rank.ts";

/** What the collector gave of a frame, and which frame it was. */
export interface Findings extends FrameFindings {
  frameId: number;
}

export interface FoundOnPage {
  /** Videos that can be taken come first, and of these what the person is looking at. */
  videos: PageVideo[];
  /** Loops behind a text, where there is anything else. */
  loops: PageVideo[];
  /** Origins of players that could not be looked into. */
  closedOrigins: string[];
  /** True if there may be more than these. */
  isCut: boolean;
  /** Addresses of manifests that have to be read to know which element plays which. */
  unread: string[];
}

/** Videos of a page that are listed, whatever number of frames they are in. */
const MAX_VIDEOS = 500;
/** Frames, and what was found in all of them, before any of it is compared with the rest. */
const [MAX_FRAMES, MAX_FINDINGS] = [100, 2000];
const MAX_UNNAMED = 8;

interface Placed {
  found: FoundVideo;
  frame: Findings;
}

/** As many frames and findings as are put together: the page itself first, then frames in which there is something. */
export function withinLimits(frames: Findings[]): Findings[] {
  const inside = frames.filter(({ frameId }) => frameId !== 0);
  const isEmpty = ({ videos, unnamedLinks }: Findings) => videos.length + unnamedLinks.length === 0;
  const ordered = [
    ...frames.filter(({ frameId }) => frameId === 0),
    ...inOrder(inside).sort((a, b) => Number(isEmpty(a)) - Number(isEmpty(b))),
  ];
  const beyond = ordered.slice(MAX_FRAMES);
  let left = MAX_FINDINGS;
  return ordered.slice(0, MAX_FRAMES).map((frame, place) => {
    const videos = frame.videos.slice(0, left);
    left -= videos.length;
    const isCut =
      frame.isCut ||
      videos.length < frame.videos.length ||
      (place === 0 && beyond.some((each) => !isEmpty(each)));
    return { ...frame, videos, isCut };
  });
}

/** @param read the manifests that were read so far */
export function putTogether(tabId: number, frames: Findings[], read: ReadManifests = new Map()): FoundOnPage {
  const named = collectNamedPlaylists(read);
  const paired = inOrder(frames).map((frame) => ({ frame, ...pairStreams(frame, read, named) }));
  const ordered = paired.map(({ frame, videos }) => ({ ...frame, videos }));
  const [top] = ordered;
  const placed = eachOnce(ordered);
  const listed = placed
    .map((place) => ({ ...place, isTaken: canBeTaken(place.found), rank: rankOf(place.found) }))
    .sort((a, b) => Number(b.isTaken) - Number(a.isTaken) || b.rank - a.rank);
  const isLoop = ({ found }: Placed) => isBackgroundLoop(found);
  // Where nothing else is there, they are what the page shows.
  const main = listed.every(isLoop) ? listed : listed.filter((each) => !isLoop(each));
  const others = main === listed ? [] : listed.filter(isLoop);
  const number = createNumbering();
  const toVideo = ({ found, frame }: Placed): PageVideo => {
    const video = without(found, "aliases", "title", "near", "shown", "isLink", "isRequested");
    const page = cleanName(frame.title) || cleanName(top?.title);
    const url = top?.url ?? frame.url;
    const hasReferrer = frame.url !== url && isWebAddress(frame.url);
    return {
      ...video,
      title: number(titleOf(found, page, main.length === 1 && main[0]?.found === found)),
      // What a script loads it feeds from an address of its own making; a camera has none.
      ...(frame.requestLogIsFull && found.address.startsWith("blob:") && { isForgotten: true }),
      page: { tabId, frameId: frame.frameId, url, ...(hasReferrer && { referrer: frame.url }) },
    };
  };
  const videos = main.slice(0, MAX_VIDEOS).map(toVideo);
  const loops = others.slice(0, MAX_VIDEOS - videos.length).map(toVideo);
  return {
    videos,
    loops,
    closedOrigins: closedStill(frames),
    isCut: placed.length > MAX_VIDEOS || frames.some(({ isCut }) => isCut),
    unread: paired.flatMap(({ unread }) => unread),
  };
}

type Named = Pick<FoundVideo, "kind" | "address" | "title" | "near">;

/**
 * The video's own name first, then what tells it apart from others.
 *
 * @param page what the page is called, or the frame that it is in
 * @param isOnly whether it is the only video of the page: then it is what the page is about
 */
function titleOf({ address, title, near, ...video }: Named, page: string, isOnly: boolean): string {
  const { isWhole, isInPage } = videoKind(video);
  const file = isWhole && !isInPage ? humanName(fileNameOf(address)) : "";
  const around = cleanName(near) || page;
  const names = isOnly ? [around, file] : [file, around];
  return [cleanName(title), ...names].find((name) => name !== "") ?? t("found.video");
}

/** Numbers those that would be called the same, from the second on. */
function createNumbering(): (title: string) => string {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return (title) => {
    let count = counts.get(title) ?? 1;
    let numbered = title;
    while (taken.has(numbered)) numbered = `${title} (${++count})`;
    counts.set(title, count);
    taken.add(numbered);
    return numbered;
  };
}

/** Links of the page that its server may know to be videos, none of which was found already. */
export function unnamedLinksOf(frames: Findings[]): { link: UnnamedLink; frame: Findings }[] {
  const known = new Set(frames.flatMap(({ videos }) => videos.map(({ address }) => identityOf(address))));
  return inOrder(frames)
    .flatMap((frame) => frame.unnamedLinks.map((link) => ({ link, frame })))
    .filter(({ link }) => !known.has(identityOf(link.address)) && known.add(identityOf(link.address)))
    .slice(0, MAX_UNNAMED);
}

function inOrder(frames: Findings[]): Findings[] {
  return [...frames].sort((a, b) => a.frameId - b.frameId);
}

/** What is in several frames, or is called by several addresses, is one video. */
function eachOnce(frames: Findings[]): Placed[] {
  const placed: Placed[] = [];
  const byIdentity = new Map<string, Placed>();
  for (const frame of frames) {
    for (const found of frame.videos) {
      const ids = [found.address, ...found.aliases].filter((address) => address !== "").map(identityOf);
      const known = ids.map((id) => byIdentity.get(id)).find((each) => each !== undefined);
      if (known !== undefined) complete(known.found, found);
      const place = known ?? { found: { ...found }, frame };
      if (known === undefined) placed.push(place);
      for (const id of ids) if (!byIdentity.has(id)) byIdentity.set(id, place);
    }
  }
  return placed;
}

/** Origins of which more frames are closed than were entered: of a page's own too, whose sandboxed frames may be. */
function closedStill(frames: Findings[]): string[] {
  const counts = new Map<string, number>();
  const count = (origin: string, by: number) => counts.set(origin, (counts.get(origin) ?? 0) + by);
  for (const { closedOrigins, apart, url } of frames) {
    for (const origin of closedOrigins) count(origin, 1);
    if (apart) count(originOf(url), -1);
  }
  return [...counts].flatMap(([origin, closed]) => (closed > 0 ? [origin] : []));
}
