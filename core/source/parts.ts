/** Parts, as the stores behind a service count them. */

/** Bytes of a part, the default of the stores behind services. */
export const PART_SIZE: number = 8 * 1024 * 1024;

/** Bytes that S3 asks of each part but the last: every store takes so many as one part, whatever its own parts are. */
export const LEAST_PART_SIZE: number = 5 * 1024 * 1024;

/** Stores hold this many parts, and make them larger where that is not enough. */
const MOST_PARTS = 10_000;

/** @param size bytes of the source, or `undefined` for a stream of unknown length */
export function partSizeOf(size: number | undefined, least: number = PART_SIZE): number {
  return Math.max(least, Math.ceil((size ?? 0) / MOST_PARTS));
}

/** Bytes from the beginning of a run of bytes that are whole parts. */
export function wholeParts(bytes: number, partSize: number): number {
  return Math.floor(bytes / partSize) * partSize;
}
