/** Which failures can be fixed in the options, and by what. Pure. */
import { errorFacts, type NextStep } from "../../core/validate.ts";
import { isFault } from "./fault.ts";
import type { Job } from "./job.ts";

/** The setting that an upload failed for. */
export type AccountFault = "token" | "address";

const FAULTS: Partial<Record<NextStep, AccountFault>> = {
  "check-options": "token",
  "check-token": "token",
  "check-address": "address",
  "check-connection": "address",
};

/** The setting that a job failed for, where it failed for one. */
export function accountFault({ state, error }: Job): AccountFault | undefined {
  return state !== "failed" || error === undefined || isFault(error)
    ? undefined
    : FAULTS[errorFacts(error.code).next];
}
