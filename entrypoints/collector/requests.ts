/** Videos and manifests that the page has loaded, as far as the browser remembers. */

import { addressOf, kindOf } from "../shared/video-kind.ts";
import { isWebAddress } from "../shared/web-address.ts";
import type { Candidate } from "./catalogue.ts";

export interface Requested extends Candidate {
  /** Whether a media element asked for it, and not a script. */
  byElement: boolean;
  /** Bytes of its content, where the page may know them. */
  length: number;
}

/** A video element also asks for its poster. */
const PICTURE = /\.(jpe?g|png|webp|avif|gif|svg)$/i;

/** @param posters addresses that are known to be pictures */
export function fromRequests(posters: Set<string | undefined>): Requested[] {
  return performance.getEntriesByType("resource").flatMap((entry): Requested[] => {
    const { name, initiatorType, decodedBodySize } = entry as PerformanceResourceTiming;
    const address = addressOf(name, document.baseURI);
    if (address === undefined || !isWebAddress(address)) return [];
    const byElement = initiatorType === "video" || initiatorType === "source";
    const isPicture = posters.has(address) || PICTURE.test(new URL(address).pathname);
    const kind = kindOf(address) ?? (byElement && !isPicture ? "file" : undefined);
    return kind === undefined ? [] : [{ kind, address, byElement, length: decodedBodySize }];
  });
}
