/** Video elements: what they play, and what they would. */

import type { Shown } from "../page-videos/page-video.ts";
import { addressOf, isManifest, kindOf, mediaType } from "../shared/video-kind.ts";
import { isWebAddress } from "../shared/web-address.ts";
import type { Candidate } from "./catalogue.ts";
import { namesOf } from "./label.ts";
import { baseAddress } from "./node-property.ts";
import type { PlacedElement } from "./page-walk.ts";
import { qualityOf } from "./quality.ts";

const MAX_CHILDREN = 24;
const MAX_ATTRIBUTES = 64;
/** Characters of a type that the browser is asked about, and of the name of an attribute. */
const MAX_NAME = 200;
/** Milliseconds: what is behind a blob: address is in the browser itself. */
const PROBE_TIMEOUT = 500;

interface Source {
  address: string;
  type: string | undefined;
  /** Lines of its picture, if it says so. */
  quality: number;
}

/** What a video element says of itself; `undefined` for one that has nothing to play yet. */
export async function readVideo(place: PlacedElement<HTMLVideoElement>): Promise<Candidate | undefined> {
  const { element: video } = place;
  const sources = sourcesOf(video);
  const playing = addressOf(video.currentSrc, baseAddress());
  const first =
    sources.find(({ address }) => address === playing) ??
    sources.find(({ type }) => type === undefined || video.canPlayType(type) !== "") ??
    sources[0];
  if (first === undefined || video.srcObject !== null) {
    // Put together by the page: a camera, a call, or pieces given by a worker.
    return video.srcObject === null
      ? undefined
      : { ...describe(place, true), ...streamOf(video, sources, "") };
  }
  const chosen = choose(sources, first);
  const about = describe(place, chosen === first);
  const aliases = sources.map(({ address }) => address).filter((address) => address !== chosen.address);
  if (/^(blob|data):/.test(chosen.address)) {
    const blob = chosen.address.startsWith("data:") ? readData(chosen.address) : await probe(chosen.address);
    if (blob === undefined) return { ...about, ...streamOf(video, sources, chosen.address) };
    return { ...about, ...blob, kind: kindUnder(video, "blob"), address: chosen.address, aliases };
  }
  const { address, type } = chosen;
  const kind = kindUnder(video, kindOf(address, type) ?? "file");
  return { ...about, kind, address, aliases, ...(type !== undefined && { type: mediaType(type) ?? type }) };
}

/** What a script puts together: by the manifest that it was given as a source, if it was. */
function streamOf(
  video: HTMLVideoElement,
  sources: Source[],
  playing: string,
): Pick<Candidate, "kind" | "address" | "type" | "aliases"> {
  const others = sources.map(({ address }) => address).filter((address) => address !== playing);
  const manifest = sources.find(({ address, type }) => isManifest(kindOf(address, type)));
  if (manifest === undefined)
    return { kind: kindUnder(video, "media-source"), address: playing, aliases: others };
  const { address, type } = manifest;
  return {
    kind: kindUnder(video, kindOf(address, type) ?? "media-source"),
    address,
    aliases: [playing, ...others].filter((each) => each !== address && each !== ""),
    ...(type !== undefined && { type: mediaType(type) ?? type }),
  };
}

/** Of several sources of one video a whole file is what can be taken: the best of them, else the one that plays. */
function choose(sources: Source[], first: Source): Source {
  const files = sources.filter(isWholeFile);
  const playing = isWholeFile(first) ? first : files[0];
  return (
    files.reduce(
      (best, each) => (best !== undefined && each.quality > best.quality ? each : best),
      playing,
    ) ?? first
  );
}

/** @param isPlaying whether what the element plays is what will be taken */
function describe(
  place: PlacedElement<HTMLVideoElement>,
  isPlaying: boolean,
): Omit<Candidate, "kind" | "address"> {
  const { element: video } = place;
  const { duration } = video;
  const [width, height] = isPlaying ? [video.videoWidth, video.videoHeight] : [0, 0];
  const poster = addressOf(video.poster || video.dataset.poster, baseAddress());
  return {
    ...namesOf(place, "videos"),
    shown: shownOf(video),
    ...(poster !== undefined && { poster }),
    ...(Number.isFinite(duration) && duration > 0 && { duration }),
    ...(width > 0 && height > 0 && { width, height }),
  };
}

interface DecodingVideo extends HTMLVideoElement {
  /** Chromium's own count of the sound so far. */
  webkitAudioDecodedByteCount?: number;
}

/** How it is shown at this moment. Asked just after the page was painted: its layout is known then. */
function shownOf(video: HTMLVideoElement): Shown {
  const { left, top, right, bottom, width, height } = video.getBoundingClientRect();
  const [wide, high] = [
    Math.min(right, innerWidth) - Math.max(left, 0),
    Math.min(bottom, innerHeight) - Math.max(top, 0),
  ];
  const area = width * height;
  const playing = !video.paused && !video.ended && video.readyState >= video.HAVE_CURRENT_DATA;
  const hasNoSound = playing && (video as DecodingVideo).webkitAudioDecodedByteCount === 0;
  const muted = video.muted || video.volume === 0 || hasNoSound;
  return {
    playing,
    sounding: playing && !muted,
    inView: area > 0 && wide > 0 && high > 0 && wide * high > area / 2,
    controls: video.controls,
    area: Math.round(area),
    muted,
    repeats: video.loop || video.autoplay,
  };
}

/** What it plays comes first, then what it could, in the page's order; then what a script will give it later. */
function sourcesOf(video: HTMLVideoElement): Source[] {
  const elements = sourceElements(video);
  const sources = [
    ...source(video.getAttribute("src"), video.getAttribute("type"), video),
    ...elements.flatMap((element) => source(element.getAttribute("src"), element.type, element)),
  ];
  const playing = source(video.currentSrc, null, video).filter(
    ({ address }) => !sources.some((known) => known.address === address),
  );
  return [...playing, ...sources, ...[video, ...elements].flatMap(lazySources)];
}

function sourceElements(video: HTMLVideoElement): HTMLSourceElement[] {
  const elements: HTMLSourceElement[] = [];
  let child = video.firstElementChild;
  for (let count = 0; child !== null && count < MAX_CHILDREN; count++) {
    if (child instanceof HTMLSourceElement) elements.push(child);
    child = child.nextElementSibling;
  }
  return elements;
}

/** Addresses in attributes that only a script reads. */
function lazySources(element: HTMLElement): Source[] {
  const { attributes } = element;
  const count = Math.min(attributes.length, MAX_ATTRIBUTES);
  return Array.from({ length: count }, (_, at) => attributes[at]).flatMap((attribute) => {
    const { name = "", value = "" } = attribute ?? {};
    if (!name.startsWith("data-") || /poster|thumb|image|preview/.test(name.slice(0, MAX_NAME))) return [];
    // `data-src` and `data-video-url` say so themselves; of others only what ends like a video is one.
    const named =
      /(src|source|url|mp4|webm|hls|dash)$/.test(name.slice(-MAX_NAME)) && /^\s*(https?:|\/|\.)/.test(value);
    return source(value, element.getAttribute("type"), element).filter(
      ({ address }) => named || kindOf(address) !== undefined,
    );
  });
}

function source(value: string | null, type: string | null, element: Element): Source[] {
  const address = addressOf(value, baseAddress());
  if (address === undefined) return [];
  return [{ address, type: type?.slice(0, MAX_NAME) || undefined, quality: qualityOf(address, element) }];
}

function isWholeFile({ address, type }: Source): boolean {
  return isWebAddress(address) && (kindOf(address, type) ?? "file") === "file";
}

function kindUnder(video: HTMLVideoElement, kind: Candidate["kind"]): Candidate["kind"] {
  return video.mediaKeys === null || video.mediaKeys === undefined ? kind : "drm";
}

function readData(address: string): { size?: number; type?: string } {
  const comma = address.indexOf(",");
  const head = address.slice("data:".length, Math.max(0, comma)).slice(0, MAX_NAME);
  const type = mediaType(head);
  // Four letters are three bytes.
  const size =
    Math.floor(((address.length - comma - 1) * 3) / 4) - (/=*$/.exec(address.slice(-2))?.[0].length ?? 0);
  return { ...(/;base64$/i.test(head) && size > 0 && { size }), ...(type !== undefined && { type }) };
}

/** True if a Blob is behind an address, and how large it is: a MediaSource can't be fetched. */
async function probe(address: string): Promise<{ size?: number; type?: string } | undefined> {
  try {
    const { headers, body } = await fetch(address, { signal: AbortSignal.timeout(PROBE_TIMEOUT) });
    void body?.cancel();
    const size = Number(headers.get("content-length") ?? Number.NaN);
    const type = mediaType(headers.get("content-type"));
    return { ...(size > 0 && { size }), ...(type !== undefined && { type }) };
  } catch {
    return undefined;
  }
}
