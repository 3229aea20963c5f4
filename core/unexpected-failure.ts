/** Failures of code that is not this module's, such as a journal's or a requester's. */

import { UploadError } from "./errors.ts";

/**
 * The error for such a failure, whose message may hold anything.
 *
 * @param purpose completes "Cannot …"
 */
export function unexpectedFailure(purpose: string, error: unknown): UploadError {
  return new UploadError(
    "interrupted",
    `Cannot ${purpose}: it failed in an unexpected way (${kindOf(error)})`,
  );
}

/** The kind of something thrown: one short word, so that it shows nothing. */
export function kindOf(error: unknown): string {
  const name: unknown = error instanceof Error ? error.name : typeof error;
  return typeof name === "string" && /^[A-Z][a-zA-Z]{0,30}$|^[a-z]{1,9}$/.test(name) ? name : "Error";
}
