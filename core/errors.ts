/**
 * Everything this module throws: one base, four classes, stable codes, one guard.
 *
 * @module
 */

import { redact } from "./redaction.ts";

/**
 * What went wrong, as a stable word to choose sentences and next steps by.
 *
 * | code | class | meaning |
 * |---|---|---|
 * | `invalid-option` | InputError | an option has a wrong value; nothing was sent |
 * | `invalid-request` | InputError | a field of the create-asset request is wrong; nothing was sent |
 * | `invalid-id` | InputError | not a stream id; nothing was sent |
 * | `invalid-source` | InputError | not something that can be uploaded; nothing was sent |
 * | `empty-source` | InputError | the source has no bytes; nothing was sent |
 * | `not-a-video` | InputError | neither type nor name is a video's; nothing was sent |
 * | `unauthorized` | ServiceError | 401: the token is missing, wrong or revoked |
 * | `forbidden` | ServiceError | 403: the account may not do this |
 * | `origin-refused` | ServiceError | 403: it takes the key from no web page, or only from certain web origins |
 * | `wrong-address` | ServiceError | 404, or 400 for http, that is no answer of the service: check `baseUrl` and `paths` |
 * | `not-found` | ServiceError | 404: the service doesn't know the stream or asset |
 * | `too-soon` | ServiceError | 429: see `retryAfter` |
 * | `rejected` | ServiceError | another 4xx: the service's sentences say why |
 * | `service-failed` | ServiceError | 5xx |
 * | `redirected` | ServiceError | the answer was a redirect, which is never followed |
 * | `unexpected-answer` | ServiceError | a success that isn't one, for example an HTML page |
 * | `not-reached` | ConnectionError | the request never left this machine |
 * | `asset-unknown` | ConnectionError | no answer to request-upload: an asset may have been created |
 * | `end-unknown` | ConnectionError | no answer to terminate: the session may have ended |
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
export type ErrorCode =
  | "invalid-option"
  | "invalid-request"
  | "invalid-id"
  | "invalid-source"
  | "empty-source"
  | "not-a-video"
  | "unauthorized"
  | "forbidden"
  | "origin-refused"
  | "wrong-address"
  | "not-found"
  | "too-soon"
  | "rejected"
  | "service-failed"
  | "redirected"
  | "unexpected-answer"
  | "not-reached"
  | "asset-unknown"
  | "end-unknown"
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

/** What a failure left behind that can be continued by calling `upload()` again with the same source and journal. */
export interface Kept {
  /** Identifier of the asset that was created. */
  assetId: string;
  /** Bytes the service has acknowledged. */
  bytes: number;
  /** Whether the journal still holds the upload, so that the next `upload()` continues it. */
  continues: boolean;
}

/** The plain form of an error, safe to send to another context, to log and to store. */
export interface ErrorRecord {
  /** Name of the error's class. */
  name: string;
  /** Stable word for what went wrong. */
  code: ErrorCode;
  /** Sentence for a person, redacted. */
  message: string;
  /** Whether trying the same call again later can succeed. */
  retryable: boolean;
  /** HTTP status of the answer, if there was one. */
  status?: number;
  /** Seconds the service asked to wait. */
  retryAfter?: number;
  /** The service's own sentences, redacted. */
  sentences?: string[];
  /** What can be continued, if something was uploaded. */
  kept?: Kept;
}

/** The facts an error carries besides its message. */
export interface ErrorDetails {
  /** Whether trying the same call again later can succeed. @default false */
  retryable?: boolean;
  /** HTTP status of the answer, if there was one. */
  status?: number | undefined;
  /** Seconds the service asked to wait, if it did. */
  retryAfter?: number | undefined;
  /** The service's own sentences, redacted, if there was an answer with some. */
  sentences?: string[] | undefined;
  /** What can be continued, if something was uploaded. */
  kept?: Kept | undefined;
}

/**
 * Base of everything this module throws, except an abort, which passes through as the signal's own reason.
 *
 * No message, property or stack holds the account token, an upload location or an upload URL.
 *
 * @example
 * ```ts
 * import { createClient, isUpcutError } from "@upcut/core";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * try {
 *   await client.terminateStream("my-stream");
 * } catch (error) {
 *   if (isUpcutError(error) && error.code === "too-soon") console.log(`again in ${error.retryAfter ?? 5} s`);
 * }
 * ```
 */
export class UpcutError extends Error {
  /** Tells the class, also of an error from another copy of this module. */
  override name = "UpcutError";
  /** Stable word for what went wrong. */
  readonly code: ErrorCode;
  /** Whether trying the same call again later can succeed. */
  readonly retryable: boolean;
  /** HTTP status of the answer, if there was one. */
  readonly status: number | undefined;
  /** Seconds the service asked to wait, if it did. */
  readonly retryAfter: number | undefined;
  /** The service's own sentences, redacted, if there was an answer with some. */
  readonly sentences: readonly string[] | undefined;
  /** What can be continued, if something was uploaded. */
  kept: Kept | undefined;

  /** Makes an error; its message must be redacted already. */
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.retryable = details.retryable ?? false;
    this.status = details.status;
    this.retryAfter = details.retryAfter;
    this.sentences = details.sentences;
    this.kept = details.kept;
  }

  /** The plain form, for another context, a log or a store. */
  toJSON(): ErrorRecord {
    return {
      name: this.name,
      code: this.code,
      message: this.message,
      retryable: this.retryable,
      ...(this.status !== undefined && { status: this.status }),
      ...(this.retryAfter !== undefined && { retryAfter: this.retryAfter }),
      ...(this.sentences !== undefined && { sentences: [...this.sentences] }),
      ...(this.kept !== undefined && { kept: { ...this.kept } }),
    };
  }
}

/** Input that was refused before anything was sent. */
export class InputError extends UpcutError {
  /** Tells the class, also of an error from another copy of this module. */
  override name = "InputError" as const;
}

/** The service answered, and the answer is a refusal or isn't one of its interface. */
export class ServiceError extends UpcutError {
  /** Tells the class, also of an error from another copy of this module. */
  override name = "ServiceError" as const;
}

/** No answer came to a call that makes or ends something. */
export class ConnectionError extends UpcutError {
  /** Tells the class, also of an error from another copy of this module. */
  override name = "ConnectionError" as const;
}

/** An upload stopped; `kept` says what can be continued. */
export class UploadError extends UpcutError {
  /** Tells the class, also of an error from another copy of this module. */
  override name = "UploadError" as const;
}

/**
 * Tells whether a value is an error of this module, also one from another copy of it.
 *
 * @example
 * ```ts
 * import { isUpcutError } from "@upcut/core";
 *
 * console.log(isUpcutError(new Error("something else"))); // false
 * ```
 */
export function isUpcutError(value: unknown): value is UpcutError {
  return (
    value instanceof Error &&
    /^(Upcut|Input|Service|Connection|Upload)Error$/.test(value.name) &&
    typeof (value as { code?: unknown }).code === "string" &&
    typeof (value as { toJSON?: unknown }).toJSON === "function"
  );
}

/**
 * Makes an error of its plain form, as another context sent it.
 *
 * @example
 * ```ts
 * import { errorFromRecord, InputError, isUpcutError } from "@upcut/core";
 *
 * const sent = new InputError("empty-source", "Cannot upload: it has no bytes").toJSON();
 * const received = errorFromRecord(sent);
 * console.log(isUpcutError(received), received.code); // true "empty-source"
 * ```
 */
export function errorFromRecord(record: ErrorRecord): UpcutError {
  const classes = { InputError, ServiceError, ConnectionError, UploadError };
  const Class = Object.hasOwn(classes, record.name)
    ? classes[record.name as keyof typeof classes]
    : UpcutError;
  const sentences = record.sentences?.map((sentence) => redact(String(sentence)));
  return new Class(record.code, redact(String(record.message)), { ...record, sentences });
}

// Punctuation at its end belongs to the sentence.
