/**
 * The plain form of an error, and the codes of errors, each of one class.
 *
 * @module
 */

/**
 * What went wrong, as a stable word to choose sentences and next steps by. Each code belongs to one class.
 *
 * | code | class | meaning |
 * |---|---|---|
 * | `invalid-option` | InputError | an option has a wrong value; nothing was sent |
 * | `invalid-request` | InputError | a field of the create-asset request is wrong; nothing was sent |
 * | `invalid-id` | InputError | not a stream id; nothing was sent |
 * | `invalid-source` | InputError | not something that can be uploaded; nothing was sent |
 * | `empty-source` | InputError | the source has no bytes; nothing was sent |
 * | `not-a-video` | InputError | neither type nor name is a video's; nothing was sent |
 * | `live-stream` | InputError | a playlist of a live stream that hasn't ended; nothing was sent |
 * | `protected-video` | InputError | a playlist of a video that only certain players may read; nothing was sent |
 * | `unsupported-video` | InputError | a playlist, or a video in pieces, that can't be put into one file; nothing was sent |
 * | `unauthorized` | ServiceError | 401: the token is missing, wrong or revoked |
 * | `forbidden` | ServiceError | 403: the account may not do this |
 * | `origin-refused` | ServiceError | 403: the key is refused from web pages, or from this web origin |
 * | `wrong-address` | ServiceError | 404, or 400 for http, that is no answer of the service: check `baseUrl` and `paths` |
 * | `not-found` | ServiceError | 404: the service doesn't know the stream or asset |
 * | `rate-limited` | ServiceError | 429: see `retryAfter` |
 * | `rejected` | ServiceError | another 4xx: `details` say why |
 * | `service-error` | ServiceError | 5xx |
 * | `redirected` | ServiceError | the answer was a redirect, which is never followed |
 * | `unexpected-answer` | ServiceError | a success that isn't one, for example an HTML page |
 * | `unreachable` | ConnectionError | the request never left this machine |
 * | `asset-unknown` | ConnectionError | no answer to request-upload: an asset may have been created |
 * | `terminate-unknown` | ConnectionError | no answer to terminate: the session may have ended |
 * | `interrupted` | UploadError | the retry budget is used up; what was sent is kept |
 * | `in-progress` | UploadError | another upload of this source is under way |
 * | `location-refused` | UploadError | the service refuses the upload location: used up, expired or unknown |
 * | `upload-gone` | UploadError | the service no longer has the unfinished upload |
 * | `offset-beyond-end` | UploadError | the service claims more bytes than the source has, or than were sent |
 * | `offset-behind-buffer` | UploadError | a stream that can't be read again would have to be |
 * | `length-refused` | UploadError | the service refuses uploads of unknown length |
 * | `source-changed` | UploadError | the source changed while it was uploaded |
 * | `source-unreadable` | UploadError | the source could not be read |
 * | `source-refused` | UploadError | the address of a video has expired, needs a sign-in or holds nothing any more |
 * | `source-ended-early` | UploadError | the source has fewer bytes than announced |
 * | `source-too-long` | UploadError | the source has more bytes than announced |
 * | `source-used-up` | UploadError | a one-pass source would have to be sent again |
 * | `journal-failed` | UploadError | the journal could not be read or written |
 */
export type ErrorCode<Class extends ErrorRecord["name"] = ErrorRecord["name"]> = {
  InputError:
    | "invalid-option"
    | "invalid-request"
    | "invalid-id"
    | "invalid-source"
    | "empty-source"
    | "not-a-video"
    | "live-stream"
    | "protected-video"
    | "unsupported-video";
  ServiceError:
    | "unauthorized"
    | "forbidden"
    | "origin-refused"
    | "wrong-address"
    | "not-found"
    | "rate-limited"
    | "rejected"
    | "service-error"
    | "redirected"
    | "unexpected-answer";
  ConnectionError: "unreachable" | "asset-unknown" | "terminate-unknown";
  UploadError:
    | "interrupted"
    | "in-progress"
    | "location-refused"
    | "upload-gone"
    | "offset-beyond-end"
    | "offset-behind-buffer"
    | "length-refused"
    | "source-changed"
    | "source-unreadable"
    | "source-refused"
    | "source-ended-early"
    | "source-too-long"
    | "source-used-up"
    | "journal-failed";
}[Class];

/** The plain form of an error, safe to send to another context, to log and to store. */
export interface ErrorRecord {
  /** Name of the error's class. */
  name: "InputError" | "ServiceError" | "ConnectionError" | "UploadError";
  /** Stable word for what went wrong. */
  code: ErrorCode;
  /** Sentence for a person, redacted. */
  message: string;
  /** Whether trying the same call again later can succeed. */
  retryable: boolean;
  /** HTTP status of the answer, if there was one. */
  httpStatus?: number | undefined;
  /** Milliseconds the service asked to wait, if it did. */
  retryAfter?: number | undefined;
  /** What the service itself said, in its own sentences, redacted. */
  details?: readonly string[] | undefined;
  /** What was begun, if an asset was made: its id, the bytes the service has, and whether `upload()` resumes it. */
  resume?: { readonly assetId: string; readonly offset: number; readonly possible: boolean } | undefined;
}

/** The codes of each class, where they are asked for at run time. */
const CODES: { readonly [Name in ErrorRecord["name"]]: Readonly<Record<ErrorCode<Name>, true>> } = {
  InputError: {
    "invalid-option": true,
    "invalid-request": true,
    "invalid-id": true,
    "invalid-source": true,
    "empty-source": true,
    "not-a-video": true,
    "live-stream": true,
    "protected-video": true,
    "unsupported-video": true,
  },
  ServiceError: {
    unauthorized: true,
    forbidden: true,
    "origin-refused": true,
    "wrong-address": true,
    "not-found": true,
    "rate-limited": true,
    rejected: true,
    "service-error": true,
    redirected: true,
    "unexpected-answer": true,
  },
  ConnectionError: {
    unreachable: true,
    "asset-unknown": true,
    "terminate-unknown": true,
  },
  UploadError: {
    interrupted: true,
    "in-progress": true,
    "location-refused": true,
    "upload-gone": true,
    "offset-beyond-end": true,
    "offset-behind-buffer": true,
    "length-refused": true,
    "source-changed": true,
    "source-unreadable": true,
    "source-refused": true,
    "source-ended-early": true,
    "source-too-long": true,
    "source-used-up": true,
    "journal-failed": true,
  },
};

/** The names of all classes. */
export const ERROR_NAMES: readonly ErrorRecord["name"][] = [
  "InputError",
  "ServiceError",
  "ConnectionError",
  "UploadError",
];

/** Whether a code is one of a class. */
export function isCodeOf<Class extends ErrorRecord["name"]>(
  name: Class,
  code: string,
): code is ErrorCode<Class> {
  return Object.hasOwn(CODES[name], code);
}
