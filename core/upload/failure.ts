/**
 * What a failed upload throws.
 *
 * @module
 */

import { type ErrorCode, isUpcutError, withResume } from "../errors.ts";
import { locationSecrets } from "../journal/entry.ts";
import type { UploadRecord } from "../journal/journal.ts";
import type { ProgressMeter } from "../progress/progress.ts";
import { excerpt } from "../redaction/redaction.ts";
import { isRequesterFailure } from "../requester.ts";
import { unexpectedFailure } from "../unexpected-failure.ts";

/** Failures after which the same location or upload can't be resumed. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  "location-refused",
  "upload-gone",
  "offset-beyond-end",
  "length-refused",
  "rejected",
  "source-changed",
  "unexpected-answer",
]);

/** What a failed upload throws: the error with what can be resumed after it, and a requester's own as it came. */
export function failureOf(
  thrown: unknown,
  record: UploadRecord | undefined,
  meter: ProgressMeter,
  secrets: string[],
): unknown {
  if (!isUpcutError(thrown) && isRequesterFailure(thrown)) return thrown;
  const error = isUpcutError(thrown) ? thrown : unexpectedFailure("upload", thrown);
  if (record === undefined || error.code === "in-progress") return error;
  const possible = meter.resumable() && !FINAL.has(error.code);
  // The service chose it, and may have put into it what it was sent.
  const assetId = excerpt(record.asset.id, [...secrets, ...locationSecrets(record)]);
  return withResume(error, { assetId, offset: meter.acknowledged, possible });
}
