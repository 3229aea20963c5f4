/** Charts as SVG, readable on light and dark pages. */
import type { Spread } from "./rounds.ts";

const WIDTH = 720;
const STYLE = `<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600 }
.other { fill: #8b949e; stroke: #8b949e }
.ours { fill: #1f6feb; stroke: #1f6feb }
.rule { stroke: #8b949e; stroke-width: 1; opacity: .5 }
.range { stroke: #1f2328; stroke-width: 1.5 }
path.line { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .ours { fill: #58a6ff; stroke: #58a6ff }
  .range { stroke: #e6edf3 }
}
</style>`;

const kindOf = (name: string) => (/^(Upcut|videos)/.test(name) ? "ours" : "other");

/** Horizontal bars from zero, each with its range, and a rule at 1. */
export function bars(title: string, names: readonly string[], values: readonly Spread[]): string {
  const [left, top, step] = [230, 40, 26];
  const height = top + names.length * step + 16;
  const scale = (WIDTH - left - 70) / Math.max(1, ...values.map(({ most }) => most));
  const x = (value: number) => Math.round(left + value * scale);
  const rows = values.map(({ median, least, most }, index) => {
    const [name = "", y] = [names[index], top + index * step];
    const bar = `<rect class="${kindOf(name)}" x="${left}" y="${y}" width="${x(median) - left}" height="18" rx="3"/>`;
    const range = `<path class="range" d="M${x(least)} ${y + 9}H${x(most)}"/>`;
    const value = text(x(most) + 6, y + 13, `${median.toFixed(2)} ×`);
    return text(left - 8, y + 13, name, 'text-anchor="end"') + bar + range + value;
  });
  return svg(height, title, [`<path class="rule" d="M${x(1)} ${top - 6}V${height - 10}"/>`, ...rows]);
}

/** Lines by their names, all over the same values of a logarithmic axis from left to right. */
export function lines(
  title: string,
  all: ReadonlyMap<string, readonly number[]>,
  xs: readonly number[],
  axis: { x(value: number): string; y: string },
): string {
  const [left, right, top, bottom] = [60, WIDTH - 190, 44, 280];
  const [first = 1, last = 1] = [xs[0], xs.at(-1)];
  const most = 1.1 * Math.max(...[...all.values()].flat());
  const x = (value = first) =>
    Math.round(left + (Math.log(value / first) / Math.log(last / first)) * (right - left));
  const y = (value = 0) => Math.round(bottom - (value / most) * (bottom - top));
  const grid = [0, most / 2, most].map((value) => {
    const label = text(left - 8, y(value) + 4, value.toFixed(2), 'text-anchor="end"');
    return `<path class="rule" d="M${left} ${y(value)}H${right}"/>${label}`;
  });
  const labels = xs.map((value) => text(x(value), bottom + 18, axis.x(value), 'text-anchor="middle"'));
  // Names at the ends of lines keep their distance.
  let free = 0;
  const ends = [...all].sort(([, a], [, b]) => y(a.at(-1)) - y(b.at(-1)));
  const drawn = ends.map(([name, values]) => {
    free = Math.max(free + 16, y(values.at(-1)));
    const points = values.map((value, index) => `${x(xs[index])} ${y(value)}`).join("L");
    return `<path class="line ${kindOf(name)}" d="M${points}"/>${text(right + 8, free + 4, name)}`;
  });
  return svg(bottom + 40, title, [text(left, top - 10, axis.y), ...grid, ...labels, ...drawn]);
}

function svg(height: number, title: string, parts: readonly string[]): string {
  const size = `viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"`;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${title}">`;
  return `${[head, STYLE, text(8, 20, title, 'class="title"'), ...parts].join("\n")}\n</svg>\n`;
}

function text(x: number, y: number, content: string, more: string = ""): string {
  return `<text x="${x}" y="${y}" ${more}>${content}</text>`;
}
