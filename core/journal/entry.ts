/**
 * The stored entry of a source: records of unfinished uploads, each checked by itself, and notes of
 * requests without an answer.
 */
import * as v from "valibot";
import { oneOf } from "../options/checks.ts";
import { addressSecrets } from "../service/address-secrets.ts";
import { withFields } from "../service/asset-schema.ts";
import { whyUnusable } from "../service/upload-location.ts";
import { isObject } from "../text/is-object.ts";
import type { JournalEntry, UploadRecord } from "./journal.ts";

/** An address that requests can be sent to: another one never works, and messages about it may repeat it. */
const address = v.pipe(
  v.string(),
  v.check((text) => whyUnusable(text, undefined) === undefined),
);

/** The fields that each upload has, finished or not. */
export const madeAsset: {
  asset: v.GenericSchema<{ id: string }>;
  mismatches: v.GenericSchema;
} = {
  asset: v.looseObject({ id: v.string() }),
  mismatches: v.array(v.looseObject({ path: v.string(), expected: v.string(), found: v.string() })),
};

const recordSchema = v.looseObject({
  ...madeAsset,
  method: oneOf(["resumable", "direct"]),
  account: v.optional(v.string()),
  location: v.optional(address),
  uploadUrl: v.optional(address),
  toldLength: v.optional(v.number()),
  origins: v.optional(v.array(v.string())),
  // A `proof` that is spoilt ends no upload: it goes on without authorization.
  resumableLocation: v.optional(address),
  parts: v.optional(v.array(v.string())),
  handedOver: v.optional(v.boolean()),
});

/** An entry that was read. A record of another shape stays as it is: it may be of another version, and hides no other. */
export interface ReadEntry {
  readonly uploads: Readonly<Record<string, unknown>>;
  /** The accounts of requests for a location without an answer, by context; an earlier version noted none. */
  readonly requested: ReadonlyMap<string, string | undefined>;
  readonly done: Readonly<Record<string, unknown>>;
}

export const EMPTY_ENTRY: ReadEntry = { uploads: {}, requested: new Map(), done: {} };

/** Reads what a journal gave; `undefined` where that is no entry of this version. */
export function parseEntry(stored: unknown): ReadEntry | undefined {
  if (!isObject(stored) || stored.version !== 1 || !isObject(stored.uploads)) return undefined;
  const requested: unknown[] = Array.isArray(stored.requested) ? stored.requested : [];
  return {
    uploads: stored.uploads,
    requested: new Map(requested.filter((note) => typeof note === "string").map(readNote)),
    done: isObject(stored.done) ? stored.done : {},
  };
}

function readNote(note: string): [context: string, account: string | undefined] {
  const dot = note.indexOf(".");
  return [note.slice(dot + 1), dot === -1 ? undefined : note.slice(0, dot)];
}

/** The stored form of an entry; `undefined` where nothing is left to remember. */
export function toStore({ uploads, requested, done }: ReadEntry): JournalEntry | undefined {
  const isDone = Object.keys(done).length > 0;
  if (Object.keys(uploads).length === 0 && requested.size === 0 && !isDone) return undefined;
  const notes = [...requested].map(([context, account]) =>
    account === undefined ? context : `${account}.${context}`,
  );
  // Records of another shape are stored as they came.
  return {
    version: 1,
    uploads: { ...uploads } as JournalEntry["uploads"],
    ...(notes.length > 0 && { requested: notes }),
    ...(isDone && { done: { ...done } as NonNullable<JournalEntry["done"]> }),
  };
}

/** The record of an upload: `undefined` where there is none, "unreadable" where it has another shape. */
export function recordIn({ uploads }: ReadEntry, context: string): UploadRecord | "unreadable" | undefined {
  // Names that every object inherits are no records.
  if (!Object.hasOwn(uploads, context)) return undefined;
  const result = v.safeParse(recordSchema, uploads[context]);
  if (!result.success) return "unreadable";
  const record = result.output as UploadRecord;
  return { ...record, asset: withFields(record.asset) };
}

/** The records of unfinished uploads in what a journal has stored, as far as they can be read. */
export function recordsOf(stored: unknown): UploadRecord[] {
  const entry = parseEntry(stored) ?? EMPTY_ENTRY;
  const records = Object.keys(entry.uploads).map((context) => recordIn(entry, context));
  return records.filter((record) => typeof record === "object");
}

/** The accounts of uploads that have asked for a location and have no record, so far. */
export function askersOf(stored: unknown): (string | undefined)[] {
  const { uploads, requested } = parseEntry(stored) ?? EMPTY_ENTRY;
  return [...requested].filter(([context]) => !Object.hasOwn(uploads, context)).map(([, account]) => account);
}

/** True if any upload has asked for a location without an answer so far, also beside an earlier record of it. */
export function notesRequest(stored: unknown): boolean {
  const { requested } = parseEntry(stored) ?? EMPTY_ENTRY;
  return requested.size > 0;
}

/** The entry with a record of an upload, or without it: either way the request for its location is answered. */
export function withRecord(entry: ReadEntry, context: string, record: UploadRecord | undefined): ReadEntry {
  const { [context]: _, ...others } = entry.uploads;
  const uploads = record === undefined ? others : { ...others, [context]: record };
  return { ...withNote(entry, context, undefined), uploads };
}

/** The contexts of an account's unfinished uploads, those without an answer so far included. */
export function contextsIn({ uploads, requested }: ReadEntry, account: string): string[] {
  const owners = new Map<string, unknown>(requested);
  for (const [context, record] of Object.entries(uploads))
    owners.set(context, isObject(record) && record.account);
  // Uploads from before accounts were noted are taken to be the caller's.
  return [...owners.keys()].filter((context) => {
    const owner = owners.get(context);
    return typeof owner !== "string" || owner === account;
  });
}

/** The entry with a note that this account asked for a location, or without it. */
export function withNote(entry: ReadEntry, context: string, account: string | undefined): ReadEntry {
  const requested = new Map(entry.requested);
  requested.delete(context);
  if (account !== undefined) requested.set(context, account);
  return { ...entry, requested };
}

export function locationSecrets({ asset, location, uploadUrl, resumableLocation }: UploadRecord): string[] {
  const known = [location, uploadUrl, resumableLocation].filter((address) => address !== undefined);
  return known.flatMap((address) => addressSecrets(address, asset.id));
}
