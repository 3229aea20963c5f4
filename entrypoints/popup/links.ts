/**
 * What of a finished upload can be opened and copied: the person's playback page, else what the service's record
 * names. Pure; a record may hold anything.
 */
import type { Asset } from "../../core/mod.ts";
import type { HistoryEntry } from "../shared/history-store.ts";
import { plainText } from "../shared/plain-text.ts";
import { known } from "../shared/record.ts";
import { isWebAddress } from "../shared/web-address.ts";

export interface Links {
  /** The best place to watch it. */
  watch?: string;
  /** The MP4, where it has an address besides. */
  download?: string;
}

/** @param playbackPage an address with {playbackId} and {assetId}, or empty */
export function linksOf({ id, playbackId, playbackUrl, downloadUrl }: Asset, playbackPage: string): Links {
  const page = fill(fill(playbackPage, "{playbackId}", playbackId), "{assetId}", id);
  const [watch, ...others] = [webAddress(page), webAddress(playbackUrl), webAddress(downloadUrl)].filter(
    (address) => address !== undefined,
  );
  return known({ watch, download: others.find((each) => each === webAddress(downloadUrl)) });
}

/** The best place to watch what was uploaded before. */
export function linkOfEntry(entry: HistoryEntry, playbackPage: string): string | undefined {
  return linksOf({ ...entry, id: entry.assetId }, playbackPage).watch;
}

/** An id as it is copied; `undefined` for one that shows less than it holds, and for what is no text. */
export function copyableId(id: unknown): string | undefined {
  return typeof id === "string" && id !== "" && plainText(id) === id ? id : undefined;
}

/** Puts an id into an address; empty where the address needs it and it can't be part of one. */
function fill(address: string, place: string, id: unknown): string {
  if (!address.includes(place)) return address;
  if (typeof id !== "string" || id === "" || !id.isWellFormed()) return "";
  return address.replaceAll(place, encodeURIComponent(id));
}

/** What an address was read as. Of any other scheme, or with a user name or password in it, it must not become a link. */
function webAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || !isWebAddress(value)) return undefined;
  const { href, username, password } = new URL(value);
  return username === "" && password === "" ? href : undefined;
}
