/** The table of error codes, and the plain form of an error. */

/**
 * All that is known of an error by its code. The comment of each is its meaning; `npm run tables` writes them to
 * `docs/error-codes.md`. Nothing was sent where the class is `InputError`.
 *
 * A code that is added here needs a message in each language of the extension.
 */
export const ERROR_CODES = {
  /** an option has a wrong value */
  "invalid-option": { class: "InputError", retryable: false, kept: "nothing", next: "check-options" },
  /** a field of the create-asset request is wrong */
  "invalid-request": { class: "InputError", retryable: false, kept: "nothing", next: "check-request" },
  /** not the id of a stream or asset */
  "invalid-id": { class: "InputError", retryable: false, kept: "nothing", next: "check-id" },
  /** not something that can be uploaded */
  "invalid-source": { class: "InputError", retryable: false, kept: "nothing", next: "choose-other-source" },
  /** the source has no bytes */
  "empty-source": { class: "InputError", retryable: false, kept: "nothing", next: "choose-other-source" },
  /** neither type nor name is a video's */
  "not-a-video": { class: "InputError", retryable: false, kept: "nothing", next: "choose-other-source" },
  /** a live stream that hasn't ended */
  "live-stream": { class: "InputError", retryable: false, kept: "nothing", next: "choose-other-source" },
  /** a video that only certain players may read */
  "protected-video": { class: "InputError", retryable: false, kept: "nothing", next: "choose-other-source" },
  /** a video in pieces that can't be put into one file */
  "unsupported-video": {
    class: "InputError",
    retryable: false,
    kept: "nothing",
    next: "choose-other-source",
  },
  /** 401: the token is missing, wrong or revoked */
  unauthorized: { class: "ServiceError", retryable: false, kept: "nothing", next: "check-token" },
  /** 403: the account may not do this */
  forbidden: { class: "ServiceError", retryable: false, kept: "nothing", next: "check-token" },
  /** 403: the key is refused from web pages, or from this web origin */
  "origin-refused": { class: "ServiceError", retryable: false, kept: "nothing", next: "check-token" },
  /** 404, 405 or 501, or 400 for http, from something that isn't the service */
  "wrong-address": { class: "ServiceError", retryable: false, kept: "nothing", next: "check-address" },
  /** 404: the service doesn't know the asset, or not yet */
  "asset-not-found": { class: "ServiceError", retryable: false, kept: "nothing", next: "check-id" },
  /** 404: the service doesn't know the stream */
  "not-found": { class: "ServiceError", retryable: false, kept: "nothing", next: "check-id" },
  /** 429: see `retryAfter` */
  "rate-limited": { class: "ServiceError", retryable: true, kept: "nothing", next: "wait" },
  /** another 4xx: `details` say why */
  rejected: { class: "ServiceError", retryable: false, kept: "asset", next: "read-details" },
  /** 5xx */
  "service-error": { class: "ServiceError", retryable: true, kept: "unknown", next: "wait" },
  /** the answer was a redirect, which is never followed */
  redirected: { class: "ServiceError", retryable: false, kept: "nothing", next: "check-address" },
  /** a success that isn't one, for example an HTML page */
  "unexpected-answer": { class: "ServiceError", retryable: false, kept: "unknown", next: "check-address" },
  /** the request never left this machine */
  unreachable: { class: "ConnectionError", retryable: true, kept: "nothing", next: "check-connection" },
  /** no answer to request-upload: an asset may have been created */
  "asset-unknown": { class: "ConnectionError", retryable: false, kept: "unknown", next: "look-into-account" },
  /** no answer to terminate: the session may have ended */
  "terminate-unknown": { class: "ConnectionError", retryable: true, kept: "unknown", next: "try-again" },
  /** no answer to a call that only reads: nothing has changed */
  unanswered: { class: "ConnectionError", retryable: true, kept: "nothing", next: "try-again" },
  /** the retry budget is used up; what was sent is kept */
  interrupted: { class: "UploadError", retryable: true, kept: "upload", next: "try-again" },
  /** another upload of this source is under way */
  "in-progress": { class: "UploadError", retryable: true, kept: "upload", next: "wait" },
  /** the service refuses the upload location: used up, expired or unknown */
  "location-refused": { class: "UploadError", retryable: false, kept: "asset", next: "start-over" },
  /** the service no longer has the unfinished upload */
  "upload-gone": { class: "UploadError", retryable: false, kept: "asset", next: "start-over" },
  /** the service counts more bytes than the source has or than were sent, or fewer than it acknowledged */
  "offset-beyond-end": { class: "UploadError", retryable: false, kept: "asset", next: "start-over" },
  /** a stream would have to be read again */
  "offset-behind-buffer": { class: "UploadError", retryable: false, kept: "upload", next: "start-over" },
  /** the service refuses uploads of unknown length */
  "length-refused": { class: "UploadError", retryable: false, kept: "asset", next: "start-over" },
  /** the source changed while it was uploaded */
  "source-changed": { class: "UploadError", retryable: false, kept: "asset", next: "give-source-again" },
  /** with `verify`: the service has stored other content than the source has */
  "content-differs": { class: "UploadError", retryable: false, kept: "asset", next: "start-over" },
  /** with `verify`: the service could not process the video */
  "asset-failed": { class: "UploadError", retryable: false, kept: "asset", next: "start-over" },
  /** the source could not be read */
  "source-unreadable": { class: "UploadError", retryable: "sometimes", kept: "upload", next: "reach-source" },
  /** the address of a video has expired, needs a sign-in or holds nothing any more */
  "source-refused": { class: "UploadError", retryable: "sometimes", kept: "upload", next: "reach-source" },
  /** the source has fewer bytes than announced */
  "source-ended-early": { class: "UploadError", retryable: false, kept: "upload", next: "give-source-again" },
  /** the source has more bytes than announced */
  "source-too-long": { class: "UploadError", retryable: false, kept: "upload", next: "give-source-again" },
  /** a one-pass source would have to be sent again */
  "source-used-up": { class: "UploadError", retryable: false, kept: "upload", next: "give-source-again" },
  /** the journal could not be read or written */
  "journal-failed": { class: "UploadError", retryable: "sometimes", kept: "upload", next: "try-again" },
} as const;

/**
 * The next step after an error.
 *
 * - `check-options`: correct the option that the message names
 * - `check-token`: give a token that may do this
 * - `check-address`: correct the address of the service, or its paths
 * - `check-id`: give an id that the service knows
 * - `check-request`: correct the field that the message names
 * - `check-connection`: see that the service can be reached
 * - `choose-other-source`: this one can't be uploaded
 * - `give-source-again`: the source is another one by now, or used up
 * - `reach-source`: renew its address, sign in, or give it again
 * - `start-over`: begin a new upload, which makes a new asset
 * - `look-into-account`: see what the service made of the request
 * - `read-details`: the service says why
 * - `wait`: the same call later, after `retryAfter` where it is known
 * - `try-again`: the same call
 */
export type NextStep = (typeof ERROR_CODES)[keyof typeof ERROR_CODES]["next"];

/** A row of the table. */
export interface ErrorFacts {
  /** Name of the class of its errors. */
  readonly class: ErrorRecord["name"];
  /** True if the same call can succeed later; `sometimes` where the cause decides, and the error says so. */
  readonly retryable: boolean | "sometimes";
  /**
   * The state that an error leaves behind.
   *
   * - `nothing`: nothing new; what earlier calls began stays as it was
   * - `upload`: the unfinished upload, which another `upload()` resumes
   * - `asset`: at most the asset, whose upload can't be resumed
   * - `unknown`: an asset may have been created, or a session may have ended
   */
  readonly kept: "nothing" | "upload" | "asset" | "unknown";
  readonly next: NextStep;
}

/**
 * A stable word for what went wrong, to choose sentences and next steps by. Each code belongs to one class; the document
 * "Error codes" explains each.
 */
export type ErrorCode<Class extends ErrorRecord["name"] = ErrorRecord["name"]> = {
  [Name in ErrorRecord["name"]]: {
    [Code in keyof typeof ERROR_CODES]: (typeof ERROR_CODES)[Code]["class"] extends Name ? Code : never;
  }[keyof typeof ERROR_CODES];
}[Class];

/** Tells whether this version knows a code, which may come from another one. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(ERROR_CODES, code);
}

/** The facts of all errors with a code; those of `interrupted` for one that this version doesn't know. */
export function errorFacts(code: string): ErrorFacts {
  return ERROR_CODES[isErrorCode(code) ? code : "interrupted"];
}

/** Codes by the status of an answer, and by the call where calls differ. Other statuses have the code of their hundred. */
const CODES_OF_STATUS: Record<
  number,
  ServiceCode | Record<"requestUpload" | "terminate" | "asset", ServiceCode>
> = {
  401: "unauthorized",
  403: "forbidden",
  404: { requestUpload: "not-found", terminate: "not-found", asset: "asset-not-found" },
  429: "rate-limited",
};
type ServiceCode = ErrorCode<"ServiceError">;

/** The code for an answer of which nothing is known but its status; without a call, of a caller's own requester. */
export function codeOfStatus(
  status: number | undefined,
  call?: "requestUpload" | "terminate" | "asset",
): ServiceCode {
  if (status === undefined || !(status >= 400)) return "unexpected-answer";
  const code = CODES_OF_STATUS[status] ?? (status >= 500 ? "service-error" : "rejected");
  return typeof code === "string" ? code : call === undefined ? "wrong-address" : code[call];
}

/** The plain form of an error, safe to send to another context, to log and to store. */
export interface ErrorRecord {
  /** Name of the error's class. */
  name: "InputError" | "ServiceError" | "ConnectionError" | "UploadError";
  /** Stable word for what went wrong. */
  code: ErrorCode;
  /** Sentence for a person, redacted. */
  message: string;
  /** True if the same call can succeed later. */
  retryable: boolean;
  /** HTTP status of the answer, if there was one. */
  httpStatus?: number | undefined;
  /** Milliseconds the service asked to wait, if it did. */
  retryAfter?: number | undefined;
  /** The service's own sentences, redacted. */
  details?: readonly string[] | undefined;
  /** The unfinished upload, if an asset was made: its id, the bytes the service has, and whether `upload()` resumes it. */
  resume?: { readonly assetId: string; readonly offset: number; readonly possible: boolean } | undefined;
  /** The failure of other code that led to it, such as a system's or a journal's: its name and code, and none of its text. */
  cause?: { readonly name: string; readonly code?: string } | undefined;
}
