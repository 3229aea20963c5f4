/**
 * One upload's slot in a journal: leased, read, and written whole.
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import { codeOf } from "../system-error.ts";
import {
  contextsIn,
  EMPTY_ENTRY,
  hasNote,
  parseEntry,
  type ReadEntry,
  recordIn,
  toStore,
  withNote,
  withRecord,
} from "./entry.ts";
import type { Journal, Lease, UploadRecord } from "./journal.ts";
import { type LeaseWatch, watchLease } from "./lease-watch.ts";

/** One upload's slot in a journal, leased until it is released. Once the lease is another's, nothing is written. */
export interface JournalSlot extends Pick<LeaseWatch, "confirm" | "confirmAfterPause"> {
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

/** How a slot is opened. */
export interface SlotOptions {
  /** Whether what can't be read in the journal is replaced, instead of being an error. @default false */
  replaces?: boolean;
  /** Called once if the slot becomes another's. */
  onLost?: (error: UploadError) => void;
}

/**
 * Leases the slot of one upload and reads what is remembered there.
 *
 * @throws {UploadError} `in-progress` while another upload has the slot; `journal-failed`
 */
export async function openSlot(
  journal: Journal,
  { key, account, context }: SlotAddress,
  { replaces = false, onLost = () => {} }: SlotOptions = {},
): Promise<JournalSlot> {
  const lease = await takeLease(journal, `${key}.${context.slice(0, 16)}`);
  if (lease === undefined) {
    const state = "another upload of the same source is under way. Wait for it to end, or stop it";
    throw new UploadError("in-progress", `Cannot upload: ${state}`, { retryable: true });
  }
  const { stop, confirm, confirmAfterPause } = watchLease(lease, onLost);
  const store: Store = { journal, key, replaces, confirm };
  let room: (() => Promise<void>) | undefined;
  /** Whatever is stored first takes the room. */
  let isRoomTaken = false;
  try {
    const entry = await readEntry(store);
    const record = recordIn(entry, context);
    if (record === "unreadable" && !replaces) throw otherShape("its record of this upload");
    // A note that can't be written keeps nobody from uploading: what makes room says whether the journal works.
    const setRequestNote = async (wanted: boolean) => {
      try {
        await update(store, (current) => withNote(current, context, wanted ? account : undefined));
        slot.hasRequestNote = wanted;
        isRoomTaken = true;
      } catch {}
    };
    const slot: JournalSlot = {
      confirm,
      confirmAfterPause,
      record: record === "unreadable" ? undefined : record,
      stored: record !== undefined,
      hasRequestNote: hasNote(entry, context),
      noteRequest: () => setRequestNote(true),
      async clearRequestNote() {
        if (slot.hasRequestNote) await setRequestNote(false);
      },
      async reserve() {
        if (room === undefined || isRoomTaken) {
          await guarded("give back room in", async () => room?.());
          room = await guarded("make room in", async () => journal.reserve?.(key));
          isRoomTaken = false;
        }
        // What comes next makes an asset, of which another process may have one already.
        await confirm();
      },
      async save(changed) {
        slot.record = changed;
        try {
          await update(store, (current) => {
            const answered = withNote(current, context, undefined);
            return withRecord(answered, context, { ...changed, account });
          });
          Object.assign(slot, { stored: true, hasRequestNote: false });
        } catch {
          // The asset exists, and this process knows enough to finish it; `stored` says that another one doesn't.
        }
      },
      async forget() {
        slot.record = undefined;
        if (!slot.stored && !slot.hasRequestNote) return;
        await update(store, (current) =>
          withRecord(withNote(current, context, undefined), context, undefined),
        );
        Object.assign(slot, { stored: false, hasRequestNote: false });
      },
      async release() {
        stop();
        try {
          await guarded("give back room in", async () => room?.());
        } finally {
          await guarded("end a lease in", lease);
        }
      },
    };
    return slot;
  } catch (error) {
    stop();
    await guarded("end a lease in", lease).catch(() => {});
    throw error;
  }
}

/** The contexts of an account's unfinished uploads of a source. An entry that nobody can read is deleted: it has none. */
export async function contextsOf(journal: Journal, key: string, account: string): Promise<string[]> {
  const entry = await findEntry(journal, key);
  if (!(entry instanceof UploadError)) return contextsIn(entry, account);
  await update({ journal, key, replaces: true, confirm: async () => {} }, (current) => current);
  return [];
}

/** Where an upload is stored, and what says that it may write there. */
interface Store {
  journal: Journal;
  key: string;
  replaces: boolean;
  confirm(): Promise<void>;
}

async function readEntry({ journal, key, replaces }: Store): Promise<ReadEntry> {
  const entry = await findEntry(journal, key);
  if (!(entry instanceof UploadError)) return entry;
  if (replaces) return EMPTY_ENTRY;
  throw entry;
}

/** The entry of a source, or the error for one that can't be read, as opposed to a journal that fails. */
async function findEntry(journal: Journal, key: string): Promise<ReadEntry | UploadError> {
  let stored: unknown;
  try {
    stored = await guarded("read", () => journal.get(key));
  } catch (error) {
    // Trying again would end in the same.
    if (error instanceof UploadError && error.code === "journal-failed" && !error.retryable) return error;
    throw error;
  }
  if (stored === undefined) return EMPTY_ENTRY;
  return parseEntry(stored) ?? otherShape("its entry for this source");
}

function otherShape(what: string): UploadError {
  return new UploadError(
    "journal-failed",
    `Cannot resume from the journal: ${what} has another shape, perhaps of another version. ` +
      "Upload with resume: false, or discard() it, or use another journal",
  );
}

const WRITE_TIMEOUT = 5_000;

/** Entries are shared by the uploads of one source, so each change is made under a short lease of its own. */
async function update(store: Store, change: (entry: ReadEntry) => ReadEntry): Promise<void> {
  const { journal, key, confirm } = store;
  const lease = await waitForLease(journal, `${key}.write`);
  try {
    const entry = toStore(change(await readEntry(store)));
    // A process that was suspended since it read would undo what others wrote.
    await confirm();
    if ((await guarded("check a lease in", async () => lease.isHeld?.())) === false) throw leaseTaken();
    await guarded("write", () => (entry === undefined ? journal.delete(key) : journal.set(key, entry)));
  } finally {
    await guarded("end a lease in", lease);
  }
}

function takeLease(journal: Journal, key: string): Promise<Lease | undefined> {
  return guarded("take a lease in", async () => {
    const lease: unknown = await journal.claim(key);
    // Some stores say null where there is nothing.
    if (lease === undefined || lease === null) return undefined;
    if (isLease(lease)) return lease;
    throw new TypeError("a lease is a function");
  });
}

function isLease(value: unknown): value is Lease {
  return typeof value === "function" && (!("isHeld" in value) || typeof value.isHeld === "function");
}

async function waitForLease(journal: Journal, key: string): Promise<Lease> {
  const deadline = Date.now() + WRITE_TIMEOUT;
  for (;;) {
    const lease = await takeLease(journal, key);
    if (lease !== undefined) return lease;
    if (Date.now() > deadline) throw leaseTaken();
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 30));
  }
}

function leaseTaken(): UploadError {
  const state = "another process has its lease";
  return new UploadError("journal-failed", `Cannot write the journal: ${state}`, { retryable: true });
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
