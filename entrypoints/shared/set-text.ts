/** Shows a sentence in an element. */
import { directionOf, partsOf } from "./isolates.ts";

/** In place of what the element holds; foreign parts keep their own direction. */
export function setText(element: Element, sentence: string): void {
  const nodes = partsOf(sentence).map(({ text, isForeign }) => {
    if (!isForeign) return document.createTextNode(text);
    return Object.assign(document.createElement("bdi"), { textContent: text, dir: directionOf(text) });
  });
  element.replaceChildren(...nodes);
}
