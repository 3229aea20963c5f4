/** Everything this module throws: one base, four classes, stable codes, one guard. */
import { type ErrorCode, type ErrorRecord, errorFacts, isErrorCode } from "./error-codes.ts";
import { redact } from "./redaction/redaction.ts";

export type { ErrorCode, ErrorRecord };

/** The same in every copy of this module. */
const BRAND: unique symbol = Symbol.for("upcut.error");

/**
 * Base of everything this module throws, except an abort, which passes through as the signal's own reason.
 *
 * No message, property or stack holds the account token, an upload location or an upload URL.
 */
export abstract class UpcutError<Class extends ErrorRecord["name"] = ErrorRecord["name"]> extends Error {
  /** Name of the class, also for an error from another copy of this module. */
  declare readonly name: Class;
  /** Sentence for a person, redacted. */
  declare readonly message: string;
  /** Stable word for what went wrong. */
  readonly code: ErrorCode<Class>;
  /** True if the same call can succeed later. */
  readonly retryable: boolean;
  /** HTTP status of the answer, if there was one. */
  readonly httpStatus: number | undefined;
  /** Milliseconds the service asked to wait, if it did. */
  readonly retryAfter: number | undefined;
  /** The service's own sentences, redacted, if its answer had some. */
  readonly details: readonly string[] | undefined;
  /** The unfinished upload, if an asset was made, and whether another `upload()` resumes it. */
  readonly resume: ErrorRecord["resume"];

  /** Makes an error; its message and details must be redacted already. */
  constructor(code: ErrorCode<Class>, message: string, more: Facts = {}) {
    super(message);
    // An own property, as the others are: what tells errors apart must not be changed by whoever catches one.
    Object.defineProperty(this, "name", { value: errorFacts(code).class, enumerable: true });
    this.code = code;
    this.retryable = more.retryable ?? errorFacts(code).retryable === true;
    this.httpStatus = more.httpStatus;
    this.retryAfter = more.retryAfter;
    this.details = more.details && Object.freeze([...more.details]);
    this.resume = more.resume && Object.freeze({ ...more.resume });
    Object.defineProperty(this, BRAND, { value: true });
    for (const fact of ["message", ...Object.keys(this)])
      Object.defineProperty(this, fact, { writable: false, configurable: false });
  }

  /** The plain form, for another context, a log or a store. */
  toJSON(): ErrorRecord {
    const { name, code, message, retryable, httpStatus, retryAfter, details, resume } = this;
    const record = { name, code, message, retryable, httpStatus, retryAfter, details, resume };
    // Leaves out what is undefined, and copies what is frozen.
    return JSON.parse(JSON.stringify(record));
  }
}

/** Input that was refused before anything was sent. */
export class InputError extends UpcutError<"InputError"> {}

/** The service answered, and the answer is a refusal or isn't one of its interface. */
export class ServiceError extends UpcutError<"ServiceError"> {}

/** No answer came to a call that makes or ends something. */
export class ConnectionError extends UpcutError<"ConnectionError"> {}

/** An upload stopped; `resume` says what another call resumes. */
export class UploadError extends UpcutError<"UploadError"> {}

/**
 * Tells whether a value is an error of this module, also one from another copy of it.
 *
 * @param value anything that was thrown
 * @returns whether it has the mark that only errors of this module have
 * @example Choose the next step by the code
 * ```ts
 * import { createClient, isUpcutError } from "@upcut/core";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * await client.terminateStream("my-stream").catch((error) => {
 *   if (isUpcutError(error) && error.code === "rate-limited") console.log(`again in ${error.retryAfter ?? 5000} ms`);
 * });
 * ```
 */
export function isUpcutError(value: unknown): value is UpcutError {
  return typeof value === "object" && value !== null && BRAND in value;
}

type Facts = Partial<Omit<ErrorRecord, "name" | "code" | "message">>;

const CLASSES: {
  readonly [Class in ErrorRecord["name"]]: new (
    code: ErrorCode<Class>,
    message: string,
    more: Facts,
  ) => UpcutError<Class>;
} = { InputError, ServiceError, ConnectionError, UploadError };

/**
 * Makes an error of its plain form, as another context sent it.
 *
 * @param record what `toJSON()` of an error gave
 * @returns an error of the class that its code belongs to, redacted once more; an `UploadError` with `interrupted` for a
 * code that this version doesn't know
 * @example Send an error to another context
 * ```ts
 * import { createClient, errorFromRecord, isUpcutError } from "@upcut/core";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * await client.terminateStream("").catch((error) => {
 *   if (!isUpcutError(error)) throw error;
 *   console.log(errorFromRecord(error.toJSON()).code); // "invalid-id"
 * });
 * ```
 */
export function errorFromRecord(record: ErrorRecord): UpcutError {
  const { code, message, ...more } = record;
  const details = more.details?.map((sentence) => redact(String(sentence)));
  const known = isErrorCode(code) ? code : "interrupted";
  // The table tells that the code is one of the class.
  const OwnClass: new (code: never, message: string, more: Facts) => UpcutError =
    CLASSES[errorFacts(known).class];
  return new OwnClass(known as never, redact(String(message)), { ...more, details });
}

/** The same error, thrown at the same place, with what can be resumed after it. */
export function withResume(error: UpcutError, resume: ErrorRecord["resume"]): UpcutError {
  const copy = errorFromRecord({ ...error.toJSON(), resume });
  const { stack } = error;
  return Object.defineProperty(copy, "stack", { value: stack, configurable: true, writable: true });
}
