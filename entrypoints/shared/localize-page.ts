/** Fills the texts of a page's HTML in, by the keys that its elements name. */
import { direction, language, read } from "./translate.ts";

/** Which attribute of an element names the key of which of its texts. */
const ATTRIBUTES = {
  "data-t-placeholder": "placeholder",
  "data-t-label": "aria-label",
  "data-t-title": "title",
} as const;

/** First of all in a page, so that it is never painted without its texts. */
export function localizePage(): void {
  document.documentElement.lang = language();
  document.documentElement.dir = direction();
  localize(document);
  for (const { content } of document.querySelectorAll("template")) localize(content);
}

function localize(root: ParentNode): void {
  for (const element of root.querySelectorAll("[data-t]")) element.replaceChildren(...contentOf(element));
  for (const [source, target] of Object.entries(ATTRIBUTES))
    for (const element of root.querySelectorAll(`[${source}]`))
      element.setAttribute(target, read(element.getAttribute(source) ?? ""));
}

/** A text; `{id}` and the like are what a person writes, and shown so. */
function contentOf(element: Element): Node[] {
  return read(element.getAttribute("data-t") ?? "")
    .split(/(\{\w+\})/)
    .map((part, index) => {
      if (index % 2 === 0) return document.createTextNode(part);
      return Object.assign(document.createElement("code"), { textContent: part, dir: "ltr" });
    });
}
