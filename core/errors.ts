/**
 * Everything this module throws: one base, four classes, stable codes, one guard.
 *
 * @module
 */

import { redact } from "./redaction.ts";

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

/** The same in every copy of this module. */
const BRAND: unique symbol = Symbol.for("upcut.error");

/**
 * Base of everything this module throws, except an abort, which passes through as the signal's own reason.
 *
 * No message, property or stack holds the account token, an upload location or an upload URL.
 *
 * @example Choose the next step by the code
 * ```ts
 * import { createClient, isUpcutError } from "@upcut/core";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * try {
 *   await client.terminateStream("my-stream");
 * } catch (error) {
 *   if (isUpcutError(error) && error.code === "rate-limited") console.log(`again in ${error.retryAfter ?? 5000} ms`);
 * }
 * ```
 */
export abstract class UpcutError<Class extends ErrorRecord["name"] = ErrorRecord["name"]> extends Error {
  /** Name of the class, also for an error from another copy of this module. */
  abstract override readonly name: Class;
  /** Stable word for what went wrong. */
  readonly code: ErrorCode<Class>;
  /** Whether trying the same call again later can succeed. */
  readonly retryable: boolean;
  /** HTTP status of the answer, if there was one. */
  readonly httpStatus: number | undefined;
  /** Milliseconds the service asked to wait, if it did. */
  readonly retryAfter: number | undefined;
  /** What the service itself said, in its own sentences, redacted, if there was an answer with some. */
  readonly details: readonly string[] | undefined;
  /** What was begun, if an asset was made, and whether another `upload()` resumes it. */
  readonly resume: ErrorRecord["resume"];

  /** Makes an error; its message and details must be redacted already. */
  constructor(
    code: ErrorCode<Class>,
    message: string,
    more: Partial<Omit<ErrorRecord, "name" | "code" | "message">> = {},
  ) {
    super(message);
    this.code = code;
    this.retryable = more.retryable ?? false;
    this.httpStatus = more.httpStatus;
    this.retryAfter = more.retryAfter;
    this.details = more.details && Object.freeze([...more.details]);
    this.resume = more.resume && Object.freeze({ ...more.resume });
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** The plain form, for another context, a log or a store. */
  toJSON(): ErrorRecord {
    const { name, code, message, retryable, httpStatus, retryAfter, details, resume } = this;
    return {
      name,
      code,
      message,
      retryable,
      ...(httpStatus !== undefined && { httpStatus }),
      ...(retryAfter !== undefined && { retryAfter }),
      ...(details !== undefined && { details: [...details] }),
      ...(resume !== undefined && { resume: { ...resume } }),
    };
  }
}

/** Input that was refused before anything was sent. */
export class InputError extends UpcutError<"InputError"> {
  /** Name of the class, also for an error from another copy of this module. */
  override readonly name = "InputError" as const;
}

/** The service answered, and the answer is a refusal or isn't one of its interface. */
export class ServiceError extends UpcutError<"ServiceError"> {
  /** Name of the class, also for an error from another copy of this module. */
  override readonly name = "ServiceError" as const;
}

/** No answer came to a call that makes or ends something. */
export class ConnectionError extends UpcutError<"ConnectionError"> {
  /** Name of the class, also for an error from another copy of this module. */
  override readonly name = "ConnectionError" as const;
}

/** An upload stopped; `resume` says what another call resumes. */
export class UploadError extends UpcutError<"UploadError"> {
  /** Name of the class, also for an error from another copy of this module. */
  override readonly name = "UploadError" as const;
}

/**
 * Tells whether a value is an error of this module, also one from another copy of it.
 *
 * @param value anything that was thrown
 * @returns whether it has the mark that only errors of this module have
 * @example Tell an error of this module from any other
 * ```ts
 * import { isUpcutError } from "@upcut/core";
 *
 * console.log(isUpcutError(new Error("something else"))); // false
 * ```
 */
export function isUpcutError(value: unknown): value is UpcutError {
  return typeof value === "object" && value !== null && BRAND in value;
}

type ErrorClass = new (code: never, message: string, more: Partial<ErrorRecord>) => UpcutError;

const CLASSES: Record<ErrorRecord["name"], ErrorClass> = {
  InputError,
  ServiceError,
  ConnectionError,
  UploadError,
};

/**
 * Makes an error of its plain form, as another context sent it.
 *
 * @param record what `toJSON()` of an error gave
 * @returns an error of the same class (`UploadError` for a name that this version doesn't know), redacted once more
 * @example Send an error to another context
 * ```ts
 * import { errorFromRecord, InputError, isUpcutError } from "@upcut/core";
 *
 * const sent = new InputError("empty-source", "Cannot upload: it has no bytes").toJSON();
 * const received = errorFromRecord(sent);
 * console.log(isUpcutError(received), received.code); // true "empty-source"
 * ```
 */
export function errorFromRecord(record: ErrorRecord): UpcutError {
  const { name, code, message, ...more } = record;
  const Class = Object.hasOwn(CLASSES, name) ? CLASSES[name] : UploadError;
  const details = more.details?.map((sentence) => redact(String(sentence)));
  // Of a code and a name that were one error's, the compiler can't know that they belong together.
  return new Class(code as never, redact(String(message)), { ...more, details });
}

/** The same error, thrown at the same place, with what can be resumed after it. */
export function withResume(error: UpcutError, resume: ErrorRecord["resume"]): UpcutError {
  const copy = errorFromRecord({ ...error.toJSON(), resume });
  const { stack } = error;
  return Object.defineProperty(copy, "stack", { value: stack, configurable: true, writable: true });
}
