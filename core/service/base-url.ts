/** The base address of a service. */
import { invalidOption, refusedOption } from "../options.ts";
import { describeValue } from "../redaction/redaction.ts";

const PURPOSE = "create a client";

/** Empty, a path, something with a scheme, or a host name with or without port and path. */
const ADDRESS_LIKE = /^\s*($|\/|[a-z][\w+.-]*:|localhost\b|[\w-]+(\.[\w-]+)+(:\d+)?([/?#]|\s*$))/i;

/** Reads an address, and gives it without a trailing slash. @throws {InputError} `invalid-option` */
export function readBaseUrl(baseUrl: unknown): string {
  if (!(baseUrl instanceof URL) && typeof baseUrl !== "string") {
    throw refusedOption(PURPOSE, "baseUrl", baseUrl, 'an address such as "https://video.example"');
  }
  let url: URL;
  try {
    url = new URL(typeof baseUrl === "string" ? baseUrl.trim() : baseUrl);
  } catch {
    // A text that resembles no address may be the token, given in the wrong place.
    const found = ADDRESS_LIKE.test(String(baseUrl))
      ? describeValue(String(baseUrl).split(/[?#]/)[0])
      : "not an address";
    throw invalidOption(PURPOSE, `baseUrl is ${found}, expected an address such as "https://video.example"`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw invalidOption(
      PURPOSE,
      `baseUrl begins with ${describeValue(url.protocol)}, expected "https:" or "http:"`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw invalidOption(PURPOSE, "baseUrl holds a user name or password. Give the account's token as token");
  }
  // Also one that is empty, which search and hash don't show.
  if (/^[^#]*\?/.test(url.href))
    throw invalidOption(PURPOSE, "baseUrl holds a query. Leave out all from ? on");
  if (url.href.includes("#"))
    throw invalidOption(PURPOSE, "baseUrl holds a fragment. Leave out all from # on");
  return url.href.replace(/(?<!\/)\/+$/, "");
}
