/** What a test may turn on and off while the service runs: other servers' habits, and faults. */
import * as v from "valibot";
import { CALL_NAMES, type CallName } from "./s3/calls.ts";

export type Host = "api" | "upload";

/** Which requests a fault is for. It is used up after `times` of them; without `times` it stays. */
export interface FaultRule {
  host: Host;
  /** Any method when absent. */
  method?: string;
  /** Part of the path; any path when absent. */
  path?: string;
  times?: number;
}

export interface AnswerRule extends FaultRule {
  status: number;
  /** Sent as it stands, so that seconds, dates and nonsense can be tried. */
  retryAfter?: string;
  contentType?: string;
  body?: string;
  /** For redirects. */
  location?: string;
  /** Answer while the body is still on its way, as a busy proxy does. @default false: after the body */
  early?: boolean;
  /** @default true */
  cors?: boolean;
}

export interface ByteRule extends FaultRule {
  /** Body bytes that are received, exactly, before the fault. */
  bytes: number;
}

export interface Switches {
  /** Count an upload in 8 MiB parts, as an S3-like store does. @default false: every byte counts */
  parts: boolean;
  /** Milliseconds that each call of a real store to the S3 stand-in takes: least and most. @default [0, 0] */
  storeLatency: [number, number];
  /** What these milliseconds are drawn from. @default 1 */
  storeSeed: number;
  /**
   * The S3 stand-in resets every connection: until it is switched back, or for so many milliseconds. A call that had
   * arrived there is carried out all the same. @default false
   */
  storeAway: boolean | number;
  /** Calls that the S3 stand-in cuts off before it carries them out; each is used up by one call. */
  storeCuts: CallName[];
  /** @default false: kept and ignored */
  refuseUnknownFields: boolean;
  /** Leave playbackUrl and downloadUrl out of the creation answer. @default false */
  omitLinks: boolean;
  /** 403 for account calls that bear an Origin header, and no CORS headers. @default false */
  refuseOrigin: boolean;
  /** @default false */
  refuseDeferredLength: boolean;
  /** Where DELETE /stream/{id}/terminate is mounted. @default "" */
  streamPrefix: string;
  /** Error bodies as `{"errors":[["…"]]}`. @default false: flat */
  nestedErrors: boolean;
  /** Seconds within which a second terminate call for a stream is answered 429. @default 0 */
  terminateCooldown: number;
  /** "ignored": a wrong token is still refused. "required": 401 without the right one. @default "ignored" */
  uploadAuthorization: "ignored" | "required";
  /** Milliseconds every request waits. @default 0 */
  latency: number;
  /** Bytes per second of each upload body; 0 is unlimited. @default 0 */
  throttle: number;
  /** Seconds one body on the upload host may last before 408; 0 is unlimited. @default 0 */
  requestTimeLimit: number;
  /** Scheme of the Location of a created upload. @default "" as requested */
  locationScheme: "" | "http" | "https";
  /** What happens to a finished upload: "hash" leaves out reading the media and making the playlist. @default "full" */
  processing: "full" | "hash" | "none";
  /** Count the bytes of uploads and throw them away, to measure a client without the disk. @default false */
  discardBytes: boolean;
  /** Changes to the answer of request-upload, by dotted path. */
  answerShape: { set?: Record<string, unknown>; omit?: string[] };
  /** Answered instead of doing the work. */
  answerStatus: AnswerRule[];
  /** The connection is reset after so many body bytes, which do count. */
  resetAfter: ByteRule[];
  /** Nothing more is read after so many body bytes; the connection stays. */
  stallAfter: ByteRule[];
  /** The work is done, then the connection is reset instead of an answer. */
  dropAnswer: FaultRule[];
}

const count = v.pipe(v.number(), v.finite(), v.minValue(0));
const rule = {
  host: v.picklist(["api", "upload"]),
  method: v.exactOptional(v.string()),
  path: v.exactOptional(v.string()),
  times: v.exactOptional(v.pipe(count, v.integer())),
};

const schema: v.GenericSchema<unknown, Partial<Switches>> = v.strictObject({
  parts: v.exactOptional(v.boolean()),
  storeLatency: v.exactOptional(
    v.pipe(
      v.tuple([count, count]),
      v.check(([least, most]) => least <= most, "the least is above the most"),
    ),
  ),
  storeSeed: v.exactOptional(v.pipe(count, v.integer())),
  storeAway: v.exactOptional(v.union([v.boolean(), count])),
  storeCuts: v.exactOptional(v.array(v.picklist(CALL_NAMES))),
  refuseUnknownFields: v.exactOptional(v.boolean()),
  omitLinks: v.exactOptional(v.boolean()),
  refuseOrigin: v.exactOptional(v.boolean()),
  refuseDeferredLength: v.exactOptional(v.boolean()),
  streamPrefix: v.exactOptional(v.pipe(v.string(), v.regex(/^(\/[\w.-]+)*$/))),
  nestedErrors: v.exactOptional(v.boolean()),
  terminateCooldown: v.exactOptional(count),
  uploadAuthorization: v.exactOptional(v.picklist(["ignored", "required"])),
  latency: v.exactOptional(count),
  throttle: v.exactOptional(count),
  requestTimeLimit: v.exactOptional(count),
  locationScheme: v.exactOptional(v.picklist(["", "http", "https"])),
  processing: v.exactOptional(v.picklist(["full", "hash", "none"])),
  discardBytes: v.exactOptional(v.boolean()),
  answerShape: v.exactOptional(
    v.strictObject({
      set: v.exactOptional(v.record(v.string(), v.unknown())),
      omit: v.exactOptional(v.array(v.string())),
    }),
  ),
  answerStatus: v.exactOptional(
    v.array(
      v.strictObject({
        ...rule,
        status: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
        retryAfter: v.exactOptional(v.string()),
        contentType: v.exactOptional(v.string()),
        body: v.exactOptional(v.string()),
        location: v.exactOptional(v.string()),
        early: v.exactOptional(v.boolean()),
        cors: v.exactOptional(v.boolean()),
      }),
    ),
  ),
  resetAfter: v.exactOptional(v.array(v.strictObject({ ...rule, bytes: count }))),
  stallAfter: v.exactOptional(v.array(v.strictObject({ ...rule, bytes: count }))),
  dropAnswer: v.exactOptional(v.array(v.strictObject(rule))),
});

export function defaultSwitches(): Switches {
  return {
    parts: false,
    storeLatency: [0, 0],
    storeSeed: 1,
    storeAway: false,
    storeCuts: [],
    refuseUnknownFields: false,
    omitLinks: false,
    refuseOrigin: false,
    refuseDeferredLength: false,
    streamPrefix: "",
    nestedErrors: false,
    terminateCooldown: 0,
    uploadAuthorization: "ignored",
    latency: 0,
    throttle: 0,
    requestTimeLimit: 0,
    locationScheme: "",
    processing: "full",
    discardBytes: false,
    answerShape: {},
    answerStatus: [],
    resetAfter: [],
    stallAfter: [],
    dropAnswer: [],
  };
}

/**
 * Checks a change of the switches.
 * @throws {Error} that names each wrong or unknown switch
 */
export function parseSwitches(value: unknown): Partial<Switches> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const problems = result.issues.map((issue) => `${v.getDotPath(issue) ?? "switches"}: ${issue.message}`);
  throw new Error(`Cannot set switches: ${problems.join("; ")}`);
}

export interface Arrival {
  host: Host;
  method: string;
  path: string;
  /** Of the body; Infinity when it isn't announced. */
  length: number;
}

/** Finds the first rule for a request and uses it up once. */
export function takeRule<Rule extends FaultRule & { bytes?: number }>(
  rules: Rule[],
  arrival: Arrival,
): Rule | undefined {
  const found = rules.find(
    (rule) =>
      rule.times !== 0 &&
      rule.host === arrival.host &&
      // A browser's preflight must not use up what is meant for the request after it.
      (rule.method?.toUpperCase() ?? (arrival.method === "OPTIONS" ? "" : arrival.method)) ===
        arrival.method &&
      arrival.path.includes(rule.path ?? "") &&
      arrival.length >= (rule.bytes ?? 0),
  );
  if (found?.times !== undefined) found.times--;
  return found;
}
