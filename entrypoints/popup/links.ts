/**
 * What of a finished upload can be opened and copied: the person's playback page, else what the service's record
 * names. Pure; a record may hold anything.
 */
import { plainText } from "../../core/extension.ts";
import type { Asset } from "../../core/mod.ts";
import type { HistoryEntry } from "../shared/history-store.ts";
import { IS_FIREFOX } from "../shared/is-firefox.ts";
import { isUnusable, type Job } from "../shared/job.ts";
import { known } from "../shared/record.ts";
import { kindOf } from "../shared/video-kind.ts";
import { isWebAddress } from "../shared/web-address.ts";
import type { ButtonName } from "./message-catalogue.ts";

interface Links {
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

/** All that can be done with it, the best one first. */
export function doneActions(job: Job, playbackPage: string): ButtonName[] {
  const { watch, download } = linksOfJob(job, playbackPage);
  const link: ButtonName[] = watch === undefined ? [] : ["open", "copy-link"];
  // A playlist is no page: players take its address. Chromium plays one by itself, once it is there.
  const isPlayable = !IS_FIREFOX && job.processing?.stage === "ready";
  if (watch !== undefined && kindOf(watch) === "hls" && !isPlayable) link.reverse();
  return [
    ...link,
    ...(download === undefined ? [] : ["download" as const]),
    ...(copyableId(job.asset?.id) === undefined ? [] : ["copy-asset-id" as const]),
    ...(copyableId(job.asset?.playbackId) === undefined ? [] : ["copy-playback-id" as const]),
  ];
}

/** From the moment on that its asset exists, unless nothing can come of that. */
export function linksOfJob(job: Job, playbackPage: string): Links {
  const { asset, state } = job;
  return asset === undefined || state === "cancelled" || isUnusable(job) ? {} : linksOf(asset, playbackPage);
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
