/** A lease in a store elsewhere: a key holds the token of whoever has it, for as long as that one renews it. */

import type { Lease } from "../journal/journal.ts";
import { isObject } from "../text/is-object.ts";
import { startStopwatch } from "../time/clock.ts";

/** The commands of a store for leases: each is carried out whole, and may be carried out twice. */
export interface LeaseStore {
  /**
   * Takes or renews a key for so many milliseconds, unless it holds another's token. One that the store lost is taken
   * again, so that ends no upload.
   *
   * @returns whether the key now holds the token
   */
  hold(key: string, token: string, timeout: number, terms?: HoldTerms): Promise<boolean>;
  /** Gives a key back, unless it is another's by now. */
  release(key: string, token: string): Promise<void>;
}

export interface HoldTerms {
  /** Milliseconds for the answer. */
  within?: number | undefined;
  /** True if a key without a token is not taken: it has ended. */
  onlyRenews?: boolean | undefined;
}

/** Renewals in the time after which a lease is free. */
const HEARTBEATS = 6;
/** Milliseconds for an answer about a lease; without one the clock says whether it is held. */
const ANSWER_TIMEOUT = 1_000;
/** Milliseconds for which an upload sends bytes after it was told that its lease is held. */
const LONGEST_UNCHECKED = 2_000;

interface LeaseTerms {
  key: string;
  /** Milliseconds after which it is free without a renewal. */
  timeout: number;
  /** True if the store checks the token with each command under it. */
  isFenced: boolean;
}

/**
 * Leases a key, which belongs to whoever's token it holds, for as long as that one renews it; `undefined` while it is
 * another's.
 */
export async function leaseIn(
  store: LeaseStore,
  { key, timeout, isFenced }: LeaseTerms,
): Promise<(Lease & { isHeld(): Promise<boolean>; token: string }) | undefined> {
  const token = crypto.randomUUID();
  const hold = (terms?: HoldTerms) => store.hold(key, token, Math.ceil(timeout), terms);
  /** A lease that can't be given back ends by itself. */
  const giveBack = () => store.release(key, token).catch(() => {});
  let sinceRenewed = startStopwatch();
  try {
    if (!(await hold())) return undefined;
  } catch (error) {
    // The key may have been taken all the same, or be taken later.
    void giveBack();
    throw error;
  }
  // Nothing may be sent under it when another one may have it; what the store itself refuses needs no such margin.
  const holds = () => sinceRenewed() <= (isFenced ? timeout : timeout - LONGEST_UNCHECKED);
  let isLost = false;
  let renewals: Promise<unknown> = Promise.resolve();
  /** True if a renewal had no answer: it may be carried out later, and take a key that has ended. */
  let mayTakeLater = false;

  const renew = async (): Promise<boolean | undefined> => {
    // A key that ended is not taken again: another may have had it, and be done with it. A date that was set forward looks
    // the same; the store tells which it is.
    const onlyRenews = sinceRenewed() > timeout;
    if (onlyRenews) await renewals;
    if (onlyRenews && mayTakeLater) return false;
    const sinceAsked = startStopwatch();
    const renewal = hold({ within: ANSWER_TIMEOUT, onlyRenews }).catch(() => undefined);
    renewals = Promise.all([renewals, renewal]);
    const answer = await renewal;
    mayTakeLater ||= answer === undefined && !onlyRenews;
    if (answer && sinceAsked() < sinceRenewed()) sinceRenewed = sinceAsked;
    return answer;
  };
  const isHeld = async (): Promise<boolean> => {
    if (isLost) return false;
    let answer = await renew();
    // The process was suspended, or the date set, before the answer came.
    if (answer && !isLost && !holds()) answer = await renew();
    isLost ||= answer === false || !holds();
    return !isLost;
  };
  const heartbeat = setInterval(() => {
    if (sinceRenewed() > timeout / HEARTBEATS / 2) void isHeld();
  }, timeout / HEARTBEATS);
  letProcessEnd(heartbeat);

  const release = async () => {
    clearInterval(heartbeat);
    isLost = true;
    // A renewal that arrives later would take the key again.
    await renewals;
    await giveBack();
  };
  return Object.assign(release, { isHeld, token });
}

/** Keeps a timer from keeping the process alive; where timers are numbers, none does. */
function letProcessEnd(timer: unknown): void {
  if (isObject(timer) && typeof timer.unref === "function") timer.unref();
}
