/** Which failed uploads are worth trying again as they are. Pure. */
import { errorFacts, type NextStep } from "../../core/validate.ts";
import { type Job, lacksFields } from "./job.ts";

/** The same would happen again, or it takes another file, other fields, or a new upload first. */
const NEED_MORE: ReadonlySet<NextStep> = new Set([
  "choose-other-source",
  "check-request",
  "give-source-again",
  "start-over",
]);

/** Tells whether a failed upload may succeed when it is only tried again. */
export function canBeRetried(job: Job): boolean {
  const { state, error } = job;
  if (state !== "failed" || lacksFields(job)) return false;
  return error === undefined || !NEED_MORE.has(errorFacts(error.code).next);
}
