/**
 * One upload's slot in a journal: leased, read, and written whole.
 *
 * @module
 */

import * as v from "valibot";
import { codeOf } from "./error-code.ts";
import { UploadError } from "./errors.ts";
import type { Journal, JournalEntry, UploadRecord } from "./journal.ts";

type Release = () => Promise<void>;

const recordSchema = v.looseObject({
  method: v.picklist(["resumable", "direct"]),
  account: v.optional(v.string()),
  asset: v.looseObject({ id: v.string() }),
  mismatches: v.array(v.looseObject({ path: v.string(), expected: v.string(), found: v.string() })),
  location: v.optional(v.string()),
  uploadUrl: v.optional(v.string()),
  lastSent: v.optional(v.boolean()),
  resumableLocation: v.optional(v.string()),
  parts: v.optional(v.array(v.string())),
  handedOver: v.optional(v.boolean()),
});
const entrySchema = v.object({
  version: v.literal(1),
  uploads: v.record(v.string(), recordSchema),
  requested: v.optional(v.array(v.string())),
});

/** One upload's slot in a journal, leased until it is released. */
export interface JournalSlot {
  /** What is remembered, if anything is. */
  record: UploadRecord | undefined;
  /** Whether the journal holds a record of this upload, be it an earlier one. */
  stored: boolean;
  /** Whether the journal holds a note that an earlier call asked for a location and ended without an answer. */
  hasRequestNote: boolean;
  /** Makes sure that a first record will be stored, while it can still be left. */
  reserve(): Promise<void>;
  /** Notes that a location is asked for, so that a process that ends meanwhile leaves a trace. */
  noteRequest(): Promise<void>;
  /** Removes that note: the outcome is known, or was reported. */
  clearRequestNote(): Promise<void>;
  /** Remembers a record; a journal that can't store it stops no upload. */
  save(record: UploadRecord): Promise<void>;
  forget(): Promise<void>;
  release(): Promise<void>;
}

/** Where an upload is remembered. */
export interface SlotAddress {
  /** The source's identity. */
  key: string;
  /** A digest of the requester's scope. */
  account: string;
  /** A digest of scope, method and request. */
  context: string;
}

/**
 * Leases the slot of one upload and reads what is remembered there.
 *
 * @throws {UploadError} `in-progress` while another upload has the slot
 */
export async function openSlot(
  journal: Journal,
  { key, account, context }: SlotAddress,
): Promise<JournalSlot> {
  const note = noteOf(account, context);
  const release = await guarded("take a lease in", () => journal.claim(`${key}.${context.slice(0, 16)}`));
  if (release === undefined) {
    const state = "another upload of the same source is under way. Wait for it to end, or stop it";
    throw new UploadError("in-progress", `Cannot upload: ${state}`, { retryable: true });
  }
  let room: Release | undefined;
  /** Whatever is stored first takes the room. */
  let isRoomTaken = false;
  try {
    const entry = await readEntry(journal, key);
    // A note that can't be written keeps nobody from uploading: what makes room says whether the journal works.
    const setRequestNote = async (wanted: boolean) => {
      try {
        await update(journal, key, (current) => withNote(current, note, wanted));
        slot.hasRequestNote = wanted;
        isRoomTaken = true;
      } catch {}
    };
    const slot: JournalSlot = {
      record: entry.uploads[context],
      stored: entry.uploads[context] !== undefined,
      hasRequestNote: entry.requested?.some((each) => isNote(each, context)) === true,
      noteRequest: () => setRequestNote(true),
      async clearRequestNote() {
        if (slot.hasRequestNote) await setRequestNote(false);
      },
      async reserve() {
        if (room !== undefined && !isRoomTaken) return;
        await guarded("give back room in", async () => room?.());
        room = await guarded("make room in", async () => journal.reserve?.(key));
        isRoomTaken = false;
      },
      async save(record) {
        slot.record = record;
        try {
          await update(journal, key, (current) => {
            const { uploads, ...rest } = withNote(current, note, false);
            return { ...rest, uploads: { ...uploads, [context]: { ...record, account } } };
          });
          Object.assign(slot, { stored: true, hasRequestNote: false });
        } catch {
          // The asset exists, and this process knows enough to finish it; `stored` says that another one doesn't.
        }
      },
      async forget() {
        slot.record = undefined;
        if (!slot.stored && !slot.hasRequestNote) return;
        await update(journal, key, (current) => {
          const { uploads, ...rest } = withNote(current, note, false);
          const { [context]: _, ...others } = uploads;
          return { ...rest, uploads: others };
        });
        Object.assign(slot, { stored: false, hasRequestNote: false });
      },
      async release() {
        try {
          await guarded("give back room in", async () => room?.());
        } finally {
          await guarded("end a lease in", release);
        }
      },
    };
    return slot;
  } catch (error) {
    await release();
    throw error;
  }
}

/** The contexts of an account's unfinished uploads of a source, those without an answer so far included. */
export async function contextsOf(journal: Journal, key: string, account: string): Promise<string[]> {
  const { uploads, requested = [] } = await readEntry(journal, key);
  // What was stored before accounts were noted is taken to be the caller's.
  const begun = Object.entries(uploads).filter(([, record]) => (record.account ?? account) === account);
  const asked = requested.filter((note) => !note.includes(".") || note.startsWith(`${account}.`));
  return [...new Set([...begun.map(([context]) => context), ...asked.map(contextIn)])];
}

/** The note of a request without an answer: whose it is, and for which upload. */
function noteOf(account: string, context: string): string {
  return `${account}.${context}`;
}

function contextIn(note: string): string {
  return note.slice(note.indexOf(".") + 1);
}

function isNote(note: string, context: string): boolean {
  return contextIn(note) === context;
}

function withNote(entry: JournalEntry, note: string, wanted: boolean): JournalEntry {
  const { requested: all = [], ...rest } = entry;
  const others = all.filter((each) => !isNote(each, contextIn(note)));
  if (wanted) others.push(note);
  return others.length === 0 ? rest : { ...rest, requested: others };
}

async function readEntry(journal: Journal, key: string): Promise<JournalEntry> {
  const stored: unknown = await guarded("read", () => journal.get(key));
  if (stored === undefined) return { version: 1, uploads: {} };
  const result = v.safeParse(entrySchema, stored);
  if (!result.success) {
    throw new UploadError(
      "journal-failed",
      "Cannot resume from the journal: its entry for this source is of another version. " +
        "Discard the entry, or use another journal",
    );
  }
  return result.output as JournalEntry;
}

const LEASE_TIMEOUT = 5_000;

/** Entries are shared by the uploads of one source, so each change is made under a short lease of its own. */
async function update(
  journal: Journal,
  key: string,
  change: (entry: JournalEntry) => JournalEntry,
): Promise<void> {
  const release = await waitForLease(journal, `${key}.write`);
  try {
    const entry = change(await readEntry(journal, key));
    const empty = Object.keys(entry.uploads).length === 0 && entry.requested === undefined;
    await guarded("write", () => (empty ? journal.delete(key) : journal.set(key, entry)));
  } finally {
    await guarded("end a lease in", release);
  }
}

async function waitForLease(journal: Journal, key: string): Promise<Release> {
  const deadline = Date.now() + LEASE_TIMEOUT;
  for (;;) {
    const release = await guarded("take a lease in", () => journal.claim(key));
    if (release !== undefined) return release;
    if (Date.now() > deadline) {
      throw new UploadError(
        "journal-failed",
        "Cannot write the journal: another process has held its lease for 5 s",
        {
          retryable: true,
        },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 30));
  }
}

/** An adapter's failure may show paths, keys or values: only its kind leaves. */
async function guarded<T>(action: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UploadError) throw error;
    const words = [codeOf(error), error instanceof Error ? error.name : undefined];
    const reason = words.find((word) => word !== undefined && /^\w{2,40}$/.test(word)) ?? "unknown reason";
    throw new UploadError("journal-failed", `Cannot ${action} the journal: ${reason}`, { retryable: true });
  }
}
