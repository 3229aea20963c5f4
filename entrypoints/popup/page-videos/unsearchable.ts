/** Why a page can't be searched, by its address and by what the browser says when it keeps a script out. Pure. */
import { entryOf } from "../../shared/entry-of.ts";

/**
 * `browser`: one of the browser's own pages. `store`: the extension store. `pdf`: a document, and no page. `file`: a
 * file of this computer. `source`: the source of a page. `extension`: a page of another extension. `error`: what is
 * shown in place of a page that didn't load. `managed`: an organization keeps extensions out. `closed`: another page
 * of which the browser tells the address. `unknown`: Chromium tells nothing of an empty page, the source of a page, and
 * of a file where its person hasn't let the extension at files.
 */
export type Unsearchable =
  | "browser"
  | "store"
  | "pdf"
  | "file"
  | "source"
  | "extension"
  | "error"
  | "managed"
  | "closed"
  | "unknown";

const STORES =
  /^https:\/\/(chromewebstore\.google\.com|chrome\.google\.com\/webstore|microsoftedge\.microsoft\.com\/addons|addons\.mozilla\.org)(\/|$)/;

/** By scheme; those of other browsers are their own pages too. */
const SCHEMES: Record<string, Unsearchable> = {
  "file:": "file",
  "view-source:": "source",
  "chrome-extension:": "extension",
  "moz-extension:": "extension",
  "chrome-error:": "error",
};

/**
 * @param address of the tab, where the browser tells it
 * @param refusal what the browser said
 */
export function whyUnsearchable(address: string | undefined, refusal: string): Unsearchable {
  if (/ExtensionsSettings policy/i.test(refusal)) return "managed";
  if (/error page/i.test(refusal)) return "error";
  const shown = address ?? addressIn(refusal);
  return whyByAddress(shown) ?? whyByRefusal(refusal) ?? (shown === undefined ? "unknown" : "closed");
}

function whyByAddress(address: string | undefined): Unsearchable | undefined {
  if (address === undefined || address === "") return undefined;
  if (STORES.test(address)) return "store";
  const scheme = /^[a-z][\w+.-]*:/i.exec(address)?.[0].toLowerCase() ?? "";
  if (scheme === "http:" || scheme === "https:") return undefined;
  return entryOf(SCHEMES, scheme) ?? "browser";
}

function whyByRefusal(refusal: string): Unsearchable | undefined {
  if (/gallery/i.test(refusal)) return "store";
  if (/chrome-extension:\/\//i.test(refusal)) return "extension";
  return /chrome:\/\/|about:/i.test(refusal) ? "browser" : undefined;
}

/** Chromium names the address: `Cannot access contents of url "file:///…"`. */
function addressIn(refusal: string): string | undefined {
  return /url "([^"]*)"/.exec(refusal)?.[1];
}
