/** Finds the videos of this frame, each once. */

import { framePicture } from "../page-videos/frame-picture.ts";
import type { FrameFindings } from "../page-videos/page-video.ts";
import { isBackgroundLoop } from "../page-videos/video-rank.ts";
import { isManifest, videoKind } from "../shared/video-kind.ts";
import { cleanName } from "../shared/video-name.ts";
import {
  CATALOGUE_LIMITS,
  type Candidate,
  type Catalogue,
  type CatalogueLimits,
  FRAME_LIMITS,
  openCatalogue,
} from "./catalogue.ts";
import { closedOriginsIn, isApart } from "./closed-frames.ts";
import { fromInlineData } from "./inline-data.ts";
import { textOf } from "./label.ts";
import { openLinks } from "./links.ts";
import { documentProperty } from "./node-property.ts";
import { type PlacedElement, walkPage } from "./page-walk.ts";
import { openPlayerAttributes } from "./player-attributes.ts";
import { fromRequests } from "./requests.ts";
import { fromJsonLd, fromMeta, readMetas } from "./structured-data.ts";
import {
  afterPaint,
  CLOCK_INTERVAL,
  startTimeSlice,
  TIME_LIMITS,
  type TimeLimits,
  type TimeSlice,
} from "./time-slice.ts";
import { readVideo } from "./video-elements.ts";

/** Milliseconds and pieces of all pictures together: the list doesn't wait for more. */
const PICTURES = { time: 150, count: 12 };

export interface CollectLimits {
  time: TimeLimits;
  catalogue: CatalogueLimits;
}

function ownLimits(): CollectLimits {
  return { time: TIME_LIMITS, catalogue: window === window.top ? CATALOGUE_LIMITS : FRAME_LIMITS };
}

/** @param limits of one look, however much the page shows */
export async function collectVideos(limits: CollectLimits = ownLimits()): Promise<FrameFindings> {
  const slice = startTimeSlice(limits.time);
  const links = openLinks(limits.catalogue.videos);
  const players = openPlayerAttributes();
  const content = await walkPage({ slice, onLink: links.note, onElement: players.note });
  const catalogue = openCatalogue(limits.catalogue);
  await addElements(catalogue, content.videos, slice);
  const metas = await readMetas(content.metas, slice);
  // In the order of how much they know about what the elements don't say.
  await addDescribed(catalogue, fromJsonLd(content.scripts, slice));
  for (const candidate of fromMeta(metas)) catalogue.add(candidate);
  for await (const candidate of players.candidates(slice)) catalogue.add(candidate);
  for await (const candidate of fromInlineData(content.scripts, slice)) catalogue.add(candidate);
  for await (const candidate of links.candidates(slice)) catalogue.add(candidate);
  const { requestLogIsFull } = await addRequests(catalogue, slice);
  return {
    url: location.href,
    title: cleanName(metas.get("og:title")) || cleanName(textOf(content.title)),
    videos: catalogue.videos,
    closedOrigins: await closedOriginsIn(content.frames, slice),
    apart: isApart(),
    isCut: content.isCut || catalogue.isCut() || slice.isUsedUp(),
    requestLogIsFull,
    unnamedLinks: links.unnamed(),
    isPdf: documentProperty("contentType") === "application/pdf",
  };
}

async function addElements(
  catalogue: Catalogue,
  videos: PlacedElement<HTMLVideoElement>[],
  slice: TimeSlice,
): Promise<void> {
  const pictures = { startedAt: 0, drawn: 0 };
  if (videos.length > 0) await afterPaint(slice);
  for (const place of videos) {
    if (slice.isOver(CLOCK_INTERVAL)) await slice.yieldToPage();
    if (slice.isUsedUp() || catalogue.isCut()) return;
    const found = await readVideo(place);
    if (found === undefined) continue;
    pictures.startedAt ||= performance.now();
    const mayDraw =
      !videoKind(found).isProtected &&
      pictures.drawn < PICTURES.count &&
      performance.now() - pictures.startedAt < PICTURES.time;
    // Painting can't be done in pieces.
    if (mayDraw) await slice.yieldToPage();
    const thumbnail = mayDraw ? await framePicture(place.element) : undefined;
    if (thumbnail !== undefined) pictures.drawn++;
    catalogue.add({ ...found, ...(thumbnail !== undefined && { thumbnail }) });
  }
}

/** Seconds by which two lengths of one video may differ. */
const SAME_LENGTH = 1.5;

/**
 * The only video that a page describes is the only one that it shows, where they are as long as each other: players
 * put together by a script what the description gives as a file.
 */
async function addDescribed(catalogue: Catalogue, described: AsyncGenerator<Candidate>): Promise<void> {
  const [shown, ...others] = catalogue.videos.filter((video) => !isBackgroundLoop(video));
  let only: Candidate | undefined;
  let count = 0;
  for await (const candidate of described) {
    if (!catalogue.has(candidate.address) && ++count === 1) {
      only = candidate;
      continue;
    }
    if (only !== undefined && count > 1) catalogue.add(only);
    if (count > 1) only = undefined;
    catalogue.add(candidate);
  }
  if (only === undefined) return;
  const isSame = Math.abs((only.duration ?? Number.NaN) - (shown?.duration ?? Number.NaN)) <= SAME_LENGTH;
  if (shown !== undefined && others.length === 0 && !videoKind(shown).isProtected && isSame)
    catalogue.join(shown, only);
  else catalogue.add(only);
}

/** What was loaded is often a part of what is listed already. */
async function addRequests(
  { videos, has, add }: Catalogue,
  slice: TimeSlice,
): Promise<{ requestLogIsFull: boolean }> {
  const blobSizes = new Set(
    videos.flatMap((video) => (videoKind(video).isInPage && video.size ? [video.size] : [])),
  );
  const posters = new Set(videos.map(({ poster }) => poster));
  const { requests, requestLogIsFull } = await fromRequests(posters, slice);
  const playsPieces =
    requests.some(({ kind }) => isManifest(kind)) ||
    videos.some((video) => video.shown !== undefined && (videoKind(video).isFed || isManifest(video.kind)));
  for (const { byElement, length, ...candidate } of requests) {
    if (slice.isOver(CLOCK_INTERVAL)) await slice.yieldToPage();
    // Which element plays it, the popup finds out: it may have to read it.
    if (isManifest(candidate.kind)) add({ ...candidate, isRequested: true });
    // A script loads pieces of a stream, and what it then makes a Blob of.
    else if (!has(candidate.address) && (byElement || !(playsPieces || blobSizes.has(length))))
      add(candidate);
  }
  return { requestLogIsFull };
}
