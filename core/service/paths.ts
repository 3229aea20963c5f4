/** The paths of the calls below the base address, and an id as part of one. */
import { InputError } from "../errors/errors.ts";
import { invalidOption, refusedOption } from "../options/checks.ts";
import { describeValue } from "../redaction/redaction.ts";
import { isObject } from "../text/is-object.ts";

export interface Paths {
  requestUpload: string;
  terminate: string;
  /** The interface document shows no call that reads an asset. */
  asset?: string;
}

/** Paths of the other calls at services that have all of them below one prefix. */
export const PREFIXED_PATHS = { terminate: "/api/stream/{id}/terminate", asset: "/api/asset/{id}" };

const DEFAULT_PATHS: Paths = {
  requestUpload: "/api/asset/request-upload",
  terminate: "/stream/{id}/terminate",
};
const NAMES = ["requestUpload", "terminate", "asset"] as const;

const PURPOSE = "create a client";

/** @throws {InputError} `invalid-option`, naming the path and what was found. */
export function readPaths(given: unknown = {}): Paths {
  if (!isObject(given)) throw refusedOption(PURPOSE, "paths", given, "an object");
  const paths = { ...DEFAULT_PATHS };
  for (const [key, path] of Object.entries(given)) {
    const name = NAMES.find((known) => known === key);
    if (name === undefined)
      throw invalidOption(
        PURPOSE,
        `there is no path ${describeValue(key)}, only requestUpload, terminate and asset`,
      );
    if (path === undefined) continue;
    const wrong = (what: string) => refusedOption(PURPOSE, `paths.${name}`, path, `a path ${what}`);
    if (typeof path !== "string" || !path.startsWith("/")) throw wrong('that begins with "/"');
    if (/[?#\\\s]/.test(path)) throw wrong("without query, fragment, backslash and white space");
    if (/(^|\/)\.\.?(\/|$)/.test(path)) throw wrong('without "." and ".."');
    if (name !== "requestUpload" && path.split("{id}").length !== 2) throw wrong("that holds {id} once");
    paths[name] = path;
  }
  return paths;
}

/** Paths beside that of request-upload, for calls whose own weren't given; none where that shows no prefix. */
export function pathsBeside(
  requestUpload: string,
  given: Record<string, unknown> = {},
): Partial<typeof PREFIXED_PATHS> {
  const [, prefix] = /^(\/.+)\/asset\/request-upload$/.exec(requestUpload) ?? [];
  if (prefix === undefined) return {};
  const others = Object.entries(PREFIXED_PATHS).filter(([name]) => given[name] === undefined);
  return Object.fromEntries(others.map(([name, path]) => [name, path.replace("/api", () => prefix)]));
}

export function streamSegment(id: string): string {
  return idSegment(id, "terminate the stream session", "stream");
}

/** The purpose of the call that reads an asset, as it completes "Cannot …". */
export const READ_ASSET = "read the asset";

/** Turns an id into the one path segment it is sent as. @throws {InputError} `invalid-id` */
export function idSegment(id: string, purpose: string, owner: string): string {
  const bad = (state: string) =>
    new InputError("invalid-id", `Cannot ${purpose}: ${state}. Give the ${owner}'s id`);
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
