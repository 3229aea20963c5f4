/** The next steps that core names for its errors, with a row for each: a new one doesn't compile without. Pure. */
import { errorFacts, type NextStep } from "../../core/extension.ts";
import { isFault } from "./fault.ts";
import { isEnded, isRunning, type Job, lacksFields } from "./job.ts";

export type AccountFault = "token" | "address";

interface StepFacts {
  /** The setting of an upload's account that is to be corrected. */
  fault?: AccountFault;
  /** Set where an upload needs another file, other fields or a new upload first: as it is, the same would happen again. */
  needsMore?: true;
  /** The place of the step after a stream wasn't ended, where it isn't to try again. */
  place?: "id" | "options";
}

const STEPS: Record<NextStep, StepFacts> = {
  "check-options": { fault: "token" },
  "check-token": { fault: "token", place: "options" },
  "check-address": { fault: "address", place: "options" },
  "check-connection": { fault: "address" },
  "check-id": { place: "id" },
  "check-request": { needsMore: true },
  "choose-other-source": { needsMore: true },
  "give-source-again": { needsMore: true },
  "start-over": { needsMore: true },
  "reach-source": {},
  "look-into-account": {},
  "read-details": {},
  wait: {},
  "try-again": {},
};

export function stepAfter(code: string): StepFacts {
  return STEPS[errorFacts(code).next];
}

export function accountFault({ state, error }: Job): AccountFault | undefined {
  return state !== "failed" || error === undefined || isFault(error)
    ? undefined
    : stepAfter(error.code).fault;
}

/** Tells whether it goes on with the account that it was given for, whichever is set: not where that one's token failed. */
export const goesOnWithOwn = (job: Job): boolean => job.asset !== undefined && accountFault(job) !== "token";

/** Tells whether it waits for an account that isn't set now. */
export const waitsForAccount = (job: Job): boolean => job.otherAccount !== undefined && !goesOnWithOwn(job);

/** Tells whether the account that is set now is offered to it: it failed for the former one, or was given for that. */
export function isOffered(job: Job): boolean {
  if (!waitsForAccount(job)) return job.retryOffered === true && accountFault(job) !== undefined;
  return job.otherAccount?.isKept === false && !isRunning(job) && !isEnded(job);
}

/** Tells whether a failed upload may succeed when it is only tried again. */
export function canBeRetried(job: Job): boolean {
  const { state, error } = job;
  if (state !== "failed" || lacksFields(job)) return false;
  if (waitsForAccount(job) && job.otherAccount?.isKept) return false;
  return error === undefined || !stepAfter(error.code).needsMore;
}
