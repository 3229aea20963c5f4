/** What the browser must allow so that videos can be read from their hosts. */
import { hostPattern } from "./settings.ts";

/**
 * Asks for the hosts of addresses, all in one question, and to be told where they lead: that makes the browser warn of
 * nothing more, and without an address it asks nothing. Must be called within the click.
 */
export async function allowReading(addresses: string[]): Promise<boolean> {
  const origins = [...new Set(addresses.map((address) => hostPattern(new URL(address).origin)))];
  return await chrome.permissions.request({ origins, permissions: ["webRequest"] }).catch(() => false);
}
