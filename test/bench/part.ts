/** A part of the bench, and what it is given. */

import type { Section } from "./report.ts";
import type { Videos } from "./videos.ts";

export interface Bench {
  /** Smaller files and fewer rounds: to try the bench, not to believe its figures. */
  quick: boolean;
  videos: Videos;
}

export type Part = (bench: Bench) => Promise<Section>;
