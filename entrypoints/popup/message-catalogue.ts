/** What the page says of uploads, apart from errors: states, buttons, and sentences that explain them. Pure. */
import type { FileDetails, HostNeed, Job, JobState } from "../shared/job.ts";
import type { ListTrouble } from "../shared/messages.ts";
import { hostOf } from "../shared/web-address.ts";
import { SERVICE_BUSY_MESSAGE } from "./error-messages.ts";
import { formatBytes, formatDuration } from "./format.ts";

/** A state in a word or two. */
export const STATE_LABELS: Record<JobState, string> = {
  draft: "Not started",
  queued: "Queued",
  requesting: "Asking for an upload location…",
  uploading: "Uploading",
  waiting: "Interrupted",
  paused: "Paused",
  "needs-file": "Choose the file again",
  "needs-permission": "Needs your permission",
  "asset-unknown": "Outcome unknown",
  done: "Uploaded",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** The same of a job: what was read from a page isn't chosen again. */
export function stateLabel({ state, source }: Job): string {
  return state === "needs-file" && source.kind !== "file" ? "Open its page again" : STATE_LABELS[state];
}

/** What a button says, by what it does. */
export const BUTTON_LABELS = {
  start: "Start",
  pause: "Pause",
  continue: "Continue",
  "try-again": "Try again",
  edit: "Edit",
  cancel: "Cancel",
  remove: "Remove",
  "start-over": "Upload again",
  "choose-file": "Choose file…",
  "allow-file": "Allow reading the file",
  "allow-host": "Allow this host",
  "open-page": "Open its page",
  "open-options": "Open options",
  "copy-asset-id": "Copy asset id",
  "copy-playback-id": "Copy playback id",
  "copy-link": "Copy link",
  open: "Open",
  download: "Download MP4",
  "end-upload": "End the upload",
  keep: "Keep uploading",
} as const;

export type ButtonName = keyof typeof BUTTON_LABELS;

/** Why an upload waits, and what it waits for. */
export function waitingSentence({ reason, until }: NonNullable<Job["waiting"]>, now: number): string {
  if (reason === "offline") return "Offline. Resumes when the network is back.";
  if (reason === "settling") return "The service may still be storing what it received. Resumes in a moment.";
  const again = reason === "offset" || reason === "not-found" ? "Checking again" : "Trying again";
  const seconds = until === undefined ? 0 : Math.ceil((until - now) / 1000);
  return `${WAITING_MESSAGES[reason]} ${again}${seconds > 0 ? ` in ${formatDuration(seconds)}` : ""}.`;
}

const WAITING_MESSAGES: Record<
  Exclude<NonNullable<Job["waiting"]>["reason"], "offline" | "settling">,
  string
> = {
  connection: "Connection lost.",
  stalled: "Nothing was sent for a while.",
  unanswered: "The service didn't answer.",
  "http-status": SERVICE_BUSY_MESSAGE,
  "not-found": "The service can't find the upload right now.",
  offset: "The service has received less than was sent.",
};

/** Which file an upload that lost its own is waiting for. */
export function expectedFileSentence(file: FileDetails): string {
  return `The browser was closed. To resume, choose ${describeFile(file)} again.`;
}

/** That only its page has a video, after the browser was closed. */
export function lostBlobSentence(name: string): string {
  return `The browser was closed, and only its page has “${name}”. Open the page and add the video from there again. It resumes where it was.`;
}

/** Why a host must be allowed, and what else helps. */
export function hostSentences({ origin, reads }: HostNeed, { source, asset }: Job): string[] {
  const host = hostOf(origin) || origin;
  if (!reads) return [`Allow the browser to send to ${host}, where the service takes uploads.`];
  return [
    `Allow the browser to read from ${host}, where the video is.`,
    ...(asset === undefined ? [] : ["What was uploaded is not lost."]),
    ...(source.kind !== "file" && source.hasPage ? ["Or open its page, and add it from there again."] : []),
  ];
}

/** What helps after the person has not allowed reading a file, by where the list is open. */
export const FILE_REFUSED_MESSAGES = {
  tab: "The browser was not allowed to read the file. Try again, or choose the file.",
  popup:
    "The browser was not allowed to read the file. Open this list in a tab and try there, or choose the file.",
};

/** After the person has not allowed a host. */
export const HOST_REFUSED_MESSAGE = "Without this permission the upload can't continue.";

/** That a given file is another one, and how it differs. */
export function refusedFileSentence(expected: FileDetails, got: FileDetails): string {
  if (expected.name === got.name && expected.size === got.size)
    return `This ${describeFile(got)} has changed since the upload began.`;
  return `This is another file: ${describeFile(got)}. Choose ${describeFile(expected)}.`;
}

/** What a cancellation left behind. */
export function cancelledSentence({ asset, fields, endedAtService }: Job): string {
  if (asset === undefined) return "Cancelled before anything was sent.";
  const name = asset.name ?? fields.name;
  const stays = `The empty asset “${name}” stays in the account. It can't be removed from here.`;
  if (endedAtService === false)
    return `The upload was ended here, but the service couldn't be reached. ${stays}`;
  return `The upload was ended. ${stays}`;
}

/** Why what happens now is forgotten when the browser is closed. */
export const LIST_TROUBLE_MESSAGES: Record<ListTrouble, string> = {
  unstored:
    "The list of uploads can't be stored. Is the disk full? Uploads continue, but changes are lost when the browser is closed.",
  unreadable:
    "The list of uploads can't be read. New uploads work, but are lost when the browser is closed. A new list doesn't have the uploads of this one.",
};

/** Why a finished upload shows no link. */
export const NO_LINK_MESSAGE = "The service gave no link. Set a playback page in the options to get one.";

function describeFile({ name, size }: FileDetails): string {
  return size === undefined ? `“${name}”` : `“${name}” (${formatBytes(size)})`;
}
