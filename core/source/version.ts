/** The version of a content by the headers of an answer, so that ranges of two versions are never put together. */
import { dateNow } from "../time/clock.ts";

export interface Version {
  etag: string | undefined;
  modified: string | undefined;
  /** True if no other change can have followed in the same second. */
  isSettled: boolean;
  /** The media type without its parameters. */
  type: string | undefined;
}

/** Milliseconds that file systems round the date of a change to, at most. */
const COARSEST_DATE = 2_000;
/** Milliseconds that the clock of a server may be ahead of this one's, where it doesn't tell its time. */
const CLOCK_DIFFERENCE = 60_000;

export function versionOf(headers: Headers): Version {
  const type = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  return {
    etag: headers.get("etag")?.trim() || undefined,
    modified: headers.get("last-modified")?.trim() || undefined,
    isSettled: isSettled(headers),
    type: type || undefined,
  };
}

/** A date has seconds, so that it tells of a later change only once its own second is over at the server. */
function isSettled(headers: Headers): boolean {
  const changed = Date.parse(headers.get("last-modified") ?? "");
  const told = Date.parse(headers.get("date") ?? "");
  const now = Number.isNaN(told) ? dateNow() - CLOCK_DIFFERENCE : told;
  return now - changed >= COARSEST_DATE;
}

/** The word for a version, or `undefined` where it can't be told from another. */
export function versionName({ etag, modified, isSettled }: Version): string | undefined {
  return etag ?? (isSettled ? modified : undefined);
}

/** The version as If-Range takes it: weak ones are compared here, and a server that is asked for a date may leave out others. */
export function conditionOf({ etag }: Version): string | undefined {
  return etag !== undefined && /^"[^"]*"$/.test(etag) ? etag : undefined;
}

/** True if a range comes from the same version, as far as the server tells. One that stops telling is no proof. */
export function isSameVersion(known: Version, now: Version): boolean {
  if (known.etag !== now.etag) return false;
  if (conditionOf(known) !== undefined) return true;
  return known.modified === now.modified && !differ(known.type, now.type);
}

/** True if an answer says itself that it is another version: its bytes need no comparison. */
export function isOtherVersion(known: Version, now: Version): boolean {
  return differ(known.etag, now.etag) || (known.etag === undefined && differ(known.modified, now.modified));
}

function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
