/**
 * How records are checked. A request is checked strictly before it leaves. A record of the service is never refused
 * for what it contains: it is kept as it came, and every documented field that is missing or of another type is
 * listed as a mismatch.
 *
 * @module
 */

import * as v from "valibot";
import type { AssetRequest, Mismatch } from "./asset.ts";
import { InputError } from "./errors.ts";
import { redact, show } from "./redaction.ts";

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
