/** One upload's slot in a journal: leased, read, and written whole. */

import { UploadError } from "../errors/errors.ts";
import type { ProgressMeter } from "../progress/progress.ts";
import { abandon, briefly, delay, type Held, untilAborted } from "../time/abort.ts";
import { contextsIn, recordIn, withNote, withRecord } from "./entry.ts";
import type { Journal, Lease, UploadRecord } from "./journal.ts";
import { type LeaseWatch, watchLease } from "./lease-watch.ts";
import {
  findEntry,
  guarded,
  otherShape,
  placeOf,
  readEntry,
  type Store,
  takeLease,
  update,
} from "./store.ts";

/** One upload's slot in a journal, leased until it is released. Once the lease is another's, nothing is written. */
export interface JournalSlot extends Pick<LeaseWatch, "confirm" | "confirmAfterPause"> {
  record: UploadRecord | undefined;
  /** True if the journal holds a record of this upload, be it an earlier one. */
  stored: boolean;
  /** True if the journal holds the record as it is now. */
  isCurrent: boolean;
  /** True if the journal holds a note that an earlier call asked for a location and ended without an answer. */
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
  /** Keeps the lease until work has ended, though the call may end before. */
  keepDuring<T>(work: Promise<T>): Promise<T>;
  /** Gives back the lease; called again, it waits for the same. Work that keeps it isn't waited for. */
  release(): Promise<void>;
}

export interface SlotAddress {
  key: string;
  /** A digest of the requester's scope. */
  account: string;
  /** A digest of scope, method and request. */
  context: string;
}

export interface SlotOptions {
  /** True to replace an entry that can't be read, instead of an error. @default false */
  replaces?: boolean;
  /** Called once if the slot becomes another's. */
  onLost?: (error: UploadError) => void;
  /** Is told how the lease is given back, also while this call hangs. */
  held?: Held;
  /** Once it is aborted, the next call of this process waits until the lease is given back. */
  signal?: AbortSignal;
  /** True to wait until another upload that has the slot ends, instead of an error. @default false */
  waits?: boolean;
}

/** The calls of this process that have a lease, or are about to get it. */
const leasings = new Set<{
  place: string | Journal;
  name: string;
  signal: AbortSignal;
  ended: Promise<void>;
}>();

/** Longer than a request for a location goes on, and nothing that a store which hangs could stretch. */
const LONGEST_KEPT = { milliseconds: 65_000, late: () => undefined };

/** Milliseconds between two looks whether the other upload of a source has ended. */
const WAIT = 250;

/**
 * Leases the slot of one upload and reads what is remembered there.
 *
 * @throws {UploadError} `in-progress` while another upload has the slot, unless it waits; `journal-failed`
 */
export async function openSlot(
  journal: Journal,
  address: SlotAddress,
  options: SlotOptions = {},
): Promise<JournalSlot> {
  const { waits = false, signal } = options;
  const name = `${address.key}.${address.context.slice(0, 16)}`;
  for (;;) {
    // A call that was aborted before this look gives the key back soon.
    const ending = [...leasings].filter(
      (each) => each.name === name && each.place === placeOf(journal) && each.signal.aborted,
    );
    const slot = await claimSlot(journal, name, address, options);
    if (slot !== undefined) return slot;
    if (ending.length > 0) await untilAborted(Promise.all(ending.map(({ ended }) => ended)), signal);
    else if (waits) await delay(WAIT, signal);
    else {
      const state = "another upload of the same source is under way. Wait for it to end, or stop it";
      throw new UploadError("in-progress", `Cannot upload: ${state}`);
    }
  }
}

async function claimSlot(
  journal: Journal,
  name: string,
  { key, account, context }: SlotAddress,
  { replaces = false, onLost = () => {}, held, signal = new AbortController().signal }: SlotOptions,
): Promise<JournalSlot | undefined> {
  signal.throwIfAborted();
  const claim = takeLease(journal, name);
  let room: (() => Promise<void>) | undefined;
  const giveRoomBack = () => guarded("give back room in", async () => room?.());
  let watch: LeaseWatch | undefined;
  const end = async (taken: Lease | undefined) => {
    watch?.stop();
    try {
      await giveRoomBack();
    } finally {
      if (taken !== undefined) await guarded("end a lease in", taken);
    }
  };
  let released: Promise<void> | undefined;
  let keeping: Promise<unknown> | undefined;
  let noteEnd = () => {};
  const ended = new Promise<void>((resolve) => (noteEnd = resolve));
  const leasing = { place: placeOf(journal), name, signal, ended };
  leasings.add(leasing);
  const giveBack = async () => {
    if (keeping !== undefined) await untilAborted(keeping, undefined, LONGEST_KEPT).catch(() => {});
    const ending = claim.then(end);
    // A store that hangs keeps no other call waiting.
    void briefly(ending).then(() => {
      leasings.delete(leasing);
      noteEnd();
    });
    await ending;
  };
  const release = async () => {
    released ??= giveBack();
    if (keeping === undefined) await released;
    else abandon(() => released);
  };
  if (held !== undefined) held.giveBack = release;
  try {
    const lease = await claim;
    if (lease === undefined) {
      await release();
      return undefined;
    }
    // The call ended while the journal was asked.
    if (released !== undefined) throw signal.reason;
    watch = watchLease(lease, onLost);
    const { confirm, confirmAfterPause } = watch;
    const store: Store = { journal, key, replaces, confirm: confirmAfterPause };
    const found = await readRecord(store, context);
    // A note that can't be written keeps nobody from uploading: what makes room says whether the journal works.
    const setRequestNote = async (wanted: boolean) => {
      try {
        await update(store, (current) => withNote(current, context, wanted ? account : undefined));
        slot.hasRequestNote = wanted;
      } catch {}
    };
    const storeRecord = async (changed: UploadRecord | undefined) => {
      const { record: given } = slot;
      await update(store, (current) => withRecord(current, context, changed));
      // Another one may be on its way to the journal by now.
      const isCurrent = slot.record === given;
      Object.assign(slot, { stored: changed !== undefined, isCurrent, hasRequestNote: false });
    };
    const slot: JournalSlot = {
      confirm,
      confirmAfterPause,
      ...found,
      isCurrent: true,
      noteRequest: () => setRequestNote(true),
      async clearRequestNote() {
        if (slot.hasRequestNote) await setRequestNote(false);
      },
      async reserve() {
        // Room is made anew each time, since an entry that was stored meanwhile has used it.
        await giveRoomBack();
        room = await guarded("make room in", async () => journal.reserve?.(key));
        // The next step makes an asset, and another process may have made one already.
        await confirm();
      },
      async save(changed) {
        Object.assign(slot, { record: changed, isCurrent: false });
        // The asset exists, and this process knows enough to finish it; `stored` says that another one doesn't.
        await storeRecord({ ...changed, account }).catch(() => {});
      },
      async forget() {
        slot.record = undefined;
        if (slot.stored || slot.hasRequestNote) await storeRecord(undefined);
      },
      async keepDuring(work) {
        keeping = work;
        try {
          return await work;
        } finally {
          keeping = undefined;
        }
      },
      release,
    };
    return slot;
  } catch (error) {
    await release().catch(() => {});
    throw error;
  }
}

/** Reads the record and the note of one upload; a record that can't be read is an error, unless it is replaced. */
export async function readRecord(
  place: Pick<Store, "journal" | "key" | "replaces">,
  context: string,
): Promise<Pick<JournalSlot, "record" | "stored" | "hasRequestNote">> {
  const entry = await readEntry(place);
  const record = recordIn(entry, context);
  if (record === "unreadable" && !place.replaces) throw otherShape("its record of this upload");
  const [stored, hasRequestNote] = [record !== undefined, entry.requested.has(context)];
  return { record: record === "unreadable" ? undefined : record, stored, hasRequestNote };
}

/** The contexts of an account's unfinished uploads of a source. An entry that nobody can read is deleted: it has none. */
export async function contextsOf(journal: Journal, key: string, account: string): Promise<string[]> {
  const entry = await findEntry(journal, key);
  if (!(entry instanceof UploadError)) return contextsIn(entry, account);
  await update({ journal, key, replaces: true, confirm: async () => {} }, (current) => current);
  return [];
}

/** The record with what the service is known to have; unchanged where it has not said so in this call. */
export function withAcknowledged(record: UploadRecord, meter: ProgressMeter): UploadRecord {
  return meter.isAcknowledged ? { ...record, acknowledged: meter.acknowledged } : record;
}

/**
 * Stores the acknowledged bytes, unless they are stored already or there is nothing to resume.
 *
 * @returns whether it was written
 */
export async function noteAcknowledged(slot: JournalSlot, meter: ProgressMeter): Promise<boolean> {
  const { record, stored } = slot;
  if (record === undefined || !stored) return false;
  const noted = withAcknowledged(record, meter);
  if (noted.acknowledged === record.acknowledged) return false;
  await slot.save(noted);
  return true;
}
