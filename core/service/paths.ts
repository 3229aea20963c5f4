/**
 * The paths of the two calls below the base address, and a stream's id as part of one.
 *
 * @module
 */

import { InputError } from "../errors.ts";
import { isObject } from "../is-object.ts";
import { invalidOption, refusedOption } from "../options.ts";
import { describeValue } from "../redaction/redaction.ts";

/** Paths of the two calls below the base address. */
export interface Paths {
  requestUpload: string;
  terminate: string;
}

const DEFAULT_PATHS: Paths = {
  requestUpload: "/api/asset/request-upload",
  terminate: "/stream/{id}/terminate",
};

const PURPOSE = "create a client";

/**
 * Fills in the documented paths.
 *
 * @throws {InputError} `invalid-option`, naming the path and what was found.
 */
export function readPaths(given: unknown): Paths {
  if (given === undefined) return DEFAULT_PATHS;
  if (!isObject(given)) throw refusedOption(PURPOSE, "paths", given, "an object");
  const paths = { ...DEFAULT_PATHS };
  for (const [name, path] of Object.entries(given)) {
    if (name !== "requestUpload" && name !== "terminate")
      throw invalidOption(
        PURPOSE,
        `there is no path ${describeValue(name)}, only requestUpload and terminate`,
      );
    if (path === undefined) continue;
    if (typeof path !== "string" || !path.startsWith("/"))
      throw refusedOption(PURPOSE, `paths.${name}`, path, 'a path that begins with "/"');
    if (/[?#\\\s]/.test(path))
      throw refusedOption(
        PURPOSE,
        `paths.${name}`,
        path,
        "a path without query, fragment, backslash and white space",
      );
    if (path.split("/").some((segment) => segment === "." || segment === "..")) {
      throw refusedOption(PURPOSE, `paths.${name}`, path, 'a path without "." and ".."');
    }
    const holes = path.split("{id}").length - 1;
    if (name === "terminate" && holes !== 1)
      throw refusedOption(PURPOSE, "paths.terminate", path, "a path that holds {id} once");
    paths[name] = path;
  }
  return paths;
}

/**
 * Turns a stream id into the one path segment it is sent as: trimmed, then percent-encoded whole.
 *
 * @param id the stream's identifier
 * @returns the segment
 * @throws {InputError} `invalid-id` for ids that can't be a path segment.
 * @example Check an id that a person typed
 * ```ts
 * import { streamSegment } from "@upcut/core/validate";
 *
 * console.log(streamSegment(" my stream ")); // "my%20stream"
 * ```
 */
export function streamSegment(id: string): string {
  const bad = (what: string) =>
    new InputError("invalid-id", `Cannot terminate the stream session: ${what}. Give the stream's id`);
  if (typeof id !== "string") throw bad(`the id is ${describeValue(id)}, expected a string`);
  const trimmed = id.trim();
  if (trimmed === "") throw bad("the id is empty");
  if (trimmed === "." || trimmed === "..")
    throw bad(`the id is ${describeValue(trimmed)}, which is not a path segment`);
  if (/[\u0000-\u001f\u007f-\u009f]/.test(trimmed))
    throw bad(`the id ${describeValue(trimmed)} holds a control character`);
  try {
    return encodeURIComponent(trimmed);
  } catch {
    throw bad("the id holds half a character (a lone surrogate)");
  }
}
