/** What a page calls an element. */

/** More is not shown anyway. */
const MAX_LENGTH = 200;
/** Words of links that say what they do and not what they lead to. */
const UNTELLING =
  /^(download|watch|play|open|view|video|clip|link|here|click here|mp4|webm|mov|sd|hd|\d+p?)\b[^a-z]*$/i;

/** The name a person gave it: its label, its title, its caption, or the heading of the entry it is alone in. */
export function labelOf(element: Element): string | undefined {
  const root = element.getRootNode() as Document | ShadowRoot;
  const labels = (element.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
  return (
    text(labels.map((id) => root.getElementById(id)?.textContent ?? "").join(" ")) ??
    text(element.getAttribute("aria-label")) ??
    text(element.getAttribute("title")) ??
    text(element.closest("figure")?.querySelector("figcaption")?.textContent) ??
    entryHeading(element)
  );
}

/** What a link says it leads to, if it says more than what it does. */
export function linkLabel(link: Element): string | undefined {
  const words = text(link.textContent) ?? text(link.querySelector("img")?.alt);
  return words !== undefined && !UNTELLING.test(words) ? words : labelOf(link);
}

/** Cut to one line; `undefined` where there is nothing. */
export function text(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const line = value
    .slice(0, MAX_LENGTH * 5)
    .replace(/\s+/g, " ")
    .trim();
  if (line === "") return undefined;
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}

function entryHeading(element: Element): string | undefined {
  const headings = element.closest("article, li")?.querySelectorAll("h1, h2, h3, h4, h5, h6");
  return headings?.length === 1 ? text(headings[0]?.textContent) : undefined;
}
