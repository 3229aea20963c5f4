/** A part of the bench, what it reports, and the page that shows all parts. */
import { find, type Measured, ratioOf, type Spread, spreadOf } from "./rounds.ts";
import type { Videos } from "./videos.ts";

export interface Bench {
  /** Smaller files and fewer rounds: to try the bench, not to believe its figures. */
  quick: boolean;
  videos: Videos;
}

export type Part = (bench: Bench) => Promise<Section>;

/** A table of the results page; cells are Markdown. */
export interface Table {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/** A figure that has a target. */
export interface Verdict {
  what: string;
  target: string;
  measured: string;
  met: boolean;
}

/** Why no target compares the parts of an upload with one request for all. */
export const COST_OF_SAFETY =
  "a browser may send a request again by itself while a store still takes parts of it, so over HTTP/1.1 Upcut sends 8 MiB " +
  "at a time: that is what safety costs";

export interface Section {
  title: string;
  /** How it was measured, in sentences. */
  how: string;
  tables: Table[];
  verdicts: Verdict[];
}

/** A section with the machine that it was measured on: parts may be measured again on another. */
export interface MeasuredSection extends Section {
  machine: string;
}

/** A spread as "median (least to most)". */
export function shown({ median, least, most }: Spread, digits: number = 2): string {
  if (Number.isNaN(median)) return "";
  return `${median.toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`;
}

export function verdict(what: string, target: string, measured: string, met: boolean): Verdict {
  return { what, target, measured, met };
}

/** Compares a spread's median with its target. */
export function atMost(what: string, measured: Spread, limit: number, unit = "", digits = 2): Verdict {
  return verdict(what, `≤ ${limit}${unit}`, `${shown(measured, digits)}${unit}`, measured.median <= limit);
}

/** The same for the time of a candidate, or another figure of it, as a multiple of another's. */
export function atMostTimes(
  what: string,
  all: readonly Measured[],
  [name, base]: readonly [name: string, base: string],
  limit: number,
  figure = "seconds",
): Verdict {
  return atMost(what, ratioOf(find(all, name), find(all, base), figure), limit, ` × ${base}`);
}

/** The time of each candidate, as a multiple of another's and by itself, and what else is told of it. */
export function tableBeside(
  title: string,
  all: readonly Measured[],
  base: string,
  more: Record<string, (each: Measured) => string> = {},
): Table {
  return {
    columns: [title, `× ${base}`, "s", ...Object.keys(more)],
    rows: all.map((each) => [
      each.name,
      shown(ratioOf(each, find(all, base), "seconds")),
      shown(spreadOf(each, "seconds")),
      ...Object.values(more).map((tell) => tell(each)),
    ]),
  };
}

/** Targets that were changed or given up. One that is only missed stays. */
const CHANGED_TARGETS: Table = {
  columns: ["what", "targets", "reason"],
  rows: [
    [
      "Client alone, gzip",
      "8 → 11.5 → 14 kB",
      "it reads assets back now, to verify what is stored, and hides secrets however they are spelled",
    ],
    [
      "Everything, gzip",
      "26 → 30 → 42 kB",
      "continuation by other processes, many videos by one call and verification were added",
    ],
    [
      "Extension, zip for the store",
      "150 → 260 → 246 kB",
      "HLS and DASH were added, and what core gained; 260 was more than these take",
    ],
    ["Upcut in Chromium, time beside one plain request", "≤ 1 × → none", COST_OF_SAFETY],
    ["Upcut in Chromium, CPU seconds", "below every other uploader's → none", COST_OF_SAFETY],
    [
      "Upcut in Chromium, time and CPU seconds beside XHR PATCHes of 8 MiB",
      "time ≤ 1 × → both ≤ 1.05 ×",
      "the bare script sends the same parts, but asks for no location and shows nothing",
    ],
  ],
};

/** The sections of the results page by title, each as its Markdown and its lines in the table of targets. */
export type Sections = Map<string, { text: string; targets: string[] }>;

export function writeSection({ title, how, machine, tables, verdicts }: MeasuredSection): Sections {
  const text = [title, how, `Measured on ${machine}.`, ...tables.map(markdown)].join("\n\n");
  const targets = verdicts.map(({ what, target, measured, met }) =>
    line([what, target, measured, met ? "met" : "**missed**", title]),
  );
  return new Map([[title, { text, targets }]]);
}

/** Reads a results page, so that one part can be measured again. */
export function readPage(page: string): Sections {
  const [, targets = "", , ...sections] = page.trimEnd().split(/^## /m);
  return new Map(
    sections.map((section) => {
      const text = section.trimEnd();
      const [title = ""] = text.split("\n", 1);
      return [title, { text, targets: targets.split("\n").filter((row) => row.endsWith(`| ${title} |`)) }];
    }),
  );
}

export function page(peers: string, sections: Sections): string {
  const targets = [...sections.values()].flatMap((section) => section.targets);
  return `${[
    "# What was measured",
    "Written by `npm run bench`. Every figure is one of a run in which all candidates took turns on the same machine: " +
      "ratios carry over to another machine, seconds don't. Median of all rounds, with least and most.",
    `Beside ${peers}.`,
    "## Targets",
    [markdown({ columns: ["what", "target", "measured", "", "part"], rows: [] }), ...targets].join("\n"),
    "## Targets that changed",
    markdown(CHANGED_TARGETS),
    ...[...sections.values()].map(({ text }) => `## ${text}`),
  ].join("\n\n")}\n`;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function markdown({ columns, rows }: Table): string {
  const rule = columns.map((_, index) => (index === 0 ? "---" : "--:"));
  return [line(columns), line(rule), ...rows.map(line)].join("\n");
}
