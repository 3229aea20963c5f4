/**
 * Addresses that playlists name. They come from anybody, so that each is checked before anything is asked of it.
 *
 * @module
 */

import { InputError } from "../errors.ts";
import { originOf } from "../redaction.ts";
import { isLoopback } from "../service/upload-location.ts";

/**
 * The address that a playlist names.
 *
 * @throws {InputError} `unsupported-video` where nothing may be read from there.
 */
export function placeUrl(href: string, base: URL): URL {
  const refuse = (what: string) =>
    new InputError(
      "unsupported-video",
      `Cannot take the video: a playlist at ${originOf(base)} names ${what}`,
    );
  if (!URL.canParse(href, base.href)) throw refuse("an invalid address");
  const url = new URL(href, base);
  if (!/^https?:$/.test(url.protocol))
    throw refuse(`an address that begins with "${url.protocol.slice(0, 30)}", expected https: or http:`);
  if (url.username !== "" || url.password !== "") throw refuse("an address with a user name or password");
  if (base.protocol === "https:" && url.protocol === "http:")
    throw refuse("an http address, and is at an https one itself");
  if (isOwnNetwork(url.hostname) && !isOwnNetwork(base.hostname))
    throw refuse("an address within the network of this machine");
  return url;
}

/** Networks that are not the internet's, by the addresses that name them. */
const OWN_NETWORK =
  /^(10(\.\d{1,3}){3}|192\.168(\.\d{1,3}){2}|172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2}|169\.254(\.\d{1,3}){2}|\[(f[cd]|fe[89ab])[\da-f:]{1,40}\])$/;

/** Whether a host is this machine or in its network, where others may not send a reader. */
export function isOwnNetwork(hostname: string): boolean {
  return isLoopback(hostname) || OWN_NETWORK.test(hostname);
}
