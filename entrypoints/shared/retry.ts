/** Which failed uploads are worth trying again as they are. Pure. */
import type { ErrorCode } from "../../core/mod.ts";
import type { Job } from "./job.ts";

/** The same would happen again, or it takes another file, other fields, or a new upload first. */
const NEED_MORE: ReadonlySet<ErrorCode> = new Set([
  "empty-source",
  "not-a-video",
  "live-stream",
  "protected-video",
  "unsupported-video",
  "invalid-source",
  "invalid-request",
  "source-changed",
  "source-ended-early",
  "source-too-long",
  "source-used-up",
  "location-refused",
  "upload-gone",
  "offset-beyond-end",
  "offset-behind-buffer",
  "length-refused",
]);

/** Whether a failed upload may succeed when it is only tried again. */
export function canBeRetried({ state, error }: Pick<Job, "state" | "error">): boolean {
  return state === "failed" && (error === undefined || !NEED_MORE.has(error.code as ErrorCode));
}
