/** The actions for a finished upload. Pure. */

import { kindOf } from "../page-videos/video-kind.ts";
import { IS_FIREFOX } from "../shared/is-firefox.ts";
import { isUnusable, type Job } from "../shared/job.ts";
import { copyableId, type Links, linksOf } from "./links.ts";
import type { ButtonName } from "./message-catalogue.ts";

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

/** The action that its row offers at once, where the service is through with it. */
export function firstDoneAction(job: Job, playbackPage: string): ButtonName | undefined {
  if (isUnusable(job)) return "start-over";
  return job.processing?.stage === "ready"
    ? doneActions(job, playbackPage).find((name) => name === "open")
    : undefined;
}

export function linksOfJob({ asset }: Job, playbackPage: string): Links {
  return asset === undefined ? {} : linksOf(asset, playbackPage);
}
