/** The list of a journal: its unfinished uploads, without the addresses that it keeps for them. */
import { excerpt, shorten } from "../redaction/redaction.ts";
import { dateNow } from "../time/clock.ts";
import { askersOf, locationSecrets, recordsOf } from "./entry.ts";
import type { UnfinishedUpload, UploadRecord } from "./journal.ts";

const LONGEST_NAME = 200;

/**
 * The unfinished uploads of one entry: what `list()` of a journal is made of.
 *
 * @param journalKey the key of the entry
 * @param entry what was stored; anything that is no entry of this version gives nothing
 * @returns the uploads, without their locations
 * @example List what a store of one's own holds
 * ```ts
 * import { readJournalEntry } from "@upcut/core";
 *
 * const stored = new Map<string, unknown>();
 * console.log([...stored].flatMap(([key, entry]) => readJournalEntry(key, entry))); // []
 * ```
 */
export function readJournalEntry(journalKey: string, entry: unknown): UnfinishedUpload[] {
  const begun = recordsOf(entry).map((record) => describe(journalKey, record));
  return [...begun, ...askersOf(entry).map((account) => ({ ...describe(journalKey), account }))];
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
    account: shown(record?.account),
    name: shown(source?.name ?? asset?.name),
    origin: shown(source?.origin),
    size: count(source?.size),
    assetId: shown(asset?.id),
    method,
    acknowledged: count(acknowledged),
    age: count(begunAt) && Math.max(0, dateNow() - Number(begunAt)),
  };
}

function count(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
