/**
 * Where requests must end: at whole parts.
 *
 * A store of parts cuts each request into parts from where the request begins. What is left below a part may overtake
 * the parts before it and be left out of the stored file, so it goes in a request of its own.
 *
 * @module
 */

import { wholeParts } from "../source/parts.ts";

/** What the end of a request depends on. */
export interface RequestLimits {
  /** Bytes of a part. */
  partSize: number;
  /** Most bytes of one request; at least one part is sent. */
  most: number;
  /** Whether the last part goes in a request of its own although it is a whole one. */
  lastApart: boolean;
}

/**
 * Bytes of the next request: as many whole parts as may go together, or what is left below a part.
 *
 * @param rest bytes that are left of the source
 */
export function requestSize(rest: number, { partSize, most, lastApart }: RequestLimits): number {
  if (rest <= partSize) return rest;
  const together = Math.max(partSize, wholeParts(Math.min(rest, most), partSize));
  return lastApart && together === rest ? together - partSize : together;
}
