/** Which failed uploads are worth trying again as they are. Pure. */
import { errorFacts, type NextStep } from "../../core/validate.ts";
import type { Job } from "./job.ts";

/** The same would happen again, or it takes another file, other fields, or a new upload first. */
const NEED_MORE: ReadonlySet<NextStep> = new Set([
  "choose-other-source",
  "check-request",
  "give-source-again",
  "start-over",
]);

/** Tells whether a failed upload may succeed when it is only tried again. */
export function canBeRetried({ state, error }: Pick<Job, "state" | "error">): boolean {
  return state === "failed" && (error === undefined || !NEED_MORE.has(errorFacts(error.code).next));
}
