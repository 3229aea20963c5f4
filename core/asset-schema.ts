/**
 * How records are checked. A request is checked strictly before it leaves. A record of the service is never refused
 * for what it contains: it is kept as it came, and every documented field that is missing or of another type is
 * listed as a mismatch.
 *
 * @module
 */

import * as v from "valibot";
import type { AssetRequest, Mismatch } from "./asset.ts";
import { type BrokenText, findBrokenText } from "./broken-text.ts";
import { InputError } from "./errors.ts";
import { redact, show } from "./redaction.ts";

const integer = v.custom<number>(Number.isInteger, "an integer");
// valibot's objects also take lists and class instances.
const plainObject = v.custom<Record<string, unknown>>(isPlainObject, "an object");
const nonBlank = v.custom<string>(
  (name) => typeof name === "string" && name.trim() !== "",
  "a text that isn't blank",
);

type Fields = Record<string, v.GenericSchema>;

/** An object whose documented fields are typed, if they are there, and whose other fields are anything. */
function object(fields: Fields, absent?: symbol): v.GenericSchema {
  const entries = Object.entries(fields).map(([name, schema]) => [name, v.optional(schema, absent)] as const);
  return v.pipe(plainObject, v.looseObject(Object.fromEntries(entries)));
}

const policy: Fields = {
  type: v.string(),
  webhookId: v.string(),
  webhookContext: plainObject,
  refreshInterval: integer,
  allowedOrigins: v.array(v.string()),
};

/** As it is asked for; records have another `gop`. */
const profile: Fields = {
  name: v.string(),
  width: integer,
  height: integer,
  bitrate: integer,
  quality: integer,
  fps: integer,
  fpsDen: integer,
  gop: v.string(),
  profile: v.string(),
  encoder: v.string(),
};

/** A request as it may leave: documented fields strictly, further ones as long as JSON can carry them. */
const assetRequestSchema = object({
  name: nonBlank,
  staticMp4: v.boolean(),
  playbackPolicy: object(policy),
  profiles: v.array(object(profile)),
});

/** Stands for a field that isn't there, so that its schema can say what the document expects. */
const nothing = Symbol("nothing");

const record = (fields: Fields) => object(fields, nothing);

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
  playbackPolicy: record(policy),
  creatorId: record({ type: v.string(), value: v.string() }),
  profiles: v.array(record({ ...profile, gop: v.number() })),
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

/** UTF-8 bytes of a name: services refuse bodies over 100 kB or so, and this is more than any of them takes. */
export const LONGEST_NAME = 120_000;

/**
 * Checks a request and returns what is to be sent: the same fields without those that are `undefined`.
 *
 * @throws {InputError} `invalid-request`, naming the field's path and what was found.
 */
export function checkAssetRequest(request: unknown): AssetRequest {
  const issue = v.safeParse(assetRequestSchema, request).issues?.[0];
  if (issue !== undefined) throw refused(pathOf(issue), issue.input, expectation(issue));
  // Not the schema's output, which lacks fields with names such as "constructor".
  const checked = sendable(request, "") as AssetRequest;
  const bytes = new TextEncoder().encode(checked.name).length;
  if (bytes > LONGEST_NAME) {
    const longest = `${LONGEST_NAME} (${LONGEST_NAME / 1000} kB)`;
    throw invalid(`name has ${bytes} bytes, expected at most ${longest}`);
  }
  return checked;
}

const BROKEN: Record<BrokenText, string> = {
  nul: "a NUL character",
  "half-character": "half a character (a lone surrogate)",
};

function checkText(text: string, what: string): void {
  const broken = findBrokenText(text);
  if (broken !== undefined) throw invalid(`${what} holds ${BROKEN[broken]}, which services refuse`);
}

function refused(path: string, input: unknown, expected: string): InputError {
  const found = show(input);
  const where = path === "" ? `got ${found}` : `${path} is ${found}`;
  return invalid(`${where}, expected ${expected}`);
}

function invalid(state: string): InputError {
  return new InputError("invalid-request", redact(`Cannot request an upload location: ${state}`));
}

/**
 * Whether a webhook policy names no webhook. Some services answer a bare 500 then, while the interface document
 * doesn't say that the id is required.
 */
export function lacksWebhookId({
  playbackPolicy,
}: {
  playbackPolicy?: AssetRequest["playbackPolicy"] | undefined;
}): boolean {
  const { type = "", webhookId = "" } = playbackPolicy ?? {};
  return type.trim().toLowerCase() === "webhook" && webhookId.trim() === "";
}

/** Lists where an answer to request-upload differs from the interface document, without repeating any value. */
export function findMismatches(answer: unknown): Mismatch[] {
  const { issues = [] } = v.safeParse(answerSchema, answer);
  return issues.map((issue) => ({
    path: pathOf(issue),
    expected: expectation(issue).replace(/^an? /, ""),
    found: kindOf(issue.input),
  }));
}

function expectation(issue: v.BaseIssue<unknown>): string {
  if (issue.type === "custom") return issue.message;
  if (issue.type === "array") return "a list";
  if (issue.type === "boolean") return "true or false";
  return issue.type === "number" || issue.type === "string" ? `a ${issue.type}` : "an object";
}

function pathOf(issue: v.BaseIssue<unknown>): string {
  return (issue.path ?? []).reduce((path, { key }) => below(path, key), "");
}

function below(path: string, key: unknown): string {
  if (typeof key === "number") return `${path}[${key}]`;
  return path === "" ? String(key) : `${path}.${String(key)}`;
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

/** What JSON will say of a value: the same without fields that are `undefined`. */
function sendable(value: unknown, path: string, depth: number = 0): unknown {
  const inside = (item: unknown, key: unknown) => sendable(item, below(path, key), depth + 1);
  if (typeof value === "string") checkText(value, path);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (depth < 64 && Array.isArray(value)) return value.map(inside);
  if (depth < 64 && isPlainObject(value)) {
    return Object.fromEntries(
      Object.entries(value as object)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]) => {
          checkText(key, `the name of a field in ${path || "the request"}`);
          return [key, inside(item, key)];
        }),
    );
  }
  throw refused(path, value, "a value that JSON can carry");
}
