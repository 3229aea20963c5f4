/** What the collector would give of pages, for the popup by itself. */
import type { Findings } from "../../../../entrypoints/page-videos/found.ts";
import type { FoundVideo, Shown } from "../../../../entrypoints/page-videos/page-video.ts";
import { MANIFEST_ORIGIN } from "./manifests.ts";

/** A picture in one colour with a hill, as a data: address. */
function scene(sky: string, hill: string): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="90"><rect width="160" height="90" fill="${sky}"/><path d="M0 90 60 30l50 42 26-20 24 38z" fill="${hill}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

export function found(more: Partial<FoundVideo> = {}): FoundVideo {
  return {
    kind: "file",
    address: "https://media.example/videos/launch-day.mp4?X-Signature=a-signature",
    title: "Launch day",
    duration: 93,
    width: 1920,
    height: 1080,
    size: 48_200_000,
    thumbnail: scene("#8ecae6", "#2a6f4e"),
    aliases: [],
    ...more,
  };
}

/** A video in pieces, as an element that plays it and a manifest by its name. */
export function inPieces(name: string, more: Partial<FoundVideo> = {}): FoundVideo {
  const { size: _, ...video } = found({ kind: "hls", address: `${MANIFEST_ORIGIN}/${name}.m3u8` });
  return { ...video, ...more };
}

export function frame(videos: FoundVideo[], more: Partial<Findings> = {}): Findings {
  return {
    frameId: 0,
    url: "https://news.example/today",
    title: "The news of today",
    videos,
    apart: false,
    closedOrigins: [],
    isCut: false,
    requestLogIsFull: false,
    unnamedLinks: [],
    isPdf: false,
    ...more,
  };
}

const everyKind: FoundVideo[] = [
  found(),
  found({
    kind: "blob",
    address: "blob:https://news.example/1",
    title: "What the camera saw",
    duration: 7,
    width: 1280,
    height: 720,
    size: 5_300_000,
    thumbnail: scene("#f4a261", "#6d2e46"),
  }),
  found({ kind: "hls", address: "https://live.example/index.m3u8", title: "Evening news, live", size: 0 }),
  found({ kind: "dash", address: "https://live.example/video.mpd", title: "The long interview" }),
  found({ kind: "media-source", address: "", title: "The news of today" }),
  found({ kind: "drm", address: "blob:https://news.example/2", title: "Video of the week" }),
].map(({ size, ...video }) =>
  video.kind === "file" || video.kind === "blob" ? { ...video, ...(size && { size }) } : video,
);

/** How an element is shown that nobody has started. */
export const unstarted: Shown = {
  playing: false,
  sounding: false,
  inView: true,
  controls: true,
  area: 640 * 360,
  muted: false,
  repeats: false,
};
/** How one behind a text is: large, without sound, over and over. */
export const loop: Shown = { ...unstarted, playing: true, controls: false, muted: true, repeats: true };

/** A page whose videos play behind its texts, but for the last one, which it is about. */
const showreel: FoundVideo[] = Array.from({ length: 31 }, (_, n) =>
  n === 30
    ? found({
        address: "https://news.example/videos/showreel.mp4",
        title: "The showreel",
        shown: unstarted,
      })
    : found({
        address: `https://news.example/loops/${n}.mp4`,
        title: `Behind text ${n + 1}`,
        duration: 8,
        shown: loop,
      }),
);

const bare = ({ address, title }: { address: string; title?: string }): FoundVideo => ({
  kind: "file",
  address,
  aliases: [],
  ...(title !== undefined && { title }),
});

/** What is found on a page, by a name for it. */
export const pagesFound: Record<string, Findings[]> = {
  one: [frame([found()])],
  kinds: [frame(everyKind)],
  untold: [
    frame([
      bare({ address: "https://media.example/v/20240517-140322-final-cut-with-a-very-long-name.mov" }),
      bare({
        address: "https://media.example/v/2.webm",
        title: "A title that is longer than any row of this list could ever be",
      }),
    ]),
  ],
  frames: [
    frame([found()], {
      closedOrigins: [
        "https://player.example",
        "https://videos.other.example:8443",
        "https://a.example",
        "https://b.example",
      ],
    }),
  ],
  loops: [frame(showreel)],
  pieces: [
    frame(
      [
        inPieces("main", { width: 640, height: 360, duration: 120 }),
        inPieces("languages", { title: "In three languages", duration: 120 }),
        inPieces("short", { title: "A short one", duration: 16, thumbnail: scene("#e9c46a", "#264653") }),
        inPieces("expired", { title: "Of yesterday" }),
        inPieces("live", { title: "Evening news, live" }),
        inPieces("protected", { title: "Video of the week" }),
        inPieces("strange", { title: "In a format of its own" }),
        found({
          kind: "media-source",
          address: "blob:https://news.example/3",
          title: "After a long visit",
        }),
      ],
      { requestLogIsFull: true },
    ),
  ],
};
