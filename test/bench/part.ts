/** A part of the bench, and what it is given. */
import type { Films } from "./films.ts";
import type { Section } from "./report.ts";

export interface Bench {
  /** Smaller files and fewer rounds: to try the bench, not to believe its figures. */
  quick: boolean;
  films: Films;
}

export type Part = (bench: Bench) => Promise<Section>;
