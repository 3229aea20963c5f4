/** The code of a system's error, such as ENOENT: all of it that says enough and shows nothing. */

import { isObject } from "./is-object.ts";

/** The code of an error, or `undefined` where it has none. */
export function codeOf(error: unknown): string | undefined {
  return isObject(error) && typeof error.code === "string" ? error.code : undefined;
}
