/** Links to video files, and files that are embedded without a video element. */

import { addressOf, kindOf, mediaType } from "../shared/video-kind.ts";
import { isWebAddress } from "../shared/web-address.ts";
import type { Candidate } from "./catalogue.ts";
import { labelOf, linkLabel } from "./label.ts";
import { findAll, type Root } from "./roots.ts";

const SELECTOR = 'a[href], area[href], object[data], embed[src], link[rel~="preload"][as="video"][href]';

export function fromLinks(roots: Root[]): Candidate[] {
  return findAll<HTMLElement>(roots, SELECTOR).flatMap((element): Candidate[] => {
    const value = element.getAttribute("href") ?? element.getAttribute("data") ?? element.getAttribute("src");
    const address = addressOf(value, document.baseURI);
    if (address === undefined || !isWebAddress(address)) return [];
    const type = mediaType(element.getAttribute("type"));
    const kind = kindOf(address, type);
    if (kind === undefined) return [];
    const title = element instanceof HTMLAnchorElement ? linkLabel(element) : labelOf(element);
    return [{ kind, address, ...(type !== undefined && { type }), ...(title !== undefined && { title }) }];
  });
}
