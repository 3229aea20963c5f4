/** The document and every shadow root in it, closed ones too. */
import type { TimeSlice } from "./time-slice.ts";

export type Root = Document | ShadowRoot;

/** The elements that can be shadow hosts beside custom ones. */
const HOSTS = new Set(
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
);
/** Elements between two looks at the clock. */
const CLOCK_INTERVAL = 64;

export async function findRoots(slice: TimeSlice): Promise<Root[]> {
  const roots: Root[] = [document];
  let seen = 0;
  // It grows as shadows are found in shadows.
  for (const root of roots) {
    // All of them: to have a selector leave some out takes many times as long.
    for (const element of root.querySelectorAll<HTMLElement>("*")) {
      if (++seen % CLOCK_INTERVAL === 0 && slice.isOver()) await slice.yieldToPage();
      const { localName } = element;
      if (!HOSTS.has(localName) && !localName.includes("-")) continue;
      const shadow = element instanceof HTMLElement ? chrome.dom.openOrClosedShadowRoot(element) : null;
      if (shadow) roots.push(shadow as ShadowRoot);
    }
  }
  return roots;
}

/** All elements that match, in the order of the roots. */
export function findAll<Kind extends Element>(roots: Root[], selector: string): Kind[] {
  return roots.flatMap((root) => [...root.querySelectorAll<Kind>(selector)]);
}
