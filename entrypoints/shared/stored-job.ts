/**
 * Reads a stored job, whatever an earlier version or a broken profile left of it. Pure.
 *
 * What doesn't fit is left out. A job that can't go on without it has failed, so that the person sees it and can remove
 * it: nothing of the list is hidden, and nothing is begun that isn't understood.
 */
import * as v from "valibot";
import { WAITING_REASONS } from "../../core/validate.ts";
import { faultOf } from "./fault.ts";
import { STATES, type StoredJob, type StoredSource } from "./job.ts";
import { DEFAULT_SETTINGS, METHODS, uploadFieldsSchema } from "./settings.ts";
import { sourceKind } from "./source-kinds.ts";
import { isWebAddress } from "./web-address.ts";

const count = v.pipe(v.number(), v.finite(), v.minValue(0));
const text = v.string();
const webAddress = v.pipe(v.string(), v.check(isWebAddress));
const details = { name: text, size: count, type: text, lastModified: v.number() };

const handle = v.custom<FileSystemFileHandle>(
  (value) => typeof value === "object" && value !== null && "getFile" in value,
);
const place = { host: text, hasPage: v.boolean(), page: webAddress };

/** Fields that a job does without, by the record they are in. */
const OPTIONAL = {
  job: {
    thumbnail: v.pipe(text, v.startsWith("data:image/")),
    address: text,
    place: count,
    startsAt: v.number(),
    retryOffered: v.boolean(),
    unstarted: v.boolean(),
    ending: v.boolean(),
    waiting: v.object({
      reason: v.picklist(WAITING_REASONS),
      httpStatus: v.optional(v.number()),
      until: v.optional(v.number()),
      attempt: count,
    }),
    asset: v.looseObject({ id: text }),
    task: v.looseObject({ id: text }),
    mismatches: v.array(v.object({ path: text, expected: text, found: text })),
    error: v.looseObject({
      name: text,
      code: text,
      message: text,
      retryable: v.boolean(),
      httpStatus: v.optional(v.number()),
      retryAfter: v.optional(v.number()),
      details: v.optional(v.array(text)),
      resume: v.optional(v.object({ assetId: text, offset: count, possible: v.boolean() })),
    }),
    needs: v.union([
      v.object({ permission: v.literal("file") }),
      v.object({ permission: v.literal("host"), origin: webAddress, reads: v.optional(v.boolean()) }),
    ]),
    refused: v.object({ name: text, size: v.optional(count), type: text, lastModified: v.number() }),
    outcome: v.object({ resent: count, duration: count, resumed: v.boolean() }),
    endedAtService: v.boolean(),
    movedUpAt: count,
    uploadedBefore: count,
    duplicateOf: text,
    otherLength: v.object({ playedSeconds: count, foundSeconds: count }),
  },
  source: {
    ...details,
    ...place,
    estimated: count,
    url: webAddress,
    referrer: webAddress,
    open: v.boolean(),
    pieces: v.picklist(["hls", "dash"]),
    quality: text,
    languages: v.array(v.object({ id: text, label: text })),
    subtitles: count,
    playedSeconds: count,
    handle,
  },
} as const;

/** Of a source of any kind. */
const DETAILS: readonly string[] = ["kind", "name", "size", "type", "lastModified"];

const kind = v.picklist(["file", "url", "page-blob"]);
const state = v.picklist(STATES);
const progress = v.object({ sent: count, acknowledged: count, speed: count, fetched: v.optional(count) });
const draftFields = v.looseObject({ name: text, method: v.picklist(METHODS), language: v.optional(text) });

/** Of what core remembers, what is used outside of it; core itself checks the rest. */
const journal = v.object({
  key: text,
  entry: v.looseObject({
    version: v.number(),
    uploads: v.record(
      text,
      v.looseObject({
        method: text,
        location: v.optional(text),
        uploadUrl: v.optional(text),
        resumableLocation: v.optional(text),
      }),
    ),
  }),
});

/** @returns nothing for what has no id, and so can neither be shown nor removed */
export function readStoredJob(stored: unknown): StoredJob | undefined {
  if (!isFields(stored)) return undefined;
  const { id, createdAt, source, fields } = stored;
  if (typeof id !== "string" || id === "") return undefined;
  const readState = v.safeParse(state, stored.state);
  const readSource = sourceOf(source);
  const readFields = fieldsOf(fields);
  const isJournalSound = stored.journal === undefined || v.is(journal, stored.journal);
  const isEnded = readState.success && /^(done|cancelled)$/.test(readState.output);
  const name = [readFields?.name, readSource?.name, "?"].find((each) => each !== undefined);
  const isSound = readState.success && readSource !== undefined && readFields !== undefined && isJournalSound;
  const job = {
    ...sound(OPTIONAL.job, stored),
    id,
    createdAt: v.parse(v.fallback(v.pipe(v.number(), v.finite()), 0), createdAt),
    source: readSource ?? { kind: "file", name, type: "", lastModified: 0 },
    fields: readFields ?? { ...DEFAULT_SETTINGS.fields, name, method: "auto" },
    progress: v.parse(v.fallback(progress, { sent: 0, acknowledged: 0, speed: 0 }), stored.progress),
    state: readState.success ? readState.output : "failed",
    ...(isJournalSound && stored.journal !== undefined && { journal: stored.journal }),
  };
  return explained(job as unknown as StoredJob, isSound || isEnded);
}

/** A job that says what is wrong with it, where that is not told by its own record. */
function explained(job: StoredJob, isSound: boolean): StoredJob {
  const failed = job.state === "failed" || job.state === "asset-unknown";
  if (!isSound) return { ...job, state: "failed", error: faultOf("continue this upload") };
  if (failed && job.error === undefined) return { ...job, error: faultOf("continue this upload") };
  if (job.state === "needs-permission" && job.needs === undefined) return { ...job, state: "paused" };
  return job;
}

/** A record of the stored list, or of one in it, before it is read. */
export type Fields = Record<string, unknown>;

function sourceOf(source: unknown): (Fields & { name: string }) | undefined {
  if (!isFields(source) || !v.is(kind, source.kind) || typeof source.name !== "string") return undefined;
  const rest = sound(OPTIONAL.source, source) as Partial<StoredSource>;
  const read = { type: "", lastModified: 0, ...rest, kind: source.kind, name: source.name };
  const own = [...DETAILS, ...sourceKind(read).fields];
  return Object.fromEntries(Object.entries(read).filter(([field]) => own.includes(field))) as typeof read;
}

function fieldsOf(fields: unknown): (Fields & { name: string }) | undefined {
  if (!v.is(draftFields, fields) || !v.is(uploadFieldsSchema, fields)) return undefined;
  return { ...fields };
}

/** The fields of a record that are what they should be. */
function sound(schemas: Record<string, v.GenericSchema>, record: Fields): Fields {
  const fitting = Object.entries(schemas).filter(
    ([name, schema]) => record[name] !== undefined && v.is(schema, record[name]),
  );
  return Object.fromEntries(fitting.map(([name]) => [name, record[name]]));
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
