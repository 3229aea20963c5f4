/**
 * The Retry-After header.
 *
 * @module
 */

/** Reads a Retry-After header, seconds or a date, as milliseconds from now. */
export function readRetryAfter(
  value: string | null | undefined,
  now: number = Date.now(),
): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  // Engines make dates of "-5" and "1.5" too; a date of HTTP has a time of day.
  const date = /\d:\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
