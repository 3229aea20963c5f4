/**
 * Where requests must end: at whole parts, as the stores behind a service count them.
 *
 * A store of parts cuts each request into parts from where the request begins. What is left below a part may overtake
 * the parts before it and be left out of the stored file, so it goes in a request of its own.
 *
 * @module
 */

/** Bytes of a part, as the stores behind services make them unless they are told otherwise. */
export const PART_SIZE: number = 8 * 1024 * 1024;

/** Such stores hold this many parts, and make them larger where that is not enough. */
const MOST_PARTS = 10_000;

/**
 * Bytes of a part of one upload.
 *
 * @param size bytes of the source, or `undefined` for a stream of unknown length
 */
export function partSizeOf(size: number | undefined): number {
  return Math.max(PART_SIZE, Math.ceil((size ?? 0) / MOST_PARTS));
}

/** Bytes from the beginning of a run of bytes that are whole parts. */
export function wholeParts(bytes: number, partSize: number): number {
  return Math.floor(bytes / partSize) * partSize;
}

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
