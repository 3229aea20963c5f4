/** Which failures can be fixed in the options, and by what. Pure. */
import type { ErrorCode } from "../../core/mod.ts";
import { entryOf } from "./entry-of.ts";
import { isFault } from "./fault.ts";
import type { Job } from "./job.ts";

/** What an upload failed for. */
export type AccountFault = "token" | "address";

const FAULTS: Partial<Record<ErrorCode, AccountFault>> = {
  "invalid-option": "token",
  unauthorized: "token",
  forbidden: "token",
  "origin-refused": "token",
  "wrong-address": "address",
  redirected: "address",
  "unexpected-answer": "address",
  unreachable: "address",
};

/** What a job failed for, where that is set in the options. */
export function accountFault({ state, error }: Job): AccountFault | undefined {
  return state !== "failed" || error === undefined || isFault(error)
    ? undefined
    : entryOf(FAULTS, error.code);
}
