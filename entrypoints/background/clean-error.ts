/** Takes the account's token out of what an upload host said: the document that uploads doesn't know it. */
import type { ErrorRecord } from "../../core/mod.ts";
import { redact } from "../../core/redaction.ts";
import { readAccount } from "../shared/settings.ts";

export async function cleanError(error: ErrorRecord): Promise<ErrorRecord> {
  const secrets = [(await readAccount()).token];
  const { sentences } = error;
  return {
    ...error,
    message: redact(error.message, secrets),
    ...(sentences && { sentences: sentences.map((sentence) => redact(sentence, secrets)) }),
  };
}
