/** The document and every shadow root in it, closed ones too. */
import type { Pace } from "./pace.ts";

export type Root = Document | ShadowRoot;

/** What can't be a shadow host and pages have most of; custom elements have no name that a selector could give. */
const HOSTS = `:not(${[
  "a, abbr, b, br, button, canvas, circle, code, dd, defs, dl, dt, em, figcaption, figure, form, g, head, head *",
  "hr, i, iframe, img, input, label, li, line, link, meta, ol, option, path, picture, polygon, pre, rect",
  "script, select, small, source, strong, style, sub, sup, svg, svg *, table, tbody, td, template, textarea, th",
  "thead, time, tr, track, u, ul, use, video, video *",
].join()})`;

export async function findRoots(pace: Pace): Promise<Root[]> {
  const roots: Root[] = [document];
  // It grows as shadows are found in shadows.
  for (const root of roots) {
    for (const element of root.querySelectorAll(HOSTS)) {
      await pace.rest();
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
