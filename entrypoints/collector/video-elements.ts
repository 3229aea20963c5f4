/** Video elements: what they play, and what they would. */

import { addressOf, kindOf, mediaType } from "../shared/video-kind.ts";
import { isWebAddress } from "../shared/web-address.ts";
import type { Candidate } from "./catalogue.ts";
import { labelOf } from "./label.ts";

interface Source {
  address: string;
  type: string | undefined;
}

/** What a video element says of itself; `undefined` for one that has nothing to play yet. */
export async function readVideo(video: HTMLVideoElement): Promise<Candidate | undefined> {
  const sources = sourcesOf(video);
  const playing = addressOf(video.currentSrc, document.baseURI);
  const first =
    sources.find(({ address }) => address === playing) ??
    sources.find(({ type }) => type === undefined || video.canPlayType(type) !== "") ??
    sources[0];
  const about = describe(video);
  if (first === undefined || video.srcObject !== null) {
    // Put together by the page: a camera, a call, or pieces given by a worker.
    return video.srcObject === null
      ? undefined
      : { ...about, kind: kindUnder(video, "media-source"), address: "" };
  }
  // Of several sources of one video, a whole file is the one that can be taken.
  const chosen = isWholeFile(first) ? first : (sources.find(isWholeFile) ?? first);
  const aliases = sources.map(({ address }) => address).filter((address) => address !== chosen.address);
  if (/^(blob|data):/.test(chosen.address)) {
    const blob = await probe(chosen.address);
    return {
      ...about,
      ...blob,
      kind: kindUnder(video, blob ? "blob" : "media-source"),
      address: chosen.address,
      aliases,
    };
  }
  const { address, type } = chosen;
  const kind = kindUnder(video, kindOf(address, type) ?? "file");
  return { ...about, kind, address, aliases, ...(type !== undefined && { type: mediaType(type) ?? type }) };
}

function describe(video: HTMLVideoElement): Omit<Candidate, "kind" | "address"> {
  const { duration, videoWidth: width, videoHeight: height } = video;
  const title = labelOf(video);
  const poster = addressOf(video.poster || video.dataset.poster, document.baseURI);
  return {
    ...(title !== undefined && { title }),
    ...(poster !== undefined && { poster }),
    ...(Number.isFinite(duration) && duration > 0 && { duration }),
    ...(width > 0 && height > 0 && { width, height }),
  };
}

/** What it plays comes first, then what it could, in the page's order; then what a script will give it later. */
function sourcesOf(video: HTMLVideoElement): Source[] {
  const elements = [...video.children].filter((child) => child instanceof HTMLSourceElement);
  const sources = [
    ...source(video.getAttribute("src"), video.getAttribute("type")),
    ...elements.flatMap((element) => source(element.getAttribute("src"), element.type)),
  ];
  const playing = source(video.currentSrc, null).filter(
    ({ address }) => !sources.some((known) => known.address === address),
  );
  return [...playing, ...sources, ...[video, ...elements].flatMap(lazySources)];
}

/** Addresses in attributes that only a script reads. */
function lazySources(element: HTMLElement): Source[] {
  return Object.entries(element.dataset).flatMap(([name, value = ""]) => {
    if (/poster|thumb|image|preview/i.test(name)) return [];
    // `data-src` and `data-video-url` say so themselves; of others only what ends like a video is one.
    const named = /(src|source|url|mp4|webm|hls|dash)$/i.test(name) && /^(https?:|\/|\.)/.test(value.trim());
    return source(value, element.getAttribute("type")).filter(
      ({ address }) => named || kindOf(address) !== undefined,
    );
  });
}

function source(value: string | null, type: string | null): Source[] {
  const address = addressOf(value, document.baseURI);
  return address === undefined ? [] : [{ address, type: type || undefined }];
}

function isWholeFile({ address, type }: Source): boolean {
  return isWebAddress(address) && (kindOf(address, type) ?? "file") === "file";
}

function kindUnder(video: HTMLVideoElement, kind: Candidate["kind"]): Candidate["kind"] {
  return video.mediaKeys === null || video.mediaKeys === undefined ? kind : "drm";
}

/** Whether a Blob is behind an address, and how large it is: a MediaSource can't be fetched. */
async function probe(address: string): Promise<{ size?: number; type?: string } | undefined> {
  try {
    const { headers, body } = await fetch(address);
    void body?.cancel();
    const size = Number(headers.get("content-length") ?? Number.NaN);
    const type = mediaType(headers.get("content-type"));
    return { ...(size > 0 && { size }), ...(type !== undefined && { type }) };
  } catch {
    return undefined;
  }
}
