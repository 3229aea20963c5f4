/** What the pictures show is made up: videos of a page, and uploads. */

import type { FoundVideo } from "../../../entrypoints/page-videos/page-video.ts";
import type { Job, JobState } from "../../../entrypoints/shared/job.ts";
import { asset, makeJob } from "../../support/extension/pages/jobs.ts";
import type { Say } from "./texts.ts";

const MB = 1_000_000;

/** Megabytes, seconds, and the colours of the sky from below to above and of the hills from behind to the front. */
const EXAMPLES = {
  harbour: [486, 252, "#fde2c8", "#f2a65a", "#8c4f5e", "#4a2c45"],
  lighthouse: [912, 751, "#cfe8f7", "#7fb8dd", "#4d8a6a", "#23533f"],
  storm: [318, 138, "#b9c3d3", "#66748d", "#3f4b61", "#222b3b"],
  cliffs: [1_340, 405, "#d9f2ea", "#8ed1c2", "#c9a063", "#7d5a34"],
  race: [2_150, 2_894, "#d6e4ff", "#7c9cf0", "#3457b2", "#1b2f6b"],
  captain: [1_720, 1_845, "#fbe7f0", "#e79ab8", "#8d4a86", "#4b2a5c"],
  launch: [264, 95, "#fff1c9", "#f6c453", "#d9733b", "#8a3b23"],
  makingOf: [655, 533, "#e3dcfa", "#a996ea", "#5a4bb0", "#2f2770"],
  market: [198, 71, "#dff3f5", "#7fc3cf", "#e08e79", "#9c4a4a"],
  ferry: [1_080, 964, "#5b6ba8", "#232a55", "#37508f", "#151b3f"],
  kites: [407, 189, "#e8f7d4", "#a9d46f", "#5c9a54", "#2f5f3a"],
} as const;

export type ExampleName = keyof typeof EXAMPLES;

/** A picture of hills below a sun, as a data: address. */
function sceneOf(name: ExampleName): string {
  const [, , below, above, behind, front] = EXAMPLES[name];
  // Each has its sun elsewhere.
  const x = 30 + ((Object.keys(EXAMPLES).indexOf(name) * 37) % 100);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 90" width="640" height="360">
    <linearGradient id="sky" x2="0" y2="1"><stop stop-color="${above}"/><stop offset="1" stop-color="${below}"/></linearGradient>
    <rect width="160" height="90" fill="url(#sky)"/><circle cx="${x}" cy="34" r="11" fill="#fff" opacity="0.85"/>
    <path d="M0 72Q${x} 28 92 62T160 50V90H0z" fill="${behind}"/><path d="M0 82Q40 60 ${x + 20} 78T160 72V90H0z" fill="${front}"/>
  </svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** A video as the collector finds it on the page. */
export function foundVideo(name: ExampleName, say: Say): FoundVideo {
  const [megabytes, duration] = EXAMPLES[name];
  return {
    kind: "file",
    address: `https://coast.example/videos/${name}.mp4`,
    title: say(`example.${name}`),
    duration,
    width: 1920,
    height: 1080,
    size: megabytes * MB,
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
  const [megabytes, duration] = EXAMPLES[name];
  const size = megabytes * MB;
  const sent = Math.round(size * part);
  return makeJob(state, {
    source: {
      kind: "file",
      name: `${say(`example.${name}`)}.mp4`,
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
