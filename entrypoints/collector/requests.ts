/** Videos and manifests that the page has loaded, as far as the browser remembers. */

import { addressOf, isManifest, kindOf } from "../shared/video-kind.ts";
import { isWebAddress } from "../shared/web-address.ts";
import type { Candidate } from "./catalogue.ts";
import { baseAddress } from "./node-property.ts";
import type { TimeSlice } from "./time-slice.ts";

export interface Requested extends Candidate {
  /** True if a media element asked for it, and not a script. */
  byElement: boolean;
  /** Bytes of its content, where the page may know them. */
  length: number;
}

/** A video element also asks for its poster. */
const PICTURE = /\.(jpe?g|png|webp|avif|gif|svg)$/i;

/** Videos that are looked at; a page can have the browser remember any number. */
const MAX_REQUESTS = 1000;

/** Chromium tells the type of what the page may read. */
type TypedRequest = PerformanceResourceTiming & { contentType?: string };

/** Requests that a browser notes of a page, unless the page asks for more. */
const NOTED_REQUESTS = 250;

export async function fromRequests(
  posters: Set<string | undefined>,
  slice: TimeSlice,
): Promise<{ requests: Requested[]; requestLogIsFull: boolean }> {
  await slice.yieldToPage();
  const requests: Requested[] = [];
  const entries = performance.getEntriesByType("resource");
  for (const entry of entries) {
    if (slice.isOver()) await slice.yieldToPage();
    if (slice.isUsedUp() || requests.length >= MAX_REQUESTS) break;
    const { name, initiatorType, decodedBodySize: length, contentType } = entry as TypedRequest;
    const address = addressOf(name, baseAddress());
    if (address === undefined || !isWebAddress(address)) continue;
    const byElement = initiatorType === "video" || initiatorType === "source";
    const isPicture = posters.has(address) || PICTURE.test(new URL(address).pathname);
    // Of a piece the type says that it is a video; of a manifest, that it is one.
    const typed = isPicture ? undefined : kindOf(address, contentType);
    const kind =
      kindOf(address) ?? (isManifest(typed) ? typed : byElement && !isPicture ? "file" : undefined);
    if (kind !== undefined) requests.push({ kind, address, byElement, length });
  }
  // The first ones are kept.
  return { requests, requestLogIsFull: entries.length >= NOTED_REQUESTS };
}
