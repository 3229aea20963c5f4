/**
 * Where allowed hosts send the readers of videos: of a redirect to a host that isn't allowed, a fetch learns only that
 * it failed, and a person must be asked for the right one. Without the permission for this, nothing is known.
 */

import { originOf } from "../shared/web-address.ts";

/** Redirects that are remembered: each is asked about right after it happened. */
const MAX_REDIRECTS = 100;
const next = new Map<string, string>();

/**
 * Listens to the requests of the offscreen document alone, which is in no tab, if that is allowed. Once more whenever
 * something was: Chromium shows a listener nothing of an extension that had no host when it began to listen.
 */
export function watchRedirects(): void {
  const { webRequest } = chrome as Partial<typeof chrome>;
  webRequest?.onBeforeRedirect.removeListener(note);
  webRequest?.onBeforeRedirect.addListener(note, {
    urls: ["<all_urls>"],
    types: ["xmlhttprequest"],
    tabId: chrome.tabs.TAB_ID_NONE,
  });
}

/** `originUrl` is Firefox's name of the document that asks, whole. */
type Redirect = chrome.webRequest.OnBeforeRedirectDetails & { originUrl?: string };

function note({ url, redirectUrl, initiator, originUrl }: Redirect): void {
  if (!(initiator ?? originUrl)?.startsWith(location.origin)) return;
  next.delete(url);
  next.set(url, redirectUrl);
  const [oldest] = next.keys();
  if (next.size > MAX_REDIRECTS && oldest !== undefined) next.delete(oldest);
}

/** The origin that an address led to at last, if it was seen to lead anywhere. */
export function redirectOf(address: string): string | null {
  let last = address;
  for (let hops = 0; hops < 20; hops++) last = next.get(last) ?? last;
  return last === address ? null : originOf(last);
}
