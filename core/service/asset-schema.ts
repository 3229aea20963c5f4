/**
 * How records are checked. A request is checked strictly before it leaves. A record of the service is never refused
 * for what it contains: it is kept as it came, and every documented field that is missing or of another type is
 * listed as a mismatch.
 */
import * as v from "valibot";
import { expectation, pathOf } from "../options.ts";
import type { Asset, Mismatch, PlaybackPolicy, TranscodeProfile, UploadLocation } from "./asset.ts";

const integer = v.custom<number>(Number.isInteger, "an integer");
// valibot's objects also take lists and class instances.
const plainObject = v.custom<Record<string, unknown>>(isPlainObject, "an object");

/** The documented fields of a record: all of them, each with a schema of its type. */
export type Fields<Whole> = {
  [Name in keyof Whole as string extends Name ? never : Name]-?: v.GenericSchema<
    unknown,
    Exclude<Whole[Name], undefined>
  >;
};

/** An object whose documented fields are typed, if they are there, and whose other fields are anything. */
export function object<Whole>(fields: Fields<Whole>, absent?: symbol): v.GenericSchema<unknown, Whole> {
  const all = Object.entries<v.GenericSchema>(fields);
  const entries = all.map(([name, schema]) => [name, v.optional(schema, absent)] as const);
  const whole: v.GenericSchema = v.pipe(plainObject, v.looseObject(Object.fromEntries(entries)));
  // Built from its fields by name, which the compiler can't follow.
  return whole as v.GenericSchema<unknown, Whole>;
}

export const policy: Fields<PlaybackPolicy> = {
  type: v.string(),
  webhookId: v.string(),
  webhookContext: plainObject,
  refreshInterval: integer,
  allowedOrigins: v.array(v.string()),
};

/** Those of a profile as it is asked for; records have another `gop`. */
export const profile: Fields<TranscodeProfile> = {
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

/** Stands for a field that isn't there, so that its schema can say what the document expects. */
const nothing = Symbol("nothing");

function record<Whole>(fields: Fields<NonNullable<Whole>>): v.GenericSchema<unknown, NonNullable<Whole>> {
  return object<NonNullable<Whole>>(fields, nothing);
}

/** Entries of a list that are looked at: where those are as documented, others hardly differ. */
const MOST_ENTRIES = 20;

/** A list in a record: no more of it is checked than can be reported. */
function list<Item>(item: v.GenericSchema<unknown, Item>): v.GenericSchema<unknown, Item[]> {
  return v.pipe(
    v.array(v.unknown()),
    v.transform((entries) => entries.slice(0, MOST_ENTRIES)),
    v.array(item),
  );
}

type Storage = NonNullable<Asset["storage"]>;
type VideoSpec = NonNullable<Asset["videoSpec"]>;

const track = record<NonNullable<VideoSpec["tracks"]>[number]>({
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

const assetSchema = record<Asset>({
  id: v.string(),
  name: v.string(),
  type: v.string(),
  playbackId: v.string(),
  userId: v.string(),
  playbackUrl: v.string(),
  downloadUrl: v.string(),
  playbackPolicy: record<PlaybackPolicy>({ ...policy, allowedOrigins: list(v.string()) }),
  creatorId: record<Asset["creatorId"]>({ type: v.string(), value: v.string() }),
  profiles: list(record<TranscodeProfile>({ ...profile, gop: v.number() })),
  projectId: v.string(),
  createdAt: integer,
  createdByTokenName: v.string(),
  size: integer,
  hash: list(record<NonNullable<Asset["hash"]>[number]>({ hash: v.string(), algorithm: v.string() })),
  source: record<Asset["source"]>({
    type: v.string(),
    url: v.string(),
    gatewayUrl: v.string(),
    // Documented as present, without a type.
    encryption: v.custom<unknown>((value) => value !== nothing, "a value"),
  }),
  status: record<Asset["status"]>({
    phase: v.string(),
    updatedAt: integer,
    progress: v.number(),
    errorMessage: v.string(),
  }),
  storage: record<Storage>({
    ipfs: record<Storage["ipfs"]>({
      spec: plainObject,
      nftMetadata: record<NonNullable<Storage["ipfs"]>["nftMetadata"]>({
        cid: v.string(),
        url: v.string(),
        gatewayUrl: v.string(),
      }),
      updatedAt: integer,
    }),
    status: record<Storage["status"]>({
      phase: v.string(),
      tasks: record<NonNullable<Storage["status"]>["tasks"]>({
        pending: v.string(),
        last: v.string(),
        failed: v.string(),
      }),
      progress: v.number(),
      errorMessage: v.string(),
    }),
  }),
  videoSpec: record<VideoSpec>({
    format: v.string(),
    duration: v.number(),
    bitrate: v.number(),
    tracks: list(track),
  }),
});

const answerSchema = record<Pick<UploadLocation, "url" | "tusEndpoint" | "asset" | "task">>({
  url: v.string(),
  tusEndpoint: v.string(),
  asset: assetSchema,
  task: record<UploadLocation["task"]>({ id: v.string() }),
});

export const MOST_MISMATCHES = 100;

/** Lists where an answer to request-upload differs from the interface document, without repeating any value. */
export function findMismatches(answer: unknown): Mismatch[] {
  return mismatchesWith(answerSchema, answer);
}

export function findAssetMismatches(asset: unknown): Mismatch[] {
  return mismatchesWith(assetSchema, asset);
}

function mismatchesWith(schema: v.GenericSchema, answer: unknown): Mismatch[] {
  const { issues = [] } = v.safeParse(schema, answer);
  return issues.slice(0, MOST_MISMATCHES).map((issue) => ({
    path: pathOf(issue),
    expected: expectation(issue).replace(/^an? /, ""),
    found: kindOf(issue.input),
  }));
}

function kindOf(value: unknown): string {
  if (value === undefined || value === nothing) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value;
}

/** An object of names and values, of another realm too, for example of a frame. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
