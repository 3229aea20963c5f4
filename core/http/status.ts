/** The meaning of an answer's status and Retry-After, the same for all requests. */
import { LONGEST_TIMER } from "../time/abort.ts";
import { dateNow } from "../time/clock.ts";

export function isHttpStatus({ status }: { status: number }): boolean {
  return Number.isInteger(status) && status >= 200 && status < 600;
}

export function isSuccess({ status }: { status: number }): boolean {
  return status >= 200 && status < 300;
}

export function isRedirect({ status }: { status: number }): boolean {
  return status >= 300 && status < 400;
}

/** Reads a date of HTTP. Engines make dates of "-5" and "1.5" too; one of HTTP has a time of day. */
export function readDate(value: string | null | undefined): number | undefined {
  const date = /\d:\d\d/.test(value ?? "") ? Date.parse(value ?? "") : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

/**
 * Reads a Retry-After header, seconds or a date, as milliseconds from now: some 24 days at most.
 *
 * @param now the answer's own date, where it has one: this machine's clock may be wrong
 */
export function readRetryAfter(
  value: string | null | undefined,
  now: number = dateNow(),
): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Math.min(LONGEST_TIMER, Number(value) * 1000);
  const date = readDate(value);
  return date && Math.min(LONGEST_TIMER, Math.max(0, date - now));
}
