/**
 * The charts of the figures that people would rather look at, from the results page. Each is a table as well: the text
 * that the picture has, and that stands beside it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ReadFigure, Results } from "./results.ts";

interface Bar {
  where: string;
  who: string;
  /** A median, and mostly the least and the most in brackets. */
  cell: string;
}

export interface Chart {
  /** What the lengths of the bars mean. */
  measure: string;
  /** The length of what the others stand beside. */
  reference?: number;
  bars(read: ReadFigure): Bar[];
}

const RUNTIMES = ["Node", "Bun", "Deno"];
const CURL = "× curl -T";
const PATCH = "× curl -T, as one PATCH";
const XHR = "× a plain XHR PUT";
const LEAST_IS_BEST = "less is better";

/** Bars of one place: rows of a table by the names that the chart has for them. */
function barsOf(
  where: string,
  rows: Record<string, string>,
  cell: (row: string) => string,
  { prefix = "" } = {},
): Bar[] {
  return Object.entries(rows).map(([who, row]) => ({ where, who: prefix + who, cell: cell(row) }));
}

const itself = (...names: string[]) => Object.fromEntries(names.map((name) => [name, name]));
const PEERS = itself("tus-js-client", "Uppy");
const ofRuntime = (runtime: string) => ({
  Upcut: `Upcut in ${runtime}`,
  "tus-js-client": `tus-js-client in ${runtime}`,
});

/** By the names of their files in `docs/figures/`. */
export const CHARTS: Record<string, Chart> = {
  time: {
    measure: `time for 1 GiB × curl, in Chromium × one XHR: ${LEAST_IS_BEST}`,
    reference: 1,
    bars: (read) => [
      ...RUNTIMES.flatMap((runtime) =>
        barsOf(runtime, ofRuntime(runtime), (row) => read("Throughput", CURL, row)),
      ),
      ...barsOf("Chromium", { Upcut: "Upcut", ...PEERS, ...itself("UpChunk") }, (row) =>
        read("Chromium", "discard sink", row, XHR),
      ),
    ],
  },
  service: {
    measure: `time for 1 GiB × curl, in Chromium × one XHR: ${LEAST_IS_BEST}`,
    reference: 1,
    bars: (read) => [
      ...RUNTIMES.flatMap((runtime) =>
        barsOf(runtime, runtime === "Node" ? ofRuntime(runtime) : { Upcut: `Upcut in ${runtime}` }, (row) =>
          read("Throughput", PATCH, row),
        ),
      ),
      ...barsOf("Chromium", { Upcut: "Upcut", "8 MiB at a time": "XHR PATCHes of 8 MiB" }, (row) =>
        read("Chromium", "local service", row, "× a plain XHR PATCH"),
      ),
    ],
  },
  "long-line": {
    measure: `time × curl, in Chromium × one XHR: ${LEAST_IS_BEST}`,
    reference: 1,
    bars: (read) => [
      ...["10 KiB", "1 MiB", "100 MiB"].flatMap((size) =>
        barsOf(`Node, ${size}`, ofRuntime("Node"), (row) => read("A long line", size, row, CURL)),
      ),
      ...["HTTP/2", "HTTP/1.1"].flatMap((protocol) =>
        barsOf(`Chromium, 100 MiB, ${protocol}`, { Upcut: "Upcut's module", ...PEERS }, (row) =>
          read("Chromium to a host that encrypts", `${protocol}, 100 MiB over a long line`, row, XHR),
        ),
      ),
    ],
  },
  memory: {
    measure: `most MiB, in Chromium more than before: ${LEAST_IS_BEST}`,
    bars: (read) => [
      ...RUNTIMES.flatMap((runtime) => [
        ...barsOf(
          runtime,
          { "1 MiB": "a file of 1 MiB", "1 GiB": "a file of 1 GiB", "16 GiB": "a file of 16 GiB, sparse" },
          (row) => read("Peak memory", runtime, row),
          { prefix: "Upcut, " },
        ),
        ...barsOf(runtime, { "tus-js-client, 1 GiB": `tus-js-client in ${runtime}` }, (row) =>
          read("Throughput", CURL, row, "peak MiB"),
        ),
      ]),
      ...barsOf("Chromium", { "Upcut, up to 16 GiB": "Upcut" }, (row) =>
        mostOf(read("Chromium", "discard sink", row, "MiB more")),
      ),
      ...barsOf("Chromium", { ...PEERS, ...itself("UpChunk") }, (row) =>
        read("Chromium", "discard sink", row, "MiB more"),
      ),
    ],
  },
  "small-files": {
    measure: `time for 100 files × a bare loop: ${LEAST_IS_BEST}`,
    reference: 1,
    bars: (read) =>
      ["over a long line", "locally"].flatMap((place) =>
        barsOf(
          place,
          {
            "Upcut, uploadAll()": "uploadAll in Node",
            "Upcut, command line": "the command line",
            "Upcut, extension": "the extension",
          },
          (row) => read("Small files", place, row, "× the bare loop"),
        ),
      ),
  },
};

/** The most of a cell such as "1 GiB: 12; 4 GiB: 2". */
function mostOf(cell: string): string {
  return `${Math.max(...[...cell.matchAll(/: (\d+)/g)].map(([, figure]) => Number(figure)))}`;
}

export function rowsOfChart({ bars }: Chart, { figure }: Results): string[][] {
  return bars(figure).map(({ where, who, cell }) => [where, who, cell]);
}

/** What a chart says, for those who don't see it; by this a drawing is known to be up to date. */
export function textOfChart(chart: Chart, results: Results): string {
  const rows = rowsOfChart(chart, results).map(([where, who, cell]) => `${where}, ${who}: ${cell}`);
  return `<title>${chart.measure}</title><desc>${rows.join("; ")}</desc>`;
}

/** The palette of the site in light and dark; the page behind belongs to the picture, since a site may have its own. */
const STYLE = `svg { --page: #ffffff; --text: #1b1c20; --quiet: #5b5e6a; --line: #dcdde3; --own: #4338ca; --other: #a9acb8; }
@media (prefers-color-scheme: dark) {
  svg { --page: #1b1c20; --text: #ececf0; --quiet: #a9acb8; --line: #3b3d45; --own: #a5b4fc; --other: #6b6e7a; }
}`;

/** Draws a chart as an SVG that reads well in light and dark. */
export async function drawChart(chart: Chart, results: Results): Promise<string> {
  const drawing = spawn("node", [fileURLToPath(new URL("draw.mjs", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(drawing, "close");
  drawing.stdin.end(JSON.stringify(specOf(chart, results)));
  const svg = await text(drawing.stdout);
  if ((await ended)[0] !== 0) throw new Error("Cannot draw a chart. Run npm ci --prefix test/bench first");
  const told = textOfChart(chart, results);
  // The text says it all; that each bar is a graphics object says nothing.
  const quiet = svg.replace(/ (?:role|aria-[a-z]+)="[^"]*"/g, "");
  return `${quiet.replace(/<svg ([^>]*)>/, `<svg role="img" $1>${told}<style>${STYLE}</style>`)}\n`;
}

function specOf({ bars, measure, reference }: Chart, { figure }: Results): object {
  const values = bars(figure).map(({ where, who, cell }) => {
    const [median = 0, least = median, most = median] = [...cell.matchAll(/[\d.]+/g)].map(Number);
    return { where, who, median, least, most, cell, isOwn: who.startsWith("Upcut") };
  });
  const places = [...new Set(values.map(({ where }) => where))];
  const longest = Math.max(reference ?? 0, ...values.map(({ most }) => most));
  return {
    vconcat: places.map((place) => {
      const isLast = place === places.at(-1);
      const length = (field: string) => ({
        field,
        type: "quantitative",
        title: isLast ? measure : null,
        scale: { domain: [0, longest] },
        axis: { labels: isLast },
      });
      const line = { mark: { type: "rule", color: "var(--quiet)", strokeDash: [4, 4] } };
      return {
        title: place,
        width: 250,
        height: { step: 24 },
        data: { values: values.filter(({ where }) => where === place) },
        encoding: { y: { field: "who", type: "nominal", sort: null, title: null } },
        layer: [
          {
            mark: { type: "bar", height: 14, cornerRadiusEnd: 3 },
            encoding: {
              x: length("median"),
              color: { condition: { test: "datum.isOwn", value: "var(--own)" }, value: "var(--other)" },
            },
          },
          {
            mark: { type: "rule", color: "var(--text)" },
            encoding: { x: length("least"), x2: { field: "most" } },
          },
          {
            mark: { type: "text", align: "left", dx: 8, color: "var(--text)" },
            encoding: { x: length("most"), text: { field: "cell" } },
          },
          ...(reference === undefined ? [] : [{ ...line, encoding: { x: { datum: reference }, y: null } }]),
        ],
      };
    }),
    ...{ spacing: 10, padding: { left: 8, top: 8, bottom: 8, right: 8 }, background: "var(--page)" },
    config: {
      aria: false,
      font: "system-ui, sans-serif",
      view: { stroke: null },
      text: { fontSize: 14 },
      title: { anchor: "start", frame: "group", color: "var(--text)", fontSize: 14, offset: 6 },
      axis: {
        ...{ labelColor: "var(--text)", labelFontSize: 14, titleColor: "var(--quiet)", titleFontSize: 13 },
        ...{
          titleFontWeight: "normal",
          domain: false,
          ticks: false,
          gridColor: "var(--line)",
          labelPadding: 8,
        },
      },
      axisX: { tickCount: 4 },
      axisY: { minExtent: 140, labelLimit: 0 },
    },
  };
}
