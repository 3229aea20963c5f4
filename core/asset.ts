/**
 * The records of the interface document: what is asked for, what comes back, and how each is checked.
 *
 * A request is checked strictly before it leaves. A record of the service is never refused for what it contains:
 * it is kept as it came, and every documented field that is missing or of another type is listed as a mismatch.
 *
 * @module
 */

import * as v from "valibot";
import { InputError, redact, show } from "./errors.ts";

/** Whether playback is public or signed (interface document: "Playback policy"). */
export interface PlaybackPolicy {
  /** Policy kind; the document shows `webhook` and leaves other values open. */
  type?: string;
  /** Identifier of the webhook consulted for playback decisions. */
  webhookId?: string;
  /** Free-form context passed along with the webhook. */
  webhookContext?: Record<string, unknown>;
  /** Refresh interval setting of the policy, an integer. */
  refreshInterval?: number;
  /** Allowed origins. */
  allowedOrigins?: string[];
  /** Further fields, passed through. */
  [field: string]: unknown;
}

/** One output rendition (interface document: "Transcode profile"). */
export interface TranscodeProfile {
  /** Profile label. */
  name?: string;
  /** Output width, an integer. */
  width?: number;
  /** Output height, an integer. */
  height?: number;
  /** Output bitrate, an integer. */
  bitrate?: number;
  /** Quality setting, an integer. */
  quality?: number;
  /** Frame rate numerator, an integer. */
  fps?: number;
  /** Frame rate denominator, an integer. */
  fpsDen?: number;
  /** Group-of-pictures setting: a string in a request, while asset records say a number. */
  gop?: string | number;
  /** Codec profile; the document shows `H264Baseline`. */
  profile?: string;
  /** Encoder; the document shows `H.264`. */
  encoder?: string;
  /** Further fields, passed through. */
  [field: string]: unknown;
}

/**
 * The create-asset request (interface document: "Create-asset request body").
 *
 * No field is required here, since the document doesn't say which are. Fields it doesn't name, the two further ones
 * among them, pass through to the service.
 */
export interface AssetRequest {
  /** Name of the asset; need not be the file name. */
  name?: string;
  /** Whether MP4 renditions are generated. */
  staticMp4?: boolean;
  /** Whether playback is public or signed. */
  playbackPolicy?: PlaybackPolicy;
  /** Output renditions requested. */
  profiles?: TranscodeProfile[];
  /** Further request fields, passed through. */
  [field: string]: unknown;
}

/** State of an asset; `uploading` is the one phase the document shows. */
export interface AssetStatus {
  /** Phase; the document shows `uploading` and leaves other values open. */
  phase?: string;
  /** Timestamp, an integer. */
  updatedAt?: number;
  /** How far the phase is; the document leaves the scale open. */
  progress?: number;
  /** What went wrong, in the service's words. */
  errorMessage?: string;
  /** Fields that the interface document doesn't show, as they came. */
  [field: string]: unknown;
}

/** A digest of the content, for example algorithm `sha256`. */
export interface AssetHash {
  /** Hex digest. */
  hash?: string;
  /** Algorithm; the document shows `sha256`. */
  algorithm?: string;
  /** Fields that the interface document doesn't show, as they came. */
  [field: string]: unknown;
}

/** One track of the media description. */
export interface Track {
  /** Kind of track. */
  type?: string;
  /** Codec of the track. */
  codec?: string;
  /** Start within the media. */
  startTime?: number;
  /** Length of the track. */
  duration?: number;
  /** Bitrate of the track. */
  bitrate?: number;
  /** Picture width, an integer. */
  width?: number;
  /** Picture height, an integer. */
  height?: number;
  /** Pixel format of the picture. */
  pixelFormat?: string;
  /** Frames per second. */
  fps?: number;
  /** Number of audio channels, an integer. */
  channels?: number;
  /** Audio sample rate, an integer. */
  sampleRate?: number;
  /** Bits per audio sample, an integer. */
  bitDepth?: number;
  /** Fields that the interface document doesn't show, as they came. */
  [field: string]: unknown;
}

/** Media description of an asset. */
export interface VideoSpec {
  /** Container format. */
  format?: string;
  /** Length of the media. */
  duration?: number;
  /** Bitrate of the media. */
  bitrate?: number;
  /** Tracks of the media. */
  tracks?: Track[];
  /** Fields that the interface document doesn't show, as they came. */
  [field: string]: unknown;
}

/** Where an asset is stored. */
export interface AssetStorage {
  /** What is known of the asset in IPFS. */
  ipfs?: {
    spec?: Record<string, unknown>;
    nftMetadata?: { cid?: string; url?: string; gatewayUrl?: string; [field: string]: unknown };
    updatedAt?: number;
    [field: string]: unknown;
  };
  /** State of storing; `ready` is the one phase the document shows. */
  status?: {
    phase?: string;
    tasks?: { pending?: string; last?: string; failed?: string; [field: string]: unknown };
    progress?: number;
    errorMessage?: string;
    [field: string]: unknown;
  };
  /** Fields that the interface document doesn't show, as they came. */
  [field: string]: unknown;
}

/**
 * The asset record (interface document: "Asset"), as the service sent it.
 *
 * Only `id` is certain. Every other field has its documented type unless it is listed among the mismatches of the
 * answer it came with; fields the document doesn't show are kept.
 */
export interface Asset {
  /** Asset identifier. */
  id: string;
  /** Name, as in the request. */
  name?: string;
  /** Kind of asset; the document shows `video`. */
  type?: string;
  /** Identifier used for playback. */
  playbackId?: string;
  /** Identifier of the owner. */
  userId?: string;
  /** HLS playlist location. */
  playbackUrl?: string;
  /** MP4 download location. */
  downloadUrl?: string;
  /** Whether playback is public or signed. */
  playbackPolicy?: PlaybackPolicy;
  /** Who created the asset; the document shows the type `unverified`. */
  creatorId?: { type?: string; value?: string; [field: string]: unknown };
  /** Output renditions applied. */
  profiles?: TranscodeProfile[];
  /** Identifier of the project that owns the asset. */
  projectId?: string;
  /** Creation timestamp, an integer. */
  createdAt?: number;
  /** Name of the token that created the asset. */
  createdByTokenName?: string;
  /** Size of the content, an integer. */
  size?: number;
  /** Digests of the content. */
  hash?: AssetHash[];
  /** Where the content came from; the document shows the type `url`. */
  source?: {
    type?: string;
    url?: string;
    gatewayUrl?: string;
    encryption?: unknown;
    [field: string]: unknown;
  };
  /** State of the asset. */
  status?: AssetStatus;
  /** Where the asset is stored. */
  storage?: AssetStorage;
  /** Media description. */
  videoSpec?: VideoSpec;
  /** Fields that the interface document doesn't show, as they came. */
  [field: string]: unknown;
}

/** The task the service created for an asset. */
export interface Task {
  /** Task identifier. */
  id?: string;
  /** Fields that the interface document doesn't show, as they came. */
  [field: string]: unknown;
}

/** A documented field that is missing or has another type than the document says; the value itself isn't repeated. */
export interface Mismatch {
  /** Where, for example `asset.profiles[0].gop`. */
  path: string;
  /** What the document says, for example `integer`. */
  expected: string;
  /** What kind of value came, for example `string`, `null` or `nothing`. */
  found: string;
}

/**
 * The answer to a request for an upload location (interface document: "Create-asset response body").
 *
 * Both locations carry a token of their own: treat them as secrets.
 */
export interface UploadLocation {
  /** Direct-upload location; absent where the service gave none that can be used, see `mismatches`. */
  url?: string;
  /** Resumable-upload (tus) location; absent where the service gave none that can be used, see `mismatches`. */
  tusEndpoint?: string;
  /** The asset as it was created. */
  asset: Asset;
  /** The task created for the asset, if the service named one. */
  task?: Task;
  /** What differs from the interface document, empty where all is as documented. */
  mismatches: Mismatch[];
  /** Fields that the interface document doesn't show, as they came. */
  [field: string]: unknown;
}

const integer = v.custom<number>(Number.isInteger, "an integer");
const json = v.custom<unknown>(isJson, "a value that JSON can carry");
// valibot's objects also take lists and class instances.
const plainObject = v.custom<Record<string, unknown>>(isPlainObject, "an object");

const requestPolicy = v.pipe(
  plainObject,
  v.objectWithRest(
    {
      type: v.optional(v.string()),
      webhookId: v.optional(v.string()),
      webhookContext: v.optional(v.pipe(plainObject, v.record(v.string(), json))),
      refreshInterval: v.optional(integer),
      allowedOrigins: v.optional(v.array(v.string())),
    },
    json,
  ),
);

const requestProfile = v.pipe(
  plainObject,
  v.objectWithRest(
    {
      name: v.optional(v.string()),
      width: v.optional(integer),
      height: v.optional(integer),
      bitrate: v.optional(integer),
      quality: v.optional(integer),
      fps: v.optional(integer),
      fpsDen: v.optional(integer),
      gop: v.optional(v.string()),
      profile: v.optional(v.string()),
      encoder: v.optional(v.string()),
    },
    json,
  ),
);

const nonBlank = v.pipe(
  v.string(),
  v.check((name) => name.trim() !== "", "a name that isn't blank"),
);

/** A request as it may leave: documented fields strictly, further ones as long as JSON can carry them. */
const assetRequestSchema: v.GenericSchema<unknown, AssetRequest> = v.pipe(
  plainObject,
  v.objectWithRest(
    {
      name: v.optional(nonBlank),
      staticMp4: v.optional(v.boolean()),
      playbackPolicy: v.optional(requestPolicy),
      profiles: v.optional(v.array(requestProfile)),
    },
    json,
  ),
) as v.GenericSchema<unknown, AssetRequest>;

/** Stands for a field that isn't there, so that its schema can say what the document expects. */
const nothing = Symbol("nothing");

function record(fields: Record<string, v.GenericSchema>): v.GenericSchema {
  const entries = Object.entries(fields).map(
    ([name, schema]) => [name, v.optional(schema, nothing)] as const,
  );
  return v.pipe(plainObject, v.looseObject(Object.fromEntries(entries)));
}

const recordPolicy = record({
  type: v.string(),
  webhookId: v.string(),
  webhookContext: plainObject,
  refreshInterval: integer,
  allowedOrigins: v.array(v.string()),
});

const recordProfile = record({
  name: v.string(),
  width: integer,
  height: integer,
  bitrate: integer,
  quality: integer,
  fps: integer,
  fpsDen: integer,
  gop: v.number(),
  profile: v.string(),
  encoder: v.string(),
});

const track = record({
  type: v.string(),
  codec: v.string(),
  startTime: v.number(),
  duration: v.number(),
  bitrate: v.number(),
  width: integer,
  height: integer,
  pixelFormat: v.string(),
  fps: v.number(),
  channels: integer,
  sampleRate: integer,
  bitDepth: integer,
});

const assetSchema = record({
  id: v.string(),
  name: v.string(),
  type: v.string(),
  playbackId: v.string(),
  userId: v.string(),
  playbackUrl: v.string(),
  downloadUrl: v.string(),
  playbackPolicy: recordPolicy,
  creatorId: record({ type: v.string(), value: v.string() }),
  profiles: v.array(recordProfile),
  projectId: v.string(),
  createdAt: integer,
  createdByTokenName: v.string(),
  size: integer,
  hash: v.array(record({ hash: v.string(), algorithm: v.string() })),
  source: record({
    type: v.string(),
    url: v.string(),
    gatewayUrl: v.string(),
    // Documented as present, without a type.
    encryption: v.custom<unknown>((value) => value !== nothing, "a value"),
  }),
  status: record({
    phase: v.string(),
    updatedAt: integer,
    progress: v.number(),
    errorMessage: v.string(),
  }),
  storage: record({
    ipfs: record({
      spec: plainObject,
      nftMetadata: record({ cid: v.string(), url: v.string(), gatewayUrl: v.string() }),
      updatedAt: integer,
    }),
    status: record({
      phase: v.string(),
      tasks: record({ pending: v.string(), last: v.string(), failed: v.string() }),
      progress: v.number(),
      errorMessage: v.string(),
    }),
  }),
  videoSpec: record({
    format: v.string(),
    duration: v.number(),
    bitrate: v.number(),
    tracks: v.array(track),
  }),
});

const answerSchema = record({
  url: v.string(),
  tusEndpoint: v.string(),
  asset: assetSchema,
  task: record({ id: v.string() }),
});

/**
 * Checks a request and returns what is to be sent: the same fields without those that are `undefined`.
 *
 * @throws {InputError} `invalid-request`, naming the field's path and what was found.
 */
export function checkAssetRequest(request: unknown): AssetRequest {
  const result = v.safeParse(assetRequestSchema, request);
  if (!result.success) {
    const issue = result.issues[0];
    const path = pathOf(issue);
    const found = show(issue.input);
    const where = path === "" ? `got ${found}` : `${path} is ${found}`;
    throw new InputError(
      "invalid-request",
      redact(`Cannot request an upload location: ${where}, expected ${expectation(issue)}`),
    );
  }
  // Not the schema's output, which lacks fields with names such as "constructor".
  return withoutUndefined(request) as AssetRequest;
}

/** Lists where an answer to request-upload differs from the interface document, without repeating any value. */
export function findMismatches(answer: unknown): Mismatch[] {
  const result = v.safeParse(answerSchema, answer);
  if (result.success) return [];
  return result.issues.map((issue) => ({
    path: pathOf(issue),
    expected: expectation(issue).replace(/^an? /, ""),
    found: kindOf(issue.input),
  }));
}

function expectation(issue: v.BaseIssue<unknown>): string {
  if (issue.type === "custom" || issue.type === "check") return issue.message;
  if (issue.type === "array") return "a list";
  if (issue.type === "boolean") return "true or false";
  return issue.type === "number" || issue.type === "string" ? `a ${issue.type}` : "an object";
}

function pathOf(issue: v.BaseIssue<unknown>): string {
  let path = "";
  for (const { key } of issue.path ?? []) {
    if (typeof key === "number") path += `[${key}]`;
    else path += path === "" ? String(key) : `.${String(key)}`;
  }
  return path;
}

function kindOf(value: unknown): string {
  if (value === undefined || value === nothing) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value;
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  // The second step accepts plain objects of another realm, for example of a frame.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isJson(value: unknown, depth = 0): boolean {
  if (depth > 64) return false;
  if (value === undefined || value === null || typeof value === "string" || typeof value === "boolean")
    return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every((item) => item !== undefined && isJson(item, depth + 1));
  return isPlainObject(value) && Object.values(value as object).every((item) => isJson(item, depth + 1));
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, withoutUndefined(item)]),
  );
}
