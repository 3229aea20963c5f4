/** The error of a failed upload. */

import { errorFacts } from "../error-codes.ts";
import { isUpcutError, withResume } from "../errors.ts";
import { locationSecrets } from "../journal/entry.ts";
import type { UploadRecord } from "../journal/journal.ts";
import type { ProgressMeter } from "../progress/progress.ts";
import { excerpt } from "../redaction/redaction.ts";
import { isRequesterFailure } from "../requester.ts";
import { unexpectedFailure } from "../unexpected-failure.ts";

/** The error of a failed upload, with what can be resumed after it; a requester's own as it came. */
export function failureOf(
  thrown: unknown,
  record: UploadRecord | undefined,
  meter: ProgressMeter,
  secrets: string[],
): unknown {
  if (!isUpcutError(thrown) && isRequesterFailure(thrown)) return thrown;
  const error = isUpcutError(thrown) ? thrown : unexpectedFailure("upload", thrown);
  if (record === undefined || error.code === "in-progress") return error;
  const { kept } = errorFacts(error.code);
  const possible = meter.resumable() && kept !== "asset" && kept !== "unknown";
  // The service chose it, and may have put into it what it was sent.
  const assetId = excerpt(record.asset.id, [...secrets, ...locationSecrets(record)]);
  return withResume(error, { assetId, offset: meter.acknowledged, possible });
}
