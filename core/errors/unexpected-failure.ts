/** Failures of code that is not this module's: a system's, a journal's, a requester's. None of their words are shown. */
import { isObject } from "../text/is-object.ts";

/** The kind of something thrown: one short word, so that it shows nothing. */
export function kindOf(error: unknown): string {
  const name: unknown = isObject(error) ? error.name : typeof error;
  return typeof name === "string" && /^[A-Z][a-zA-Z]{0,30}$|^[a-z]{1,9}$/.test(name) ? name : "Error";
}

/** The code of a system's error, such as ENOENT, which shows nothing; `undefined` where it has none. */
export function codeOf(error: unknown): string | undefined {
  return isObject(error) && typeof error.code === "string" ? error.code : undefined;
}

/** Codes of systems, runtimes and databases. */
const CODE = /^(?=.{2,60}$)[A-Z]{1,20}\d{0,3}(?:[_/][A-Z]{0,20}\d{0,3})*$|^[A-Z][a-zA-Z]{1,30}$|^[A-Z\d]{5}$/;

/** The name and the code of what was thrown, or of what another context told of that: none of its text. */
export function causeOf(thrown: unknown): { readonly name: string; readonly code?: string } {
  const name = kindOf(thrown);
  for (let each = thrown, depth = 0; isObject(each) && depth < 5; each = each.cause, depth++) {
    const code = codeOf(each);
    if (code !== undefined && CODE.test(code)) return Object.freeze({ name, code });
  }
  return Object.freeze({ name });
}

/** True if the runtime was started without the flag that allows it, as opposed to what a system or a host refuses. */
export function isForbidden(error: unknown): boolean {
  return kindOf(error) === "NotCapable" || codeOf(error) === "ERR_ACCESS_DENIED";
}
