/**
 * Where the calls of an account go: the base address, the paths below it, and a stream's id as part of one.
 *
 * @module
 */

import { InputError } from "./errors.ts";
import { OptionCheck } from "./options.ts";
import { isRecord } from "./record.ts";
import { show } from "./redaction.ts";

/** Paths of the two account calls below the base address; services may mount them under a prefix. */
export interface Paths {
  /** Where locations are requested. @default "/api/asset/request-upload" */
  requestUpload: string;
  /** Must hold `{id}` once. @default "/stream/{id}/terminate" */
  terminate: string;
}

const DEFAULT_PATHS: Paths = {
  requestUpload: "/api/asset/request-upload",
  terminate: "/stream/{id}/terminate",
};

const check = new OptionCheck("create a client");

/** Empty, a path, something with a scheme, or a host name with or without port and path. */
const ADDRESS_LIKE = /^\s*($|\/|[a-z][\w+.-]*:|localhost\b|[\w-]+(\.[\w-]+)+(:\d+)?([/?#]|\s*$))/i;

/**
 * Reads a base address.
 *
 * @returns the address without a trailing slash, and whether it is https
 * @throws {InputError} `invalid-option`, naming what is wrong.
 */
export function readBaseUrl(baseUrl: unknown): { href: string; secure: boolean; origin: string } {
  if (!(baseUrl instanceof URL) && typeof baseUrl !== "string") {
    throw check.error(`baseUrl is ${show(baseUrl)}, expected an address such as "https://video.example"`);
  }
  let url: URL;
  try {
    url = new URL(typeof baseUrl === "string" ? baseUrl.trim() : baseUrl);
  } catch {
    // What resembles no address may be the token, given in the wrong place.
    const found = ADDRESS_LIKE.test(String(baseUrl)) ? show(String(baseUrl).split(/[?#]/)[0]) : "no address";
    throw check.error(`baseUrl is ${found}, expected an address such as "https://video.example"`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw check.error(`baseUrl begins with ${show(url.protocol)}, expected "https:" or "http:"`);
  }
  if (url.username !== "" || url.password !== "") {
    throw check.error("baseUrl holds a user name or password. Give the account's token as token");
  }
  if (url.search !== "" || url.href.includes("?"))
    throw check.error("baseUrl holds a query. Leave out all from ? on");
  if (url.hash !== "" || url.href.includes("#"))
    throw check.error("baseUrl holds a fragment. Leave out all from # on");
  return { href: url.href.replace(/\/+$/, ""), secure: url.protocol === "https:", origin: url.origin };
}

/**
 * Fills in the documented paths.
 *
 * @throws {InputError} `invalid-option`, naming the path and what was found.
 */
export function readPaths(given: Partial<Paths> | undefined): Paths {
  if (given === undefined) return DEFAULT_PATHS;
  if (!isRecord(given)) check.refuse("paths", given, "an object");
  for (const [name, path] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_PATHS, name))
      throw check.error(`there is no path ${show(name)}, only requestUpload and terminate`);
    if (path === undefined) continue;
    if (typeof path !== "string" || !path.startsWith("/"))
      check.refuse(`paths.${name}`, path, 'a path that begins with "/"');
    if (/[?#\\\s]/.test(path))
      check.refuse(`paths.${name}`, path, "a path without query, fragment, backslash and white space");
    if (path.split("/").some((segment) => segment === "." || segment === "..")) {
      check.refuse(`paths.${name}`, path, 'a path without "." and ".."');
    }
    const holes = path.split("{id}").length - 1;
    if (name === "terminate" && holes !== 1)
      check.refuse("paths.terminate", path, "a path that holds {id} once");
  }
  return {
    requestUpload: given.requestUpload ?? DEFAULT_PATHS.requestUpload,
    terminate: given.terminate ?? DEFAULT_PATHS.terminate,
  };
}

/**
 * Turns a stream id into the one path segment it is sent as: trimmed, then percent-encoded whole.
 *
 * @throws {InputError} `invalid-id` for ids that can't be a path segment.
 */
export function streamSegment(id: string): string {
  const bad = (what: string) =>
    new InputError("invalid-id", `Cannot terminate the stream session: ${what}. Give the stream's id`);
  if (typeof id !== "string") throw bad(`the id is ${show(id)}, expected a string`);
  const trimmed = id.trim();
  if (trimmed === "") throw bad("the id is empty");
  if (trimmed === "." || trimmed === "..") throw bad(`the id is ${show(trimmed)}, which is no path segment`);
  if (/[\u0000-\u001f\u007f-\u009f]/.test(trimmed))
    throw bad(`the id ${show(trimmed)} holds a control character`);
  try {
    return encodeURIComponent(trimmed);
  } catch {
    throw bad("the id holds half a character (a lone surrogate)");
  }
}
