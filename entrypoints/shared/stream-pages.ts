/** The pages on which the menu offers to end a stream, as match patterns of the browser. Pure; nothing here throws. */
import { isLoopback } from "../../core/extension.ts";

/** Where the menu offers it: on pages of the service's site, on every page, or on those of the addresses named. */
export const STREAM_MENUS = ["service", "everywhere", "listed"] as const;

export type StreamMenu = (typeof STREAM_MENUS)[number];

export interface StreamPages {
  streamMenu: StreamMenu;
  streamMenuPages: string[];
  /** Of the service. */
  address: string;
}

/** The patterns, or undefined for every page. An address that can't be read is left out. */
export function menuPages({ streamMenu, streamMenuPages, address }: StreamPages): string[] | undefined {
  if (streamMenu === "everywhere") return undefined;
  if (streamMenu === "listed") return streamMenuPages.map(pagePattern).filter((each) => each !== undefined);
  const site = siteOf(address);
  return site === "" ? [] : [hostPattern("*", site)];
}

/**
 * The site that a service belongs to: its pages are seldom on the very host that takes calls, but on one beside it.
 * Empty where there is no address.
 */
export function siteOf(address: string): string {
  if (!URL.canParse(address)) return "";
  const { hostname } = new URL(address);
  if (isBare(hostname)) return hostname;
  const parts = hostname.split(".");
  const ownParts = /\.(com?|org|net|ac|gov|edu)\.[a-z]{2}$/.test(hostname) ? 3 : 2;
  return (parts.length > ownParts ? parts.slice(1) : parts).join(".");
}

/**
 * The pattern of a line that a person wrote: a host, which stands for its subdomains too, an address, which stands for
 * all pages that begin with it, or a pattern.
 */
export function pagePattern(line: string): string | undefined {
  const [, scheme, wild, host, rest = ""] =
    /^(?:(\*|https?):\/\/)?(\*\.)?([^\s/?#*@]+)(\/[^\s?#]*)?(?:[?#]\S*)?$/i.exec(line.trim()) ?? [];
  const address = `https://${host}${rest}`;
  if (host === undefined || !URL.canParse(address)) return undefined;
  const { hostname, pathname } = new URL(address);
  // A single word is a name in a network of one's own, or a mistake.
  if (!scheme && !/[.:]/.test(hostname) && !isLoopback(hostname)) return undefined;
  const start = hostPattern(scheme?.toLowerCase() ?? "*", hostname, !scheme || wild !== undefined);
  return pathname === "/" ? start : `${start.slice(0, -2)}${pathname.replace(/\*?$/, "*")}`;
}

/** Patterns of those of the pages whose path has the path of other patterns, which are for any host. */
export function narrow(pages: string[] | undefined, paths: string[]): string[] {
  if (pages === undefined) return paths;
  const narrowed = pages.flatMap((page) =>
    // A path of its own can't be put together with another one.
    /^[^/]+:\/\/[^/]+\/\*$/.test(page)
      ? paths.map((path) => page.slice(0, -2) + path.slice("*://*".length))
      : page,
  );
  return paths.length === 0 ? [] : narrowed;
}

/** All pages of a host and, unless it is one that has none or it is not wanted, of its subdomains. */
function hostPattern(scheme: string, hostname: string, withSubdomains = true): string {
  return `${scheme}://${withSubdomains && !isBare(hostname) ? "*." : ""}${hostname}/*`;
}

/** Tells whether a host is a number or this computer, which have no subdomains. */
function isBare(hostname: string): boolean {
  return hostname === "localhost" || /^\[|^[\d.]+$/.test(hostname);
}
