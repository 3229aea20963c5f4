/**
 * Claims of a journal whose store looks at a token with each write: which leases for writing this journal holds, and which
 * sources it began to write without coming to the end.
 */
import { isObject } from "../is-object.ts";
import type { Lease } from "../journal/journal.ts";
import { startStopwatch } from "../stopwatch.ts";
import { failed } from "./commands.ts";

/** Entries are written within milliseconds: less than those who want to write next wait. */
const WRITE_LEASE_TIMEOUT = 4_000;

export interface Claims {
  claim(key: string): Promise<Lease | undefined>;
  /** The token under which an entry is written now; empty without a lease. */
  fenceOf(key: string): string;
  /** True if a write came to its end: the store said then whether its token was right. */
  wrote(key: string, isFenceRight: boolean): void;
  /**
   * Makes sure that the note of a request stands, if the last write of a source did not come to its end: what may make an
   * asset must be known to the next process.
   */
  confirmNote(key: string, read: () => Promise<unknown>): Promise<void>;
}

/** @param leaseTimeout milliseconds after which a claim is free whose holder gave no sign of life */
export function claimsIn(store: LeaseStore, leaseTimeout: number): Claims {
  const tokens = new Map<string, string>();
  const unwritten = new Set<string>();
  return {
    async claim(key) {
      if (!key.endsWith(WRITING))
        return (await leaseIn(store, { key, timeout: leaseTimeout, isFenced: false }))?.lease;
      unwritten.add(key.slice(0, -WRITING.length));
      const held = await leaseIn(store, { key, timeout: WRITE_LEASE_TIMEOUT, isFenced: true });
      if (held === undefined) return undefined;
      const { lease, token } = held;
      tokens.set(key, token);
      const release = async () => {
        if (tokens.get(key) === token) tokens.delete(key);
        await lease();
      };
      return Object.assign(release, { isHeld: async () => (await lease.isHeld?.()) ?? true });
    },
    fenceOf: (key) => tokens.get(writingKey(key)) ?? "",
    wrote(key, isFenceRight) {
      if (!isFenceRight) throw failed("its lease has become another's");
      unwritten.delete(key);
    },
    async confirmNote(key, read) {
      if (unwritten.has(key) && !isNoted(await read()))
        throw failed("it could not note that an asset is asked for. Nothing was asked");
    },
  };
}

const WRITING = ".write";

export function writingKey(key: string): string {
  return `${key}${WRITING}`;
}

function isNoted(entry: unknown): boolean {
  return isObject(entry) && Array.isArray(entry.requested) && entry.requested.length > 0;
}

/** The commands of a store for leases: each is carried out whole, and may be carried out twice. */
export interface LeaseStore {
  /**
   * Takes or renews a key for so many milliseconds, unless it holds another's token. One that the store lost is taken
   * again, so that ends no upload.
   *
   * @param within milliseconds for the answer
   * @returns whether the key now holds the token
   */
  hold(key: string, token: string, timeout: number, within?: number): Promise<boolean>;
  /** Gives a key back, unless it is another's by now. */
  release(key: string, token: string): Promise<void>;
}

/** Renewals in the time after which a lease is free. */
const HEARTBEATS = 6;
/** Milliseconds for an answer about a lease; without one the clock says whether it is held. */
const ANSWER_TIMEOUT = 1_000;
/** Milliseconds for which an upload sends bytes after it was told that its lease is held. */
const LONGEST_UNCHECKED = 2_000;

export interface LeaseTerms {
  key: string;
  /** Milliseconds after which it is free without a renewal. */
  timeout: number;
  /** True if the store checks the token with each command under it. */
  isFenced: boolean;
}

export interface HeldLease {
  token: string;
  lease: Lease;
}

/**
 * Leases a key, which belongs to whoever's token it holds, for as long as that one renews it; `undefined` while it is
 * another's.
 */
export async function leaseIn(
  store: LeaseStore,
  { key, timeout, isFenced }: LeaseTerms,
): Promise<HeldLease | undefined> {
  const token = crypto.randomUUID();
  const hold = (within?: number) => store.hold(key, token, Math.ceil(timeout), within);
  /** A lease that can't be given back ends by itself. */
  const giveBack = () => store.release(key, token).catch(() => {});
  let sinceRenewed = startStopwatch();
  try {
    if (!(await hold())) return undefined;
  } catch (error) {
    // It may have been taken all the same, or be taken later.
    void giveBack();
    throw error;
  }
  // Nothing may be sent under it when another one may have it; what the store itself refuses needs no such margin.
  const holds = () => sinceRenewed() <= (isFenced ? timeout : timeout - LONGEST_UNCHECKED);
  let isLost = !holds();
  let renewals: Promise<unknown> = Promise.resolve();

  const renew = async (): Promise<boolean> => {
    // One that ended is not taken again: another may have had it, and be done with it.
    isLost ||= sinceRenewed() > timeout;
    if (isLost) return false;
    const sinceAsked = startStopwatch();
    const renewal = hold(ANSWER_TIMEOUT).catch(() => undefined);
    renewals = Promise.all([renewals, renewal]);
    const answer = await renewal;
    if (answer === false) isLost = true;
    else if (answer && sinceAsked() < sinceRenewed()) sinceRenewed = sinceAsked;
    isLost ||= !holds();
    return !isLost;
  };
  const heartbeat = setInterval(() => {
    if (sinceRenewed() > timeout / HEARTBEATS / 2) void renew();
  }, timeout / HEARTBEATS);
  letProcessEnd(heartbeat);

  const release = async () => {
    clearInterval(heartbeat);
    isLost = true;
    // One that arrives later would take the key again.
    await renewals;
    await giveBack();
  };
  return { token, lease: Object.assign(release, { isHeld: renew }) };
}

/** Keeps a timer from keeping the process alive; where timers are numbers, none does. */
function letProcessEnd(timer: unknown): void {
  if (isObject(timer) && typeof timer.unref === "function") timer.unref();
}
