/** Which failures can be fixed in the options, and by what. Pure. */
import { errorFacts, type NextStep } from "../../core/validate.ts";
import { isFault } from "./fault.ts";
import type { Job } from "./job.ts";

/** What an upload failed for. */
export type AccountFault = "token" | "address";

const FAULTS: Partial<Record<NextStep, AccountFault>> = {
  "check-options": "token",
  "check-token": "token",
  "check-address": "address",
  "check-connection": "address",
};

/** What a job failed for, where that is set in the options. */
export function accountFault({ state, error }: Job): AccountFault | undefined {
  return state !== "failed" || error === undefined || isFault(error)
    ? undefined
    : FAULTS[errorFacts(error.code).next];
}
