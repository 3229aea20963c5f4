/** Everything this module throws: one base, four classes, stable codes, one guard. */
import * as v from "valibot";
import { redact, shorten } from "../redaction/redaction.ts";
import { isObject, parseJson } from "../text/is-object.ts";
import { LONGEST_SENTENCE, MOST_SENTENCES, readErrorBody } from "./error-body.ts";
import { codeOfStatus, type ErrorCode, type ErrorRecord, errorFacts, isErrorCode } from "./error-codes.ts";
import { causeOf, kindOf } from "./unexpected-failure.ts";

export type { ErrorCode, ErrorRecord };

/** The mark of errors, the same in every copy of this module. */
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
  /** The failure of other code that led to it, such as a system's or a journal's: its name and code, and none of its text. */
  override readonly cause: ErrorRecord["cause"];

  /** Makes an error; its message and details must be redacted already. */
  constructor(code: ErrorCode<Class>, message: string, more: Facts = {}) {
    super(message);
    // The name is an own property, as the others are: whoever catches an error must not change what tells errors apart.
    Object.defineProperty(this, "name", { value: errorFacts(code).class, enumerable: true });
    this.code = code;
    this.retryable = more.retryable ?? errorFacts(code).retryable === true;
    this.httpStatus = more.httpStatus;
    this.retryAfter = more.retryAfter;
    this.details = more.details && Object.freeze([...more.details]);
    this.resume = more.resume && Object.freeze({ ...more.resume });
    this.cause = more.cause === undefined ? undefined : causeOf(more.cause);
    Object.defineProperty(this, BRAND, { value: true });
    for (const fact of ["message", ...Object.keys(this)])
      Object.defineProperty(this, fact, { writable: false, configurable: false });
  }

  /** The plain form, for another context, a log or a store. */
  toJSON(): ErrorRecord {
    const { name, code, message, retryable, httpStatus, retryAfter, details, resume, cause } = this;
    const record = { name, code, message, retryable, httpStatus, retryAfter, details, resume, cause };
    // JSON leaves out what is undefined, and copies what is frozen.
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

/** The cause is what was thrown, or what a record tells of that. */
type Facts = {
  [Fact in Exclude<keyof ErrorRecord, "name" | "code" | "message" | "cause">]?: ErrorRecord[Fact] | undefined;
} & { cause?: unknown };

const CLASSES = { InputError, ServiceError, ConnectionError, UploadError };

/**
 * Makes an error of its plain form, as another context sent it, or of whatever came in place of that.
 *
 * @param record what `toJSON()` of an error gave; or the body of an answer, as text or as JSON, whose sentences are read
 * as a service's
 * @param httpStatus status of the answer that it came with, which chooses the code where the record has none
 * @returns an error of the class that its code belongs to, redacted once more; an `UploadError` with `interrupted` for a
 * code that this version doesn't know; a `ServiceError`, such as `unexpected-answer`, for what is no record
 * @example Send an error to another context
 * ```ts
 * import { createClient, errorFromRecord, isUpcutError } from "@upcut/core";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * await client.terminateStream("").catch((error) => {
 *   if (!isUpcutError(error)) throw error;
 *   console.log(errorFromRecord(error.toJSON()).code); // "invalid-id"
 *   console.log(errorFromRecord('{"message":"Not signed in"}', 401).code); // "unauthorized"
 * });
 * ```
 */
export function errorFromRecord(record: unknown, httpStatus?: number): UpcutError {
  const read = readRecord(typeof record === "string" ? parseJson(record) : record);
  if (!read.success || (read.output.code ?? read.output.retryable) === undefined)
    return otherError(record, httpStatus);
  const { code = "interrupted", message, details, resume, ...facts } = read.output;
  // The table tells that the code is one of the class.
  const OwnClass: new (code: never, message: string, more: Facts) => UpcutError =
    CLASSES[errorFacts(code).class];
  return new OwnClass(code as never, shown(message, LONGEST_MESSAGE), {
    ...facts,
    httpStatus: facts.httpStatus ?? httpStatus,
    details: details?.slice(0, MOST_SENTENCES).map((sentence) => shown(sentence, LONGEST_SENTENCE)),
    resume: resume && { ...resume, assetId: shown(resume.assetId, LONGEST_SENTENCE) },
  });
}

/** Reads the record of another context, of another version or somebody else's: facts of another type are left out. */
function readRecord(told: unknown) {
  // A page that only asks isUpcutError() carries no schema: bundlers keep one that is made at import.
  const schema = v.object({
    code: v.fallback(v.optional(v.custom<ErrorCode>(isErrorCode)), undefined),
    message: v.string(),
    retryable: v.fallback(v.optional(v.boolean()), undefined),
    httpStatus: v.fallback(v.optional(v.number()), undefined),
    retryAfter: v.fallback(v.optional(v.pipe(v.number(), v.minValue(0))), undefined),
    details: v.fallback(v.optional(v.array(v.string())), undefined),
    resume: v.fallback(
      v.optional(v.object({ assetId: v.string(), offset: v.number(), possible: v.boolean() })),
      undefined,
    ),
    cause: v.optional(v.unknown()),
  });
  return v.safeParse(schema, told);
}

/** True for what `toJSON()` of an error gives, as opposed to a service's own words. */
export function isErrorRecord(value: unknown): value is ErrorRecord {
  const { success, output } = readRecord(value);
  if (!success || output.code === undefined || output.retryable === undefined) return false;
  return isObject(value) && value.name === errorFacts(output.code).class;
}

/** No error of this module has a longer message. */
const LONGEST_MESSAGE = 2_000;

function shown(text: string, most: number): string {
  return shorten(redact(text), most);
}

/** The error for what is no record of one: nobody knows what the call has done. */
function otherError(given: unknown, httpStatus: number | undefined): ServiceError {
  const { details, own } = readErrorBody(typeof given === "string" ? given : jsonOf(given), "", []);
  const said = details.length > 0 ? `: ${details.join("; ")}` : "";
  const state =
    httpStatus === undefined ? "no error of this module was told" : `the answer was ${httpStatus}`;
  return new ServiceError(codeOfStatus(httpStatus), redact(`Cannot go on: ${state}${said}`), {
    httpStatus,
    details: own ? details : undefined,
    ...(given instanceof Error && { cause: given }),
  });
}

/** Empty for what has no JSON, and for somebody else's error, whose own fields may hold anything. */
function jsonOf(value: unknown): string {
  try {
    return value instanceof Error ? "" : (JSON.stringify(value) ?? "");
  } catch {
    return "";
  }
}

/** Gives an error of this module as it came; the message of any other may hold anything. */
export function asUpcutError(purpose: string, thrown: unknown): UpcutError {
  if (isUpcutError(thrown)) return thrown;
  const state = `it failed in an unexpected way (${kindOf(thrown)})`;
  return new UploadError("interrupted", `Cannot ${purpose}: ${state}`, { cause: thrown });
}

/** The same error, thrown at the same place, with what can be resumed after it. */
export function withResume(error: UpcutError, resume: ErrorRecord["resume"]): UpcutError {
  const copy = errorFromRecord({ ...error.toJSON(), resume });
  const { stack } = error;
  return Object.defineProperty(copy, "stack", { value: stack, configurable: true, writable: true });
}

/** A request for a location whose answer nobody has, as each context words it. */
export const ASSET_UNKNOWN = {
  code: "asset-unknown",
  state: "An asset may have been created: look into the account before trying again",
} as const;

/** @param event what kept the answer from being stored, such as "the browser ended" */
export function assetUnknown(event: string): ConnectionError {
  const { code, state } = ASSET_UNKNOWN;
  const message = `Cannot request an upload location: ${event} before the answer was stored. ${state}`;
  return new ConnectionError(code, message);
}
