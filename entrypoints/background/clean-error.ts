/** Takes the account's token out of what an upload host said: the document that uploads doesn't know it. */
import type { ErrorRecord } from "../../core/mod.ts";
import { redact } from "../../core/validate.ts";
import { readAccount } from "../shared/settings.ts";

export async function cleanError(error: ErrorRecord): Promise<ErrorRecord> {
  const secrets = [(await readAccount()).token];
  const { details } = error;
  return {
    ...error,
    message: redact(error.message, secrets),
    ...(details && { details: details.map((detail) => redact(detail, secrets)) }),
  };
}
