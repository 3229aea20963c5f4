/**
 * The address that a tus creation gives for the upload.
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import { isLoopback } from "../loopback.ts";

/**
 * The upload URL as the service wrote it, without a fragment, which is never sent and would hide it from what compares
 * addresses; where a proxy made it http on the same host, https stays.
 */
export function readUploadUrl(told: string | undefined, endpoint: string): string {
  const location = told?.split("#", 1)[0];
  const bad = (state: string) =>
    new UploadError("location-refused", `Cannot upload: the upload host ${state}`);
  // An empty one leads back to where the upload was created.
  if (location === undefined || location.trim() === "")
    throw bad("created the upload without telling its address");
  const from = new URL(endpoint);
  let url: URL;
  try {
    url = new URL(location, from);
  } catch {
    throw bad("gave an invalid upload address");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw bad("gave an upload address that is neither https nor http");
  if (url.username !== "" || url.password !== "")
    throw bad("gave an upload address with a user name or password");
  if (url.protocol === "http:" && isLoopback(url.hostname) && !isLoopback(from.hostname))
    throw bad("gave an upload address on this machine");
  if (from.protocol === "http:" || url.protocol === "https:")
    return URL.canParse(location) ? location : url.href;
  if (url.hostname === from.hostname) return `https://${from.host}${url.pathname}${url.search}`;
  if (isLoopback(url.hostname)) return location;
  throw bad("gave an upload address without https");
}
