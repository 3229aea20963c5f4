/** The base address of a service. */
import { invalidOption } from "../options/checks.ts";
import { describeValue } from "../redaction/redaction.ts";

/** Empty, a path, something with a scheme, or a host name with or without port and path. */
const ADDRESS_LIKE = /^\s*($|\/|[a-z][\w+.-]*:|localhost\b|[\w-]+(\.[\w-]+)+(:\d+)?([/?#]|\s*$))/i;

/** Reads an address, and gives it without a trailing slash. @throws {InputError} `invalid-option` */
export function readBaseUrl(baseUrl: unknown): string {
  const bad = (state: string) => invalidOption("create a client", `baseUrl ${state}`);
  const expected = 'expected an address such as "https://video.example"';
  if (!(baseUrl instanceof URL) && typeof baseUrl !== "string")
    throw bad(`is ${describeValue(baseUrl)}, ${expected}`);
  const text = String(baseUrl).trim();
  // A text that resembles no address may be the token, given in the wrong place.
  const found = ADDRESS_LIKE.test(text) ? describeValue(text.split(/[?#]/)[0]) : "not an address";
  if (!URL.canParse(text)) throw bad(`is ${found}, ${expected}`);
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw bad(`begins with ${describeValue(url.protocol)}, expected "https:" or "http:"`);
  if (url.username !== "" || url.password !== "")
    throw bad("holds a user name or password. Give the account's token as token");
  // Search and hash don't show a query or fragment that is empty.
  if (/^[^#]*\?/.test(url.href)) throw bad("holds a query. Leave out all from ? on");
  if (url.href.includes("#")) throw bad("holds a fragment. Leave out all from # on");
  return url.href.replace(/(?<!\/)\/+$/, "");
}
