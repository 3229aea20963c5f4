/** Finds the videos of this frame, each once. */

import { framePicture } from "../shared/frame-picture.ts";
import type { FrameFindings } from "../shared/page-video.ts";
import { type Catalogue, openCatalogue } from "./catalogue.ts";
import { closedOriginsIn, isApart } from "./closed-frames.ts";
import { text } from "./label.ts";
import { fromLinks } from "./links.ts";
import { fromRequests } from "./requests.ts";
import { findAll, findRoots } from "./roots.ts";
import { fromJsonLd, fromMeta } from "./structured-data.ts";
import { startTimeSlice } from "./time-slice.ts";
import { readVideo } from "./video-elements.ts";

/** Milliseconds and pieces of all pictures together: the list doesn't wait for more. */
const PICTURES = { time: 150, count: 12 };

export async function collectVideos(): Promise<FrameFindings> {
  const slice = startTimeSlice();
  const roots = await findRoots(slice);
  const catalogue = openCatalogue();
  const pictures = { startedAt: 0, drawn: 0 };
  for (const video of findAll<HTMLVideoElement>(roots, "video")) {
    if (slice.isOver()) await slice.yieldToPage();
    const found = await readVideo(video);
    if (found === undefined) continue;
    pictures.startedAt ||= performance.now();
    const mayDraw =
      found.kind !== "drm" &&
      pictures.drawn < PICTURES.count &&
      performance.now() - pictures.startedAt < PICTURES.time;
    const thumbnail = mayDraw ? await framePicture(video) : undefined;
    if (thumbnail !== undefined) pictures.drawn++;
    catalogue.add({ ...found, ...(thumbnail !== undefined && { thumbnail }) });
  }
  // In the order of how much they know about what the elements don't say.
  for (const find of [fromJsonLd, fromMeta, () => fromLinks(roots)]) {
    if (slice.isOver()) await slice.yieldToPage();
    for (const candidate of find()) catalogue.add(candidate);
  }
  addRequests(catalogue);
  return {
    url: location.href,
    title: titleOfPage(),
    videos: catalogue.videos,
    apart: isApart(),
    closedOrigins: closedOriginsIn(roots),
  };
}

/** What was loaded is often a part of what is listed already. */
function addRequests({ videos, has, add }: Catalogue): void {
  const streams = videos.filter(({ kind }) => kind === "media-source");
  const blobSizes = new Set(videos.flatMap(({ kind, size }) => (kind === "blob" && size ? [size] : [])));
  const posters = new Set(videos.map(({ poster }) => poster));
  const fresh = fromRequests(posters).filter(({ address }) => !has(address));
  const manifests = fresh.filter(({ kind }) => kind !== "file");
  const [stream, ...others] = streams;
  const [manifest] = manifests;
  if (stream !== undefined && others.length === 0 && manifest !== undefined) {
    // The first manifest names all further ones of the one stream there is.
    stream.kind = manifest.kind;
    stream.address = manifest.address;
  } else if (stream === undefined) {
    for (const { byElement: _, length: __, ...candidate } of manifests) add(candidate);
  }
  for (const { byElement, length, ...candidate } of fresh) {
    if (candidate.kind !== "file") continue;
    // A script loads pieces of a stream, and what it then makes a Blob of.
    if (!byElement && (streams.length > 0 || blobSizes.has(length))) continue;
    add(candidate);
  }
}

function titleOfPage(): string {
  const named = document.querySelector<HTMLMetaElement>('meta[property="og:title"]')?.content;
  return text(named) ?? text(document.title) ?? "";
}
