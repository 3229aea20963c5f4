/** Finds the id of a live stream in what a person clicked. */
import { decodeOrKeep, plainText, streamSegment } from "../../core/extension.ts";
import { isRefused } from "../shared/is-refused.ts";

export interface Clicked {
  selectionText?: string | undefined;
  linkUrl?: string | undefined;
  pageUrl?: string | undefined;
  /** The setting: matches addresses of pages about one stream, its first group is the id; empty turns it off. */
  streamPage: string;
}

/**
 * The id that was clicked on, trimmed and decoded, if core accepts it.
 *
 * A selection stands for itself, unless it is an address with an id in it. Where something is selected or linked,
 * the page's own stream is never meant: without a confirmation it would end the wrong one.
 */
export function findStreamId({ selectionText, linkUrl, pageUrl, streamPage }: Clicked): string | undefined {
  const selected = selectionText?.trim();
  if (selected) return accepted(inAddress(selected) ?? selected);
  if (linkUrl) return accepted(inAddress(linkUrl));
  if (pageUrl && streamPage) return accepted(onPage(pageUrl, streamPage));
  return undefined;
}

const EVERY_PAGE = ["*://*/*"];

/**
 * Match patterns of links that may hold a stream's id: in the path, by the query, or behind the address of a page, whose
 * fragment no pattern sees. Nobody looks for a stream at the address of a video file.
 */
export const STREAM_LINKS: string[] = [
  "*://*/*stream/*",
  "*://*/*streams/*",
  "*://*/*?id=*",
  "*://*/*&id=*",
  ...["/", "/*/", "/*.html", "/*.htm", "/*.php"].flatMap((page) => [`*://*${page}`, `*://*${page}?*`]),
];

/**
 * Match patterns of at least the pages that the setting matches, none where it is empty or no pattern.
 *
 * A menu can't be limited by an expression: what the expression begins with narrows it, where that is plain text of
 * a path.
 */
export function documentPatterns(streamPage: string): string[] {
  if (streamPage === "" || !isExpression(streamPage)) return [];
  if (streamPage.includes("|")) return EVERY_PAGE;
  const start = /^\\?\/(?:[\w/=&%~-]|\\[/.-])*/.exec(streamPage)?.[0] ?? "";
  const rest = streamPage.slice(start.length);
  // A quantifier makes the character before it uncertain.
  const certain = /^[?*{]/.test(rest) ? start.replace(/\\?.$/, "") : start;
  const text = certain.replaceAll("\\", "").slice(1);
  return text.length < 3 || text.startsWith("/") ? EVERY_PAGE : [`*://*/*${text}*`];
}

function isExpression(pattern: string): boolean {
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}

/** The segment after the last `stream` or `streams` of an address's path or of the path in its fragment, else `id=`. */
function inAddress(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined;
  const { pathname, hash, searchParams } = new URL(address);
  return (
    afterStream(pathname) ?? afterStream(hash.split("?", 1)[0] ?? "") ?? searchParams.get("id") ?? undefined
  );
}

function afterStream(path: string): string | undefined {
  const segments = path.split("/").filter((segment) => segment !== "");
  const at = segments.findLastIndex(
    (segment, index) => /^streams?$/i.test(segment) && index + 1 < segments.length,
  );
  const id = at === -1 ? undefined : segments[at + 1];
  return id === undefined ? undefined : decodeOrKeep(id);
}

function onPage(pageUrl: string, pattern: string): string | undefined {
  // An earlier version may have kept one that is none.
  const id = isExpression(pattern) ? new RegExp(pattern).exec(pageUrl)?.[1] : undefined;
  return id === undefined ? undefined : decodeOrKeep(id);
}

function accepted(id: string | undefined): string | undefined {
  // The person must have seen all of what is ended.
  if (id === undefined || plainText(id) !== id || isRefused(() => streamSegment(id))) return undefined;
  return id.trim();
}
