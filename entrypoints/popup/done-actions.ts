/** What can be done with a finished upload. Pure. */
import type { Job } from "../shared/job.ts";
import { kindOf } from "../shared/video-kind.ts";
import { copyableId, type Links, linksOf } from "./links.ts";
import type { ButtonName } from "./message-catalogue.ts";

/** All that can be done with it, the best one first. */
export function doneActions(job: Job, playbackPage: string): ButtonName[] {
  const { watch, download } = linksOfJob(job, playbackPage);
  const link: ButtonName[] = watch === undefined ? [] : ["open", "copy-link"];
  // A playlist is no page: players take its address.
  if (watch !== undefined && kindOf(watch) === "hls") link.reverse();
  return [
    ...link,
    ...(download === undefined ? [] : ["download" as const]),
    ...(copyableId(job.asset?.id) === undefined ? [] : ["copy-asset-id" as const]),
    ...(copyableId(job.asset?.playbackId) === undefined ? [] : ["copy-playback-id" as const]),
  ];
}

export function linksOfJob({ asset }: Job, playbackPage: string): Links {
  return asset === undefined ? {} : linksOf(asset, playbackPage);
}
