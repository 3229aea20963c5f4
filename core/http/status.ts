/** The meaning of an answer's status and Retry-After, the same for all requests. */

export function isHttpStatus({ status }: { status: number }): boolean {
  return Number.isInteger(status) && status >= 200 && status < 600;
}

export function isSuccess({ status }: { status: number }): boolean {
  return status >= 200 && status < 300;
}

export function isRedirect({ status }: { status: number }): boolean {
  return status >= 300 && status < 400;
}

/** Milliseconds: the longest wait a timer can hold. */
const LONGEST = 2 ** 31 - 1;

/** Reads a Retry-After header, seconds or a date, as milliseconds from now: some 24 days at most. */
export function readRetryAfter(
  value: string | null | undefined,
  now: number = Date.now(),
): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Math.min(LONGEST, Number(value) * 1000);
  // Engines make dates of "-5" and "1.5" too; a date of HTTP has a time of day.
  const date = /\d:\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.min(LONGEST, Math.max(0, date - now));
}
