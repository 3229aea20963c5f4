/** What a test may turn on and off while the service runs: other servers' habits, and faults. */
import * as v from "valibot";
import { CUT_NAMES } from "./s3/calls.ts";

const count = v.pipe(v.number(), v.finite(), v.minValue(0));
const flag = v.optional(v.boolean(), false);
const amount = v.optional(count, 0);
const list = <Item extends v.GenericSchema>(item: Item) => v.optional(v.array(item), () => []);
/** What S3 asks of each part but the last. */
export const LEAST_PART = 5 * 1024 * 1024;
const milliseconds = v.pipe(
  v.tuple([count, count]),
  v.check(([least, most]) => least <= most, "the least is above the most"),
);

/** Which requests a fault is for. */
const rule = {
  host: v.picklist(["api", "upload"]),
  /** Any method when absent. */
  method: v.exactOptional(v.string()),
  /** Part of the path; any path when absent. */
  path: v.exactOptional(v.string()),
  /** Requests after which the rule is used up. @default it stays */
  times: v.exactOptional(v.pipe(count, v.integer())),
};
const byteRule = v.strictObject({
  ...rule,
  /** Body bytes that are received, exactly, before the fault. */
  bytes: count,
});
const answerRule = v.strictObject({
  ...rule,
  status: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
  /** Sent as it stands, so that seconds, dates and nonsense can be tried. */
  retryAfter: v.exactOptional(v.string()),
  contentType: v.exactOptional(v.string()),
  body: v.exactOptional(v.string()),
  /** For redirects. */
  location: v.exactOptional(v.string()),
  /** Answer while the body is still on its way, as a busy proxy does. @default false: after the body */
  early: v.exactOptional(v.boolean()),
  /** @default true */
  cors: v.exactOptional(v.boolean()),
});
const bodyLimits = v.strictObject({
  /** Most bytes of a body. */
  most: v.exactOptional(count),
  /** Each body but an upload's last one is a multiple of this. */
  multipleOf: v.exactOptional(count),
  /** Each body but an upload's last one has so many bytes. */
  exactly: v.exactOptional(count),
  /** Most bytes of an upload, which is refused at its creation. */
  whole: v.exactOptional(count),
  /**
   * - `answer`: as soon as it is known; the rest of the body is read away
   * - `reset`: the connection is reset as soon as it is known, before an answer can be read
   * - `cut`: the connection is reset after `most` bytes, none of which is passed on
   *
   * @default answer
   */
  refusal: v.exactOptional(v.picklist(["answer", "reset", "cut"])),
  /** @default 413 */
  status: v.exactOptional(count),
  /** Sentences of the answer, as JSON. @default a page, as nginx has it */
  errors: v.exactOptional(v.array(v.string())),
});

const schema = v.strictObject({
  /** Count an upload in parts, as an S3-like store does. @default false: every byte counts */
  parts: flag,
  /**
   * A rule of the store has swept away the parts of unfinished uploads that were created before this time (ISO 8601): as
   * of one that was put together, HEAD tells their size for an offset, and DELETE fails.
   */
  swept: v.optional(v.string(), ""),
  /** Bytes of a part: of a real store, and of the service's own where it counts in parts. */
  storePartSize: v.optional(v.pipe(count, v.integer(), v.minValue(LEAST_PART)), 8 * 1024 * 1024),
  /** Milliseconds that each call of a real store to the S3 stand-in takes: least and most. */
  storeLatency: v.optional(milliseconds, () => [0, 0] as const),
  /** What these milliseconds are drawn from. */
  storeSeed: v.optional(v.pipe(count, v.integer()), 1),
  /**
   * The S3 stand-in resets every connection: until it is switched back, or for so many milliseconds. A call that had
   * arrived there is carried out all the same.
   */
  storeAway: v.optional(v.union([v.boolean(), count]), false),
  /** Calls that the S3 stand-in cuts off before it carries them out; each is used up by one call. */
  storeCuts: list(v.picklist(CUT_NAMES)),
  /** @default false: kept and ignored */
  refuseUnknownFields: flag,
  /** Leave playbackUrl and downloadUrl out of the creation answer. */
  omitLinks: flag,
  /** Leave `Access-Control-Expose-Headers` out of the upload host's answers. */
  hideHeaders: flag,
  /** 403 for account calls that bear an Origin header, and no CORS headers. */
  refuseOrigin: flag,
  /** Where DELETE /stream/{id}/terminate is mounted. */
  streamPrefix: v.optional(v.pipe(v.string(), v.regex(/^(\/[\w.-]+)*$/)), ""),
  /**
   * Say "not found" as JSON of streams that aren't there, and of all paths below /api that aren't. With an unknown token
   * both are 401; without one only a path that is there.
   */
  saysNotFound: flag,
  /** Error bodies as `{"errors":[["…"]]}`. @default false: flat */
  nestedErrors: flag,
  /** "ignored": a wrong token is still refused. "required": 401 without the right one. */
  uploadAuthorization: v.optional(v.picklist(["ignored", "required"]), "ignored"),
  /** Milliseconds every request waits, also one that waits already. */
  latency: amount,
  /** Bytes per second of each upload body; 0 is unlimited. */
  throttle: amount,
  /** What happens to a finished upload: "hash" leaves out reading the media and making the playlist. */
  processing: v.optional(v.picklist(["full", "hash", "none"]), "full"),
  /** Milliseconds that processing lasts at least; the record tells each tenth of it. */
  processingTime: amount,
  processingFails: v.optional(v.string(), ""),
  /** Of assets with this in their name, a byte of what is stored is changed as soon as it is whole. */
  damages: v.optional(v.string(), ""),
  /** Answer `GET /api/asset/{id}`, which the interface document doesn't show. */
  assetCall: flag,
  /** Count the bytes of uploads and throw them away, to measure a client without the disk. */
  discardBytes: flag,
  /** Changes to the answer of request-upload, by dotted path. */
  answerShape: v.optional(
    v.strictObject({
      set: v.exactOptional(v.record(v.string(), v.unknown())),
      omit: v.exactOptional(v.array(v.string())),
    }),
    {},
  ),
  /** The upload host, or a proxy in front of it, takes no other bodies than these. */
  bodyLimits: v.optional(bodyLimits, {}),
  /** Answered instead of doing the work. */
  answerStatus: list(answerRule),
  /** The connection is reset after so many body bytes, which do count. */
  resetAfter: list(byteRule),
  /** Nothing more is read after so many body bytes; the connection stays. */
  stallAfter: list(byteRule),
  /** The work is done, then the connection is reset instead of an answer. */
  dropAnswer: list(v.strictObject(rule)),
});

export type Switches = v.InferOutput<typeof schema>;
export type ByteRule = v.InferOutput<typeof byteRule>;
export type AnswerRule = v.InferOutput<typeof answerRule>;
export type BodyLimits = v.InferOutput<typeof bodyLimits>;
export type FaultRule = Switches["dropAnswer"][number];
export type Host = FaultRule["host"];

export function defaultSwitches(): Switches {
  return v.parse(schema, {});
}

/**
 * Checks a change of the switches.
 * @throws {Error} that names each wrong or unknown switch
 */
export function parseSwitches(value: unknown): Partial<Switches> {
  const result = v.safeParse(v.partial(schema), value);
  if (result.success) return result.output as Partial<Switches>;
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
