/** What the pictures show is made up: a page with videos, uploads, streams. */

import type { Job, JobState } from "../../../entrypoints/shared/job.ts";
import type { FoundVideo } from "../../../entrypoints/shared/page-video.ts";
import { asset, makeJob } from "../../entrypoints/pages/jobs.ts";
import type { Say } from "./texts.ts";

export const SERVICE = "https://api.video.example";
/** The page that the videos are on. */
export const MAGAZINE = "coast.example";
/** The page that lists live streams. */
export const DASHBOARD = "studio.example";

interface Example {
  size: number;
  /** In seconds. */
  duration: number;
  sky: readonly [string, string];
  hills: readonly [string, string];
}

const MB = 1_000_000;
const EXAMPLES = {
  harbour: {
    size: 486 * MB,
    duration: 252,
    sky: ["#fde2c8", "#f2a65a"],
    hills: ["#8c4f5e", "#4a2c45"],
  },
  lighthouse: {
    size: 912 * MB,
    duration: 751,
    sky: ["#cfe8f7", "#7fb8dd"],
    hills: ["#4d8a6a", "#23533f"],
  },
  storm: {
    size: 318 * MB,
    duration: 138,
    sky: ["#b9c3d3", "#66748d"],
    hills: ["#3f4b61", "#222b3b"],
  },
  cliffs: {
    size: 1_340 * MB,
    duration: 405,
    sky: ["#d9f2ea", "#8ed1c2"],
    hills: ["#c9a063", "#7d5a34"],
  },
  race: {
    size: 2_150 * MB,
    duration: 2_894,
    sky: ["#d6e4ff", "#7c9cf0"],
    hills: ["#3457b2", "#1b2f6b"],
  },
  captain: {
    size: 1_720 * MB,
    duration: 1_845,
    sky: ["#fbe7f0", "#e79ab8"],
    hills: ["#8d4a86", "#4b2a5c"],
  },
  launch: {
    size: 264 * MB,
    duration: 95,
    sky: ["#fff1c9", "#f6c453"],
    hills: ["#d9733b", "#8a3b23"],
  },
  makingOf: {
    size: 655 * MB,
    duration: 533,
    sky: ["#e3dcfa", "#a996ea"],
    hills: ["#5a4bb0", "#2f2770"],
  },
  market: {
    size: 198 * MB,
    duration: 71,
    sky: ["#dff3f5", "#7fc3cf"],
    hills: ["#e08e79", "#9c4a4a"],
  },
  ferry: {
    size: 1_080 * MB,
    duration: 964,
    sky: ["#5b6ba8", "#232a55"],
    hills: ["#37508f", "#151b3f"],
  },
  kites: {
    size: 407 * MB,
    duration: 189,
    sky: ["#e8f7d4", "#a9d46f"],
    hills: ["#5c9a54", "#2f5f3a"],
  },
} as const satisfies Record<string, Example>;

export type ExampleName = keyof typeof EXAMPLES;

/** A picture of hills below a sun, as a data: address. */
export function sceneOf(name: ExampleName): string {
  const { sky, hills } = EXAMPLES[name];
  // Each has its sun elsewhere.
  const x = 30 + ((Object.keys(EXAMPLES).indexOf(name) * 37) % 100);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 90" width="640" height="360">
    <linearGradient id="sky" x2="0" y2="1"><stop stop-color="${sky[1]}"/><stop offset="1" stop-color="${sky[0]}"/></linearGradient>
    <rect width="160" height="90" fill="url(#sky)"/><circle cx="${x}" cy="34" r="11" fill="#fff" opacity="0.85"/>
    <path d="M0 72Q${x} 28 92 62T160 50V90H0z" fill="${hills[0]}"/><path d="M0 82Q40 60 ${x + 20} 78T160 72V90H0z" fill="${hills[1]}"/>
  </svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

export function titleOf(name: ExampleName, say: Say): string {
  return say(`example.${name}`);
}

/** A video as the collector finds it on the page. */
export function foundVideo(name: ExampleName, say: Say): FoundVideo {
  const { size, duration } = EXAMPLES[name];
  return {
    kind: "file",
    address: `https://${MAGAZINE}/videos/${name}.mp4`,
    title: titleOf(name, say),
    duration,
    width: 1920,
    height: 1080,
    size,
    thumbnail: sceneOf(name),
    aliases: [],
  };
}

/** An upload of which a part, from 0 to 1, has been sent. */
export function uploadOf(
  name: ExampleName,
  state: JobState,
  say: Say,
  part = 0,
  more: Partial<Job> = {},
): Job {
  const { size, duration } = EXAMPLES[name];
  const sent = Math.round(size * part);
  return makeJob(state, {
    source: {
      kind: "file",
      name: `${titleOf(name, say)}.mp4`,
      size,
      type: "video/mp4",
      lastModified: 1_700_000_000_000,
    },
    thumbnail: sceneOf(name),
    asset,
    progress: { sent, acknowledged: sent, speed: (2 + (duration % 5)) * MB },
    ...more,
  });
}
