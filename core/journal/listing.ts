/**
 * The list of a journal: its unfinished uploads, without the addresses that it keeps for them.
 *
 * @module
 */

import { excerpt, shorten } from "../redaction/redaction.ts";
import { contextOf, locationSecrets, parseEntry, recordIn } from "./entry.ts";
import type { Journal, UploadRecord } from "./journal.ts";

/** An unfinished upload, as a journal lists it: nothing of it is a secret. */
export interface UnfinishedUpload {
  /** For `discard(requester, { journalKey })`, and to tell sources apart. */
  journalKey: string;
  /** File name of the source, or the asset's name where an earlier version stored none. */
  name: string | undefined;
  /** Where the source is read from, for an address: its origin alone, since the rest may be signed. */
  origin: string | undefined;
  /** Bytes of the source, where they are known. */
  size: number | undefined;
  /** The asset; `undefined` where the answer to the request for it never came, so that nobody knows whether there is one. */
  assetId: string | undefined;
  /** How it is sent; `undefined` without an asset. */
  method: "resumable" | "direct" | undefined;
  /**
   * Bytes that the service was known to have when the entry was last written; it may have more by now. `undefined` where it
   * hadn't said so.
   */
  acknowledged: number | undefined;
  /** Milliseconds since the asset was made; `undefined` where an earlier version stored no time. */
  age: number | undefined;
}

/** A journal that tells what it holds. */
export interface ListableJournal extends Journal {
  /**
   * The unfinished uploads of all accounts, those that run now included. What can't be read is left out.
   *
   * @returns one element for each, in no order
   * @throws where the journal can't be read at all.
   */
  list(): Promise<UnfinishedUpload[]>;
}

/** Characters of a name that are shown. */
const LONGEST_NAME = 200;

/**
 * The unfinished uploads of one entry: what `list()` of a journal is made of.
 *
 * @param journalKey the key of the entry
 * @param entry what was stored; anything that is no entry of this version gives nothing
 * @returns the uploads, without their locations
 * @example List what a store of one's own holds
 * ```ts
 * import { type JournalEntry, unfinishedUploads } from "@upcut/core/journal";
 *
 * const stored = new Map<string, JournalEntry>();
 * console.log([...stored].flatMap(([key, entry]) => unfinishedUploads(key, entry))); // []
 * ```
 */
export function unfinishedUploads(journalKey: string, entry: unknown): UnfinishedUpload[] {
  const read = parseEntry(entry);
  if (read === undefined) return [];
  const begun: UnfinishedUpload[] = [];
  for (const context of Object.keys(read.uploads)) {
    const record = recordIn(read, context);
    if (record !== undefined && record !== "unreadable") begun.push(describe(journalKey, record));
  }
  // One that was asked for again beside its record is that record.
  const asked = read.requested.filter((note) => !Object.hasOwn(read.uploads, contextOf(note)));
  return [...begun, ...asked.map(() => describe(journalKey))];
}

/** Fields that are only shown keep nobody from resuming, so they are checked only here. */
function describe(journalKey: string, record?: UploadRecord): UnfinishedUpload {
  const { source, asset, method, acknowledged, begunAt }: Partial<UploadRecord> = record ?? {};
  // The service chose the id, and may have put into it what it was sent.
  const secrets = record && locationSecrets(record);
  const shown = (text: unknown) =>
    typeof text === "string" ? shorten(excerpt(text, secrets), LONGEST_NAME) : undefined;
  return {
    journalKey,
    name: shown(source?.name ?? asset?.name),
    origin: shown(source?.origin),
    size: count(source?.size),
    assetId: shown(asset?.id),
    method,
    acknowledged: count(acknowledged),
    age: count(begunAt) && Math.max(0, Date.now() - Number(begunAt)),
  };
}

function count(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
