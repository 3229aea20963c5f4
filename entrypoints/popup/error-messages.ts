/** What the page says of errors, chosen by their code. Pure. */
import type { ErrorCode } from "../../core/mod.ts";
import { lacksWebhookId, type OriginRefusal, readOriginRefusal } from "../../core/validate.ts";
import { type Failure, isFault } from "../shared/fault.ts";
import type { Job } from "../shared/job.ts";
import { formatBytes, formatDuration } from "./format.ts";

/** What happened, by code, in a sentence or two that end with what helps. */
export const ERROR_MESSAGES: Record<ErrorCode, string> = {
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
  "rate-limited": "The service asks you to wait before the next request.",
  rejected: "The service refuses the request.",
  "service-error": "The service has a problem. Try again later.",
  redirected:
    "The service answered with a redirect, which is never followed. Check the address in the options.",
  "unexpected-answer": "The service gave an unexpected answer. Check the address in the options.",
  unreachable: "The service can't be reached. Check the connection, and the address in the options.",
  "asset-unknown":
    "No answer came, so an asset may have been created. Check the account before you upload again.",
  "terminate-unknown":
    "No answer came, so the session may or may not have ended. Trying again ends whatever session is live then.",
  interrupted: "The connection was lost too often.",
  "in-progress": "Another upload of the same file is running.",
  "location-refused":
    "The service no longer takes this upload: its location has been used or has expired. Upload the video again.",
  "upload-gone": "The service no longer has the unfinished upload. Upload the video again.",
  "offset-beyond-end": "The service counts more bytes than were sent. Upload the video again.",
  "offset-behind-buffer":
    "A part would have to be sent again that can't be read again. Upload the video again.",
  "length-refused": "The service refuses uploads of unknown length.",
  "source-changed":
    "The file was changed, moved or deleted since it was chosen. Choose the same one again, or remove this and upload the new one.",
  "source-unreadable": "The file can't be read. Choose it again.",
  "source-refused":
    "The link to the video has expired, needs a sign-in, or no longer works. Open its page again and add the video from there.",
  "source-ended-early": "The file is shorter than it was when it was chosen. Choose it again.",
  "source-too-long": "The file is longer than it was when it was chosen. Choose it again.",
  "source-used-up": "The file would have to be read a second time. Choose it again.",
  "journal-failed": "The browser couldn't store the progress of the upload. Is the disk full?",
};

/** The same of a video that is read from a site. */
const URL_MESSAGES: Partial<Record<ErrorCode, string>> = {
  "empty-source": "There is nothing at this address.",
  "not-a-video": "What is at this address is not a video.",
  "source-changed": "The video at this address has changed since the upload began. Upload it again.",
  "source-unreadable":
    "The video can't be read from its site, or the site redirects to one that isn't allowed. Try again, or open its page again.",
  "source-ended-early": "The site sent less of the video than it announced. Upload it again.",
  "source-too-long": "The site sent more of the video than it announced. Upload it again.",
};

/** The same of a refused origin, where the service says which of both it is. */
const ORIGIN_MESSAGES: Partial<Record<OriginRefusal, string>> = {
  "web-pages":
    "The service refuses requests from a browser extension. Save the address in the options again, so that the browser may leave the Origin header out.",
  "restricted-key":
    "This token works only from certain web pages, and an extension is none of them. Use a token without that restriction: enter it in the options.",
};

export const SERVICE_BUSY_MESSAGE = "The service can't take the upload now.";

const WEBHOOK_MESSAGE =
  "The service has a problem. The playback policy has the type webhook but no webhook id, which may be the cause. Add the id, or try again later.";

const BLOB_MESSAGE = "Its page no longer has this video. Open the page and add the video from there again.";

/** An error in sentences: what happened, and what the service itself said of it. */
export function errorSentences(
  error: Failure,
  { source, fields, asset }: Partial<Pick<Job, "source" | "fields" | "asset">> = {},
): string[] {
  if (isFault(error)) return ["Something went wrong inside Upcut. Nothing was sent. Try again."];
  const { code } = error;
  const blobMessage =
    source?.kind === "page-blob" && /^source-(changed|unreadable)$/.test(code) ? BLOB_MESSAGE : undefined;
  const urlMessage = source?.kind === "url" ? URL_MESSAGES[code] : undefined;
  // Where there was an answer, it is not the connection that failed.
  const busyMessage =
    code === "interrupted" && error.httpStatus !== undefined ? SERVICE_BUSY_MESSAGE : undefined;
  const refusal = code === "origin-refused" ? readOriginRefusal(error.details ?? []) : undefined;
  const originMessage = refusal && ORIGIN_MESSAGES[refusal];
  const isIncomplete =
    code === "service-error" && asset === undefined && fields !== undefined && lacksWebhookId(fields);
  const webhookMessage = isIncomplete ? WEBHOOK_MESSAGE : undefined;
  const sentences: string[] = [
    blobMessage ??
      urlMessage ??
      busyMessage ??
      originMessage ??
      webhookMessage ??
      ERROR_MESSAGES[code] ??
      error.message,
  ];
  // What is wrong with it is only in the message.
  if (error.code === "invalid-request" || error.code === "invalid-option")
    sentences.push(withPeriod(error.message));
  if ((code === "rate-limited" || code === "interrupted") && error.retryAfter !== undefined)
    sentences.push(`Try again in ${formatDuration(error.retryAfter / 1000)}.`);
  const said = error.details?.filter((sentence) => sentence !== "") ?? [];
  if (said.length > 0) sentences.push(`The service said: “${said.join("; ")}”.`);
  return sentences;
}

/** What a failure left behind, or nothing. */
export function resumeSentence({ resume }: Failure, size: number | undefined): string {
  if (resume === undefined) return "";
  if (resume.possible) {
    const of = size === undefined ? "" : ` of ${formatBytes(size)}`;
    return resume.offset > 0
      ? `${formatBytes(resume.offset)}${of} uploaded. It resumes from there.`
      : "Nothing is uploaded yet. It resumes with the same asset.";
  }
  return `The unfinished asset ${resume.assetId} stays in the account. It can't be removed from here.`;
}

function withPeriod(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
