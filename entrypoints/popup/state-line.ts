/** What an upload's row says below its name: its state, how far it is, and why it is so. Pure. */
import { plainText } from "../../core/extension.ts";
import { isFault } from "../shared/fault.ts";
import {
  formatBytes,
  formatDuration,
  formatEstimate,
  formatLength,
  formatPartOf,
  formatPercent,
  formatSpeed,
  formatTimeLeft,
} from "../shared/format.ts";
import { fractionOf, graceLeft, hasFailed, type Job, knownSize, LONGEST_FOLLOWED } from "../shared/job.ts";
import { figure, language, t } from "../shared/translate.ts";
import { causeOf, errorSentences, resumeSentence } from "./error-messages.ts";
import {
  cancelledSentence,
  hostSentences,
  lostSentence,
  stateLabel,
  uploadedBeforeSentence,
  waitingSentence,
} from "./message-catalogue.ts";

/** @param isOpen whether the rest of what is known of it is shown, too */
export function stateLine(job: Job, now: number, isOpen = false): string {
  const { state, source, progress } = job;
  if (job.ending) return stateLabel(job);
  switch (state) {
    case "draft":
      return listed(figure(sizeOf(job)), source.host !== undefined && figure(source.host)) || stateLabel(job);
    case "uploading": {
      if (isFinishing(job)) return t("state.finishing");
      const left = (knownSize(source) ?? Number.NaN) - progress.sent;
      return listed(figure(reached(job)), formatTimeLeft(left, progress.speed));
    }
    case "waiting":
      return job.waiting === undefined ? stateLabel(job) : waitingSentence(job.waiting, now);
    case "paused":
      return listed(stateLabel(job), progress.sent > 0 && figure(reached(job)));
    case "done":
      return listed(doneLabel(job, now), isOpen ? sizeAndTime(job) : figure(sizeOf(job)));
    case "queued": {
      const grace = graceLeft(job, now);
      if (grace > 0) return t("grace.startsIn", { time: formatDuration(Math.ceil(grace / 1000)) });
      return listed(stateLabel(job), figure(sizeOf(job)));
    }
    case "requesting":
    case "needs-file":
    case "needs-permission":
    case "asset-unknown":
    case "failed":
    case "cancelled":
      return (isToldByItsReason(job) && told(job).first) || stateLabel(job);
  }
}

/** What else is known of an upload that needs the person, or has ended: what it left behind, ids, the service's words. */
export function detailsOf(job: Job): string[] {
  if (job.ending || job.state === "draft" || job.state === "done") return [];
  const { error, source } = job;
  const all = isToldByItsReason(job) ? told(job).others : explanationsOf(job);
  const left = error === undefined ? "" : resumeSentence(error, source.size);
  return [...all, left].filter((sentence) => sentence !== "");
}

/** A reason says more than the state does. */
function isToldByItsReason(job: Job): boolean {
  return hasFailed(job) || ["host", "account"].includes(job.needs?.permission ?? "");
}

/** The first sentence of what is to be said, which the row says, and the others. */
function told(job: Job): { first: string; others: string[] } {
  const cause = serviceCause(job);
  // Whole, below it: the row shows as much of it as has room.
  if (cause !== "") return { first: cause, others: explanationsOf(job) };
  const [start = "", ...others] = explanationsOf(job);
  segmenter ??= new Intl.Segmenter(language(), { granularity: "sentence" });
  const [first = ""] = [...segmenter.segment(start)].map(({ segment }) => segment);
  return { first: first.trim(), others: [start.slice(first.length).trim(), ...others] };
}

/** What the service says of a failed upload, which the row says in its place. */
export function serviceCause({ error, ending }: Job): string {
  return error === undefined || isFault(error) || ending ? "" : causeOf(error);
}

let segmenter: Intl.Segmenter | undefined;

/** How many bytes of an upload that has begun were fetched and sent, and how fast. */
export function bytesLine(job: Job): string {
  const { sent: bytes, speed } = job.progress;
  if (job.state === "done" || bytes === 0) return "";
  return listed(fetched(job), sent(job), job.state === "uploading" && figure(formatSpeed(speed)));
}

/** Why an upload is where it is, and what helps. */
export function explanationsOf(job: Job): string[] {
  switch (job.state) {
    case "draft":
      if (job.otherLength !== undefined) {
        const { playedSeconds, foundSeconds } = job.otherLength;
        const lengths = { played: formatLength(playedSeconds), found: formatLength(foundSeconds) };
        return [t("list.otherLength", lengths)];
      }
      if (job.uploadedBefore !== undefined) return [uploadedBeforeSentence(job.uploadedBefore)];
      return job.duplicateOf === undefined ? [] : [t("list.uploadingAlready")];
    case "needs-file":
      return [lostSentence(job)];
    case "needs-permission":
      if (job.needs?.permission === "account")
        return [t("row.waitsForAccount", { account: `${job.account?.name}\u00a0${job.account?.ending}` })];
      return job.needs?.permission === "host"
        ? hostSentences(job.needs, job)
        : [t("row.allowAgain", { name: job.source.name })];
    case "asset-unknown":
    case "failed":
      return job.error === undefined ? [] : errorSentences(job.error, job);
    case "cancelled":
      return [cancelledSentence(job)];
    case "done":
      return processingSentences(job);
    case "queued":
    case "requesting":
    case "uploading":
    case "waiting":
    case "paused":
      return [];
  }
}

/** How far the service is with the video, as long as it says so. */
function doneLabel(job: Job, now: number): string {
  const { stage, progress, since = 0, error } = job.processing ?? {};
  if (stage !== "working" || error !== undefined || now - since > LONGEST_FOLLOWED) return stateLabel(job);
  return progress === undefined
    ? t("processing.working")
    : t("processing.percent", { percent: formatPercent(progress) });
}

function processingSentences({ processing }: Job): string[] {
  const { reason, error } = processing ?? {};
  if (error !== undefined)
    return [t(error.code === "unauthorized" ? "processing.tokenRefused" : "processing.unknown")];
  return reason === undefined ? [] : [plainText(reason)];
}

/** How far the stored video was compared with what was sent. */
export function comparedSentence({ processing }: Job): string {
  const { same } = processing ?? {};
  if (same === undefined) return "";
  return t(same === "content" ? "processing.sameContent" : "processing.sameSize");
}

function sizeOf({ source: { size, estimated } }: Job): string {
  return size === undefined ? (formatEstimate(estimated) ?? "") : formatBytes(size);
}

/** Of a video in pieces what is fetched is told beside what is sent: either may be what takes its time. */
function fetched({ progress }: Job): string {
  const { fetched, sent } = progress;
  if (fetched === undefined) return "";
  // What an earlier run has sent was fetched, too.
  return t("row.fetched", { size: formatBytes(Math.max(fetched, sent)) });
}

/** In percent, where the whole is known. */
function reached({ source, progress }: Job): string {
  const whole = knownSize(source);
  if (whole === undefined || (source.size === undefined && progress.sent >= whole))
    return formatBytes(progress.sent);
  return formatPercent(fractionOf(progress.sent, whole));
}

function sent({ source: { size, estimated }, progress }: Job): string {
  if (size !== undefined) return formatPartOf(progress.sent, size);
  // More was sent than was estimated.
  if (estimated === undefined || progress.sent >= estimated) return figure(formatBytes(progress.sent));
  return formatPartOf(progress.sent, estimated, true);
}

function isFinishing({ source: { size, estimated }, progress }: Job): boolean {
  // What is fetched to its end is estimated exactly.
  const whole = size ?? (progress.fetched === estimated ? estimated : undefined);
  return whole !== undefined && progress.sent >= whole;
}

function sizeAndTime(job: Job): string {
  const { outcome } = job;
  const size = sizeOf(job);
  if (outcome === undefined || outcome.resumed) return figure(size);
  const time = formatDuration(outcome.duration / 1000);
  return size === "" ? t("row.in", { time }) : t("row.sizeIn", { size, time });
}

function listed(...parts: (string | false)[]): string {
  return parts.filter((part) => part !== "" && part !== false).join(" · ");
}
