/** How good a source of a video is, as far as players are told: `size="1080"`, `label="720p"`, `tour-1080p.mp4`. */

const ATTRIBUTES = ["size", "res", "label", "data-res", "title"];
/** Characters of a label, and of the end of an address. */
const MAX_LABEL = 40;

/** Lines of the picture; 0 where nothing is said. */
export function qualityOf(address: string, element?: Element): number {
  for (const name of element instanceof HTMLSourceElement ? ATTRIBUTES : []) {
    const lines = linesIn(element?.getAttribute(name));
    if (lines > 0) return lines;
  }
  const [path = ""] = address.startsWith("http") ? address.split(/[?#]/, 1) : [];
  return Number(/[-_./](\d{3,4})p[-_./]/i.exec(path.slice(-MAX_LABEL))?.[1] ?? 0);
}

/** What a label says: 1080, "1080p", "4K". */
export function linesIn(label: unknown): number {
  const text = typeof label === "number" ? String(label) : label;
  if (typeof text !== "string" || text.length > MAX_LABEL) return 0;
  if (/\b4k\b/i.test(text)) return 2160;
  return Number(/(?:^|\D)(\d{3,4})p?(?:\D|$)/i.exec(text)?.[1] ?? 0);
}
