/** Takes the account's token out of what an upload host said: the document that uploads doesn't know it. */
import type { ErrorRecord } from "../../core/mod.ts";
import { redact } from "../../core/validate.ts";
import { readAccount } from "../shared/settings.ts";

export async function cleanError(error: ErrorRecord): Promise<ErrorRecord> {
  const secrets = [(await readAccount()).token];
  const { details, resume } = error;
  return {
    ...error,
    message: redact(error.message, secrets),
    ...(details && { details: cleanDetails(details, secrets) }),
    ...(resume && { resume: { ...resume, assetId: redact(resume.assetId, secrets) } }),
  };
}

/** The sentences by themselves, or what stands for all of them where the token is divided among them. */
function cleanDetails(details: readonly string[], secrets: string[]): string[] {
  const whole = redact(details.join(""), secrets);
  return whole === redact(details.join("")) ? details.map((detail) => redact(detail, secrets)) : [whole];
}
