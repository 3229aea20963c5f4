/** Charts as SVG, readable on light and dark pages. */

/** A bar, with its range. */
export interface Bar {
  label: string;
  value: number;
  least: number;
  most: number;
  ours?: boolean;
}

/** A line of points. */
export interface Line {
  label: string;
  points: readonly (readonly [x: number, y: number])[];
  ours?: boolean;
}

const WIDTH = 720;
const STYLE = `<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600 }
.other { fill: #8b949e; stroke: #8b949e }
.ours { fill: #1f6feb; stroke: #1f6feb }
.rule { stroke: #8b949e; stroke-width: 1; opacity: .5 }
.range { stroke: #1f2328; stroke-width: 1.5 }
.line { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .ours { fill: #58a6ff; stroke: #58a6ff }
  .range { stroke: #e6edf3 }
}
</style>`;

/** Horizontal bars from zero; `reference` is a value to compare with, drawn as a rule. */
export function bars(title: string, all: readonly Bar[], unit: string, reference: number = 1): string {
  const [left, right, top, step] = [230, 70, 40, 26];
  const height = top + all.length * step + 16;
  const most = Math.max(reference, ...all.map((bar) => bar.most));
  const x = (value: number) => left + (value / most) * (WIDTH - left - right);
  const rows = all.map(({ label, value, least, most: end, ours }, index) => {
    const y = top + index * step;
    const middle = y + 9;
    return [
      text(left - 8, y + 13, label, 'text-anchor="end"'),
      `<rect class="${ours === true ? "ours" : "other"}" x="${left}" y="${y}" width="${round(x(value) - left)}" height="18" rx="3"/>`,
      `<path class="range" d="M${round(x(least))} ${middle}H${round(x(end))}"/>`,
      text(x(end) + 6, y + 13, `${value.toFixed(2)}${unit}`),
    ].join("");
  });
  const rule = `<path class="rule" d="M${round(x(reference))} ${top - 6}V${height - 10}"/>`;
  return svg(height, title, [rule, ...rows]);
}

/** Lines over a logarithmic axis from left to right. */
export function lines(
  title: string,
  all: readonly Line[],
  axis: { x(value: number): string; y: string },
): string {
  const [left, right, top, bottom, height] = [60, 190, 44, 40, 320];
  const xs = [...new Set(all.flatMap(({ points }) => points.map(([at]) => at)))].sort((a, b) => a - b);
  const [first = 1, last = 1] = [xs[0], xs.at(-1)];
  const most = 1.1 * Math.max(...all.flatMap(({ points }) => points.map(([, value]) => value)));
  const x = (value: number) =>
    left + (Math.log(value / first) / Math.log(last / first)) * (WIDTH - left - right);
  const y = (value: number) => height - bottom - (value / most) * (height - top - bottom);
  const grid = [0, most / 2, most].map(
    (value) =>
      `<path class="rule" d="M${left} ${round(y(value))}H${WIDTH - right}"/>${text(left - 8, y(value) + 4, value.toFixed(2), 'text-anchor="end"')}`,
  );
  const labels = xs.map((value) =>
    text(x(value), height - bottom + 18, axis.x(value), 'text-anchor="middle"'),
  );
  // Labels at the ends of lines keep their distance.
  const ends = all.map((line) => ({ line, at: y(line.points.at(-1)?.[1] ?? 0) })).sort((a, b) => a.at - b.at);
  let free = 0;
  const drawn = ends.map(({ line: { label, points, ours }, at }) => {
    free = Math.max(free + 16, at);
    const path = points.map(([px, py], index) => `${index === 0 ? "M" : "L"}${round(x(px))} ${round(y(py))}`);
    const kind = ours === true ? "ours" : "other";
    return `<path class="line ${kind}" style="fill:none" d="${path.join("")}"/>${text(WIDTH - right + 8, free + 4, label)}`;
  });
  return svg(height, title, [text(left, top - 10, axis.y), ...grid, ...labels, ...drawn]);
}

function svg(height: number, title: string, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(title)}">`;
  return `${[head, STYLE, text(8, 20, title, 'class="title"'), ...parts].join("\n")}\n</svg>\n`;
}

function text(x: number, y: number, content: string, more: string = ""): string {
  return `<text x="${round(x)}" y="${round(y)}" ${more}>${escaped(content)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
