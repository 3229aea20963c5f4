/**
 * Addresses that playlists name. They come from anybody, so that each is checked before anything is asked of it.
 *
 * @module
 */

import { InputError } from "../errors.ts";
import { leadsInside } from "../own-network.ts";
import { originOf } from "../redaction/redaction.ts";

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
  if (leadsInside(base, url)) throw refuse("an address within the network of this machine");
  return url;
}
