/** The calls to a journal, whoever wrote it: entries, leases and reserved space, and errors without its store's words. */
import { UploadError } from "../errors/errors.ts";
import { codeOf } from "../errors/unexpected-failure.ts";
import { startStopwatch, startTimer } from "../time/clock.ts";
import { EMPTY_ENTRY, parseEntry, type ReadEntry, toStore } from "./entry.ts";
import type { Journal, Lease } from "./journal.ts";
import { writingKey } from "./terms.ts";

/** Where an upload is stored, and what says that it may write there. */
export interface Store {
  journal: Journal;
  key: string;
  replaces: boolean;
  confirm(): Promise<void>;
}

const PLACE: unique symbol = Symbol("place");

/** Says where a journal keeps its entries, since one that is opened anew for each call is the same. */
export function inPlace(journal: Required<Journal>, place: string): Required<Journal> {
  return Object.assign(journal, { [PLACE]: place });
}

export function placeOf(journal: Journal & { readonly [PLACE]?: string }): string | Journal {
  return journal[PLACE] ?? journal;
}

/** The entry of a source; one that can't be read is an error, unless it is replaced. */
export async function readEntry({ journal, key, replaces }: Omit<Store, "confirm">): Promise<ReadEntry> {
  const entry = await findEntry(journal, key);
  if (!(entry instanceof UploadError)) return entry;
  if (replaces) return EMPTY_ENTRY;
  throw entry;
}

/** The entry of a source, or the error for one that can't be read, as opposed to a journal that fails. */
export async function findEntry(journal: Journal, key: string): Promise<ReadEntry | UploadError> {
  let stored: unknown;
  try {
    stored = await guarded("read", () => journal.get(key));
  } catch (error) {
    // Trying again would end in the same.
    if (error instanceof UploadError && error.code === "journal-failed" && !error.retryable) return error;
    throw error;
  }
  // Many stores say null where there is nothing.
  if (stored === undefined || stored === null) return EMPTY_ENTRY;
  return parseEntry(stored) ?? otherShape("its entry for this source");
}

const ADVICE = "Upload with resume: false, or discard() it";

/** The error for what can't be read of a journal: trying again would end in the same. */
export function cannotResume(state: string, advice: string = ADVICE): UploadError {
  return new UploadError("journal-failed", `Cannot resume from the journal: ${state}. ${advice}`);
}

/** The error for what another version may have stored. */
export function otherShape(what: string): UploadError {
  const state = `${what} has another shape, perhaps of another version`;
  return cannotResume(state, `${ADVICE}, or use another journal`);
}

const WRITE_TIMEOUT = 5_000;
/** Milliseconds without a check after which nothing is written unchecked: less than any lease lives. */
const LONGEST_UNCHECKED = 1_000;

/** Entries are shared by the uploads of one source, so each change is made under a short lease of its own. */
export async function update(store: Store, change: (entry: ReadEntry) => ReadEntry): Promise<void> {
  const { journal, key, confirm } = store;
  const lease = await waitForLease(journal, writingKey(key));
  const sinceLeased = startStopwatch();
  try {
    const entry = toStore(change(await readEntry(store)));
    await confirm();
    // A process that was suspended since it read would undo what others wrote.
    const isHeld = () => guarded("check a lease in", async () => lease.isHeld?.());
    if (sinceLeased() > LONGEST_UNCHECKED && (await isHeld()) === false) throw leaseTaken();
    await guarded("write", () => (entry === undefined ? journal.delete(key) : journal.set(key, entry)));
  } finally {
    await guarded("end a lease in", lease);
  }
}

export function takeLease(journal: Journal, key: string): Promise<Lease | undefined> {
  return guarded("take a lease in", async () => {
    const lease: unknown = await journal.claim(key);
    // Some stores say null where there is nothing.
    if (lease === undefined || lease === null) return undefined;
    if (typeof lease === "function" && (!("isHeld" in lease) || typeof lease.isHeld === "function"))
      return lease as Lease;
    throw new TypeError("a lease is a function");
  });
}

async function waitForLease(journal: Journal, key: string): Promise<Lease> {
  const waited = startTimer();
  for (;;) {
    const lease = await takeLease(journal, key);
    if (lease !== undefined) return lease;
    if (waited() > WRITE_TIMEOUT) throw leaseTaken();
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 30));
  }
}

export function leaseTaken(): UploadError {
  const state = "another process has its lease";
  return new UploadError("journal-failed", `Cannot write the journal: ${state}`, { retryable: true });
}

/** An adapter's failure may show paths, keys or values: only its kind leaves. */
export async function guarded<T>(action: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UploadError) throw error;
    const words = [codeOf(error), error instanceof Error ? error.name : undefined];
    const reason = words.find((word) => word !== undefined && /^\w{2,40}$/.test(word)) ?? "unknown reason";
    const more = { retryable: true, cause: error };
    throw new UploadError("journal-failed", `Cannot ${action} the journal: ${reason}`, more);
  }
}
