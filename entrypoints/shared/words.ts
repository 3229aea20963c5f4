/** Every sentence that is chosen by a state or an error's code, and the words on buttons. Pure. */

import type { ErrorCode } from "../../core/mod.ts";
import { lacksWebhookId, type OriginRefusal, readOriginRefusal } from "../../core/validate.ts";
import { type Failure, isFault } from "./fault.ts";
import { formatBytes, formatDuration } from "./figures.ts";
import type { FileDetails, HostNeed, Job, JobState } from "./job.ts";
import type { ListTrouble } from "./messages.ts";

/** A state in a word or two. */
export const STATE_WORDS: Record<JobState, string> = {
  draft: "Not started",
  queued: "Waiting for its turn",
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
export function stateWords({ state, source }: Job): string {
  return state === "needs-file" && source.kind !== "file" ? "Needs its page again" : STATE_WORDS[state];
}

/** What a button says, by what it does. */
export const BUTTON_WORDS = {
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

export type ButtonName = keyof typeof BUTTON_WORDS;

/** What happened, by code, in a sentence or two that end with what helps. */
export const ERROR_WORDS: Record<ErrorCode, string> = {
  "invalid-option": "A setting has a value that can't be used. Correct it in the options.",
  "invalid-request": "A field of the upload has a value that can't be sent.",
  "invalid-id": "This is not a stream id.",
  "invalid-source": "This can't be uploaded.",
  "empty-source": "The file is empty. There is nothing to upload.",
  "not-a-video": "This file is not a video.",
  unauthorized: "The service doesn't accept the token. Check it in the options.",
  forbidden: "The account may not do this. Check in the options that the token is the right one.",
  "origin-refused":
    "The service refuses this token from here. Save the address in the options again, so that the browser may leave the Origin header out. If that doesn't help, the token may be restricted to certain web pages: use one without that restriction.",
  "wrong-address": "There is no such service at this address. Check address and paths in the options.",
  "not-found": "The service doesn't know this id.",
  "rate-limited": "The service asks to wait a little before the next request.",
  rejected: "The service refuses the request.",
  "service-error": "The service failed. This is no fault of yours: try again later.",
  redirected:
    "The service answered with a redirect, which is never followed. Check the address in the options.",
  "unexpected-answer":
    "The service's answer was not the one of its interface. Check the address in the options.",
  unreachable: "The service can't be reached. Check the connection, and the address in the options.",
  "asset-unknown":
    "The answer to the request was lost, so an asset may have been created. Look into the account before you upload again.",
  "terminate-unknown":
    "The answer was lost, so it is not known whether the session ended. Trying again ends whatever runs by then.",
  interrupted: "The connection was lost too often.",
  "in-progress": "Another upload of the same file is under way.",
  "location-refused":
    "The service no longer takes this upload: its location is used up or has expired. It has to start over.",
  "upload-gone": "The service no longer has the unfinished upload. It has to start over.",
  "offset-beyond-end": "The service counts more bytes than were sent. The upload has to start over.",
  "offset-behind-buffer":
    "A part that is no longer at hand would have to be sent again. It has to start over.",
  "length-refused": "The service refuses uploads of unknown length.",
  "source-changed":
    "The file was changed, moved or deleted since it was chosen. Choose the same one again, or remove this and upload the new one.",
  "source-unreadable": "The file can't be read. Choose it again.",
  "source-refused":
    "The link to the video has expired, needs a sign-in, or leads nowhere any more. Open its page again and add the video from there.",
  "source-ended-early": "The file is shorter than it was when it was chosen. Choose it again.",
  "source-too-long": "The file is longer than it was when it was chosen. Choose it again.",
  "source-used-up": "The file would have to be read a second time. Choose it again.",
  "journal-failed": "The browser couldn't store where the upload stands. Is the disk full?",
};

/** The same of a video that is read from a site. */
const ADDRESS_WORDS: Partial<Record<ErrorCode, string>> = {
  "empty-source": "There is nothing at this address.",
  "not-a-video": "What is at this address is not a video.",
  "source-changed":
    "The video at this address is another one than when the upload began. It has to start over.",
  "source-unreadable":
    "Its site doesn't give the video, or leads to a site that isn't allowed. Try again, or open its page again.",
  "source-ended-early": "Its site gave less of the video than it announced. It has to start over.",
  "source-too-long": "Its site gave more of the video than it announced. It has to start over.",
};

/** The same of a refused origin, where the service says which of both it is. */
const ORIGIN_WORDS: Partial<Record<OriginRefusal, string>> = {
  "web-pages":
    "The service refuses requests from a browser extension. Save the address in the options again, so that the browser may leave the Origin header out.",
  "restricted-key":
    "This token works only from certain web pages, and an extension is none of them. Use a token without that restriction: enter it in the options.",
};

const SERVICE_WORDS = "The service can't take it now.";

const WEBHOOK_WORDS =
  "The service failed. The playback policy is of type webhook but has no webhook id, which may be why. Add the id, or try again later.";

const BLOB_WORDS = "Its page no longer has this video. Open the page and add the video from there again.";

/** An error in sentences: what happened, and what the service itself said of it. */
export function errorSentences(
  error: Failure,
  { source, fields, asset }: Partial<Pick<Job, "source" | "fields" | "asset">> = {},
): string[] {
  if (isFault(error)) return ["Something went wrong inside Upcut itself. Nothing was sent: try again."];
  const { code } = error;
  const ofPage =
    source?.kind === "page-blob" && /^source-(changed|unreadable)$/.test(code) ? BLOB_WORDS : undefined;
  const ofSite = source?.kind === "url" ? ADDRESS_WORDS[code] : undefined;
  // Where there was an answer, it is not the line that failed.
  const ofService = code === "interrupted" && error.httpStatus !== undefined ? SERVICE_WORDS : undefined;
  const refusal = code === "origin-refused" ? readOriginRefusal(error.details ?? []) : undefined;
  const ofOrigin = refusal && ORIGIN_WORDS[refusal];
  const isIncomplete =
    code === "service-error" && asset === undefined && fields !== undefined && lacksWebhookId(fields);
  const ofRequest = isIncomplete ? WEBHOOK_WORDS : undefined;
  const sentences: string[] = [
    ofPage ?? ofSite ?? ofService ?? ofOrigin ?? ofRequest ?? ERROR_WORDS[code] ?? error.message,
  ];
  // What is wrong with it is only in the message.
  if (error.code === "invalid-request" || error.code === "invalid-option")
    sentences.push(closed(error.message));
  if ((code === "rate-limited" || code === "interrupted") && error.retryAfter !== undefined)
    sentences.push(`Try again in ${formatDuration(error.retryAfter / 1000)}.`);
  const said = error.details?.filter((sentence) => sentence !== "") ?? [];
  if (said.length > 0) sentences.push(`It said: “${said.join("; ")}”.`);
  return sentences;
}

/** What a failure left behind, or nothing. */
export function keptSentence({ resume }: Failure, size: number | undefined): string {
  if (resume === undefined) return "";
  if (resume.possible) {
    const of = size === undefined ? "" : ` of ${formatBytes(size)}`;
    return resume.offset > 0
      ? `${formatBytes(resume.offset)}${of} are kept. It goes on from there.`
      : "Its asset is kept. It goes on with the same one.";
  }
  return `The unfinished asset ${resume.assetId} stays in the account: it can't be removed from here.`;
}

/** Why an upload waits, and what it waits for. */
export function waitingSentence({ reason, until }: NonNullable<Job["waiting"]>, now: number): string {
  if (reason === "offline") return "Offline. Goes on when the network is back.";
  if (reason === "settling")
    return "The service may still be storing what it received. It goes on in a moment.";
  const again = reason === "offset" || reason === "not-found" ? "Checking again" : "Trying again";
  const seconds = until === undefined ? 0 : Math.ceil((until - now) / 1000);
  return `${WAITING_WORDS[reason]} ${again}${seconds > 0 ? ` in ${formatDuration(seconds)}` : ""}.`;
}

const WAITING_WORDS: Record<
  Exclude<NonNullable<Job["waiting"]>["reason"], "offline" | "settling">,
  string
> = {
  connection: "Connection lost.",
  stalled: "Nothing went through for a while.",
  unanswered: "The service didn't answer.",
  "http-status": SERVICE_WORDS,
  "not-found": "The service doesn't find the upload at the moment.",
  offset: "The service has less than was sent.",
};

/** Which file an upload that lost its own is waiting for. */
export function expectedFileSentence(file: FileDetails): string {
  return `The browser was closed meanwhile. To go on, choose ${describeFile(file)} again.`;
}

/** That only its page has a video, after the browser was closed. */
export function lostBlobSentence(name: string): string {
  return `The browser was closed meanwhile, and only its page has “${name}”. Open the page and add the video from there again: it goes on where it was.`;
}

/** Why a host must be allowed, and what else helps. */
export function hostSentences({ origin, reads }: HostNeed, { source, asset }: Job): string[] {
  const host = URL.canParse(origin) ? new URL(origin).host : origin;
  if (!reads) return [`The browser has to be allowed to send to ${host}, where the service takes uploads.`];
  return [
    `The browser has to be allowed to read from ${host}, where the video is.`,
    ...(asset === undefined ? [] : ["What was uploaded is kept."]),
    ...(source.kind !== "file" && source.hasPage ? ["Or open its page, and add it from there again."] : []),
  ];
}

/** That a given file is another one, and how it differs. */
export function refusedFileSentence(expected: FileDetails, got: FileDetails): string {
  if (expected.name === got.name && expected.size === got.size)
    return `This ${describeFile(got)} is not the one that was begun: its content was changed since.`;
  return `This is another file: ${describeFile(got)}. Expected is ${describeFile(expected)}.`;
}

/** What a cancellation left behind. */
export function cancelledSentence({ asset, fields, endedAtService }: Job): string {
  if (asset === undefined) return "It was cancelled before anything was sent.";
  const name = asset.name ?? fields.name;
  const stays = `The empty asset “${name}” stays in the account: it can't be removed from here.`;
  if (endedAtService === false) return `The upload was ended, but the service couldn't be told. ${stays}`;
  return `The upload was ended. ${stays}`;
}

/** Why what happens now is forgotten when the browser is closed. */
export const LIST_TROUBLE_WORDS: Record<ListTrouble, string> = {
  unstored:
    "The list of uploads can't be stored: is the disk full? Uploads go on, but what happens now is forgotten when the browser is closed.",
  unreadable:
    "The list of uploads can't be read. New uploads work, but are forgotten when the browser is closed. A new list forgets the uploads of this one.",
};

/** Why a finished upload shows no link. */
export const NO_LINK_WORDS =
  "The service gave no link, and can't be asked again through this interface. A playback page can be set in the options.";

function describeFile({ name, size }: FileDetails): string {
  return size === undefined ? `“${name}”` : `“${name}” (${formatBytes(size)})`;
}

function closed(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
