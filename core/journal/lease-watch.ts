/**
 * The watch over an upload's lease: asked before each request, every second, and before another byte is handed over
 * once more time went by than that.
 *
 * A process may be suspended (a stopped job, a closed laptop) for longer than its lease lives. Another one then takes over, and
 * the upload host, which knows no leases, would take the bytes of both. When it wakes, its timers and sockets go on in any
 * order. So whatever sends or believes something looks at the clock first, and asks for the lease if time has passed unseen.
 */

import { UploadError } from "../errors/errors.ts";
import { untilAborted } from "../time/abort.ts";
import { startStopwatch } from "../time/clock.ts";
import type { Lease } from "./journal.ts";

const CHECK_INTERVAL = 1_000;
/** Milliseconds without a check after which nothing more is handed over unchecked: less than any lease lives. */
const LONGEST_UNCHECKED = 2_000;
/** Milliseconds for an answer of the journal: without one nobody knows whose the lease is. */
const ANSWER_TIMEOUT = 10_000;

export interface LeaseWatch {
  /** Asks whether the lease is still held; rejects with `in-progress` if it isn't. */
  confirm(): Promise<void>;
  /** Confirms the lease, but asks only if the last answer is too old, as it is after the process was suspended. */
  confirmAfterPause(): Promise<void>;
  stop(): void;
}

/** @param onLost called once, when the lease turns out to be another's */
export function watchLease(lease: Lease, onLost: (error: UploadError) => void): LeaseWatch {
  if (lease.isHeld === undefined)
    return { confirm: async () => {}, confirmAfterPause: async () => {}, stop() {} };
  let lost: UploadError | undefined;
  let stopped = false;
  let sinceHeld = startStopwatch();
  let isChecking = false;

  const confirm = async () => {
    // The answer is true of some moment after this one.
    const sinceAsked = startStopwatch();
    if (lost === undefined && !(await isHeld(lease)) && lost === undefined) {
      const state = "another upload of the same source took over while this one stood still";
      lost = new UploadError("in-progress", `Cannot upload: ${state}. Wait for it to end, or stop it`);
      if (!stopped) onLost(lost);
    }
    if (lost !== undefined) throw lost;
    if (sinceAsked() < sinceHeld()) sinceHeld = sinceAsked;
  };

  const check = async () => {
    if (isChecking) return;
    isChecking = true;
    // `onLost` tells that the lease is lost.
    await confirm().catch(() => {});
    isChecking = false;
  };
  const timer = setInterval(check, CHECK_INTERVAL);

  return {
    confirm,
    async confirmAfterPause() {
      if (lost !== undefined) throw lost;
      if (sinceHeld() > LONGEST_UNCHECKED) await confirm();
    },
    stop() {
      stopped = true;
      clearInterval(timer);
    },
  };
}

async function isHeld(lease: Lease): Promise<boolean> {
  const asked = async () => (await lease.isHeld?.()) !== false;
  const limit = { milliseconds: ANSWER_TIMEOUT, late: () => new Error("no answer") };
  return await untilAborted(asked(), undefined, limit).catch(() => false);
}
