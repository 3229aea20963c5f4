/** Failures of code that is not this module's: a system's, a journal's, a requester's. None of their words are shown. */
import { isUpcutError, type UpcutError, UploadError } from "./errors.ts";
import { isObject } from "./is-object.ts";

/** Gives an error of this module as it came; the message of any other may hold anything. */
export function asUpcutError(purpose: string, thrown: unknown): UpcutError {
  if (isUpcutError(thrown)) return thrown;
  const state = `it failed in an unexpected way (${kindOf(thrown)})`;
  return new UploadError("interrupted", `Cannot ${purpose}: ${state}`);
}

/** The kind of something thrown: one short word, so that it shows nothing. */
export function kindOf(error: unknown): string {
  const name: unknown = error instanceof Error ? error.name : typeof error;
  return typeof name === "string" && /^[A-Z][a-zA-Z]{0,30}$|^[a-z]{1,9}$/.test(name) ? name : "Error";
}

/** The code of a system's error, such as ENOENT, which shows nothing; `undefined` where it has none. */
export function codeOf(error: unknown): string | undefined {
  return isObject(error) && typeof error.code === "string" ? error.code : undefined;
}

/** True if the runtime was started without the flag that allows it, as opposed to what a system or a host refuses. */
export function isForbidden(error: unknown): boolean {
  return kindOf(error) === "NotCapable" || codeOf(error) === "ERR_ACCESS_DENIED";
}
