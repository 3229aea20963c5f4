/**
 * How records are checked. A request is checked strictly before it leaves. A record of the service is never refused
 * for what it contains: it is kept as it came, and every documented field that is missing or of another type is
 * listed as a mismatch.
 */
import * as v from "valibot";
import { expectation, pathOf } from "../options/checks.ts";
import type { Asset, Mismatch, PlaybackPolicy, TranscodeProfile, UploadLocation } from "./asset.ts";

const integer = v.custom<number>(Number.isInteger, "an integer");
// valibot's objects also take lists and class instances.
const plainObject = v.custom<Record<string, unknown>>(isPlainObject, "an object");

/** The documented fields of a record: all of them, each with a schema of its type. */
export type Fields<Whole> = {
  [Name in keyof Whole as string extends Name ? never : Exclude<Name, "fields">]-?: v.GenericSchema<
    unknown,
    Exclude<Whole[Name], undefined>
  >;
};

/** An object whose documented fields are typed, if they are there, and whose other fields are anything. */
export function object<Whole>(fields: Fields<Whole>, absent?: symbol): v.GenericSchema<unknown, Whole> {
  const all = Object.entries<v.GenericSchema>(fields);
  const entries = all.map(([name, schema]) => [name, v.optional(schema, absent)] as const);
  const whole: v.GenericSchema = v.pipe(plainObject, v.looseObject(Object.fromEntries(entries)));
  // The object is built from its fields by name, which the compiler can't follow.
  return whole as v.GenericSchema<unknown, Whole>;
}

/** Fields that have one schema. */
function each<Schema, const Name extends string>(schema: Schema, ...names: Name[]): Record<Name, Schema> {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;
}

export const policy: Fields<PlaybackPolicy> = {
  ...each(v.string(), "type", "webhookId"),
  webhookContext: plainObject,
  refreshInterval: integer,
  allowedOrigins: v.array(v.string()),
};

/** The fields of a profile as it is asked for; records have another `gop`. */
export const profile: Fields<TranscodeProfile> = {
  ...each(v.string(), "name", "gop", "profile", "encoder"),
  ...each(integer, "width", "height", "bitrate", "quality", "fps", "fpsDen"),
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
  ...each(v.string(), "type", "codec", "pixelFormat"),
  ...each(v.number(), "startTime", "duration", "bitrate", "fps"),
  ...each(integer, "width", "height", "channels", "sampleRate", "bitDepth"),
});

const assetFields: Fields<Asset> = {
  ...each(v.string(), "id", "name", "type", "playbackId", "userId", "playbackUrl", "downloadUrl"),
  ...each(v.string(), "projectId", "createdByTokenName"),
  ...each(integer, "createdAt", "size"),
  playbackPolicy: record<PlaybackPolicy>({ ...policy, allowedOrigins: list(v.string()) }),
  creatorId: record<Asset["creatorId"]>(each(v.string(), "type", "value")),
  profiles: list(record<TranscodeProfile>({ ...profile, gop: v.number() })),
  hash: list(record<NonNullable<Asset["hash"]>[number]>(each(v.string(), "hash", "algorithm"))),
  source: record<Asset["source"]>({
    ...each(v.string(), "type", "url", "gatewayUrl"),
    // The field is documented as present, without a type.
    encryption: v.custom<unknown>((value) => value !== nothing, "a value"),
  }),
  status: record<Asset["status"]>({
    ...each(v.string(), "phase", "errorMessage"),
    updatedAt: integer,
    progress: v.number(),
  }),
  storage: record<Storage>({
    ipfs: record<Storage["ipfs"]>({
      spec: plainObject,
      nftMetadata: record<NonNullable<Storage["ipfs"]>["nftMetadata"]>(
        each(v.string(), "cid", "url", "gatewayUrl"),
      ),
      updatedAt: integer,
    }),
    status: record<Storage["status"]>({
      ...each(v.string(), "phase", "errorMessage"),
      tasks: record<NonNullable<Storage["status"]>["tasks"]>(each(v.string(), "pending", "last", "failed")),
      progress: v.number(),
    }),
  }),
  videoSpec: record<VideoSpec>({
    format: v.string(),
    ...each(v.number(), "duration", "bitrate"),
    tracks: list(track),
  }),
};

export const assetSchema: v.GenericSchema<unknown, Asset> = record<Asset>(assetFields);

/** The record, with a view of those fields that aren't documented; a field of the record that has its name stays. */
export function withFields(asset: Asset): Asset {
  const further = Object.entries(asset).filter(([name]) => !Object.hasOwn(assetFields, name));
  const fields = { value: Object.freeze(Object.fromEntries(further)) };
  return Object.freeze(
    Object.defineProperties({ ...asset }, Object.hasOwn(asset, "fields") ? {} : { fields }),
  );
}

const answerSchema = record<Pick<UploadLocation, "url" | "tusEndpoint" | "asset" | "task">>({
  ...each(v.string(), "url", "tusEndpoint"),
  asset: assetSchema,
  task: record<UploadLocation["task"]>({ id: v.string() }),
});

export const MOST_MISMATCHES = 100;

/** Lists where an answer differs from the interface document, without repeating any value. */
export function findMismatches(answer: unknown, schema: v.GenericSchema = answerSchema): Mismatch[] {
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
