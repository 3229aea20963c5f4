/** What a person can do with an upload, by its state and the failure's code. Pure. */

import type { ErrorCode } from "../../core/mod.ts";
import { lacksWebhookId } from "../../core/validate.ts";
import { type Failure, isFault } from "../shared/fault.ts";
import { graceLeft } from "../shared/grace.ts";
import { isAskedAbout, type Job } from "../shared/job.ts";
import { sourceKind } from "../shared/source-kinds.ts";
import { isPageInstead } from "./error-messages.ts";
import type { ButtonName } from "./message-catalogue.ts";
import type { ToolName } from "./row-buttons.ts";

export interface Steps {
  /** Buttons with words, the first one the best next step. */
  buttons: ButtonName[];
  /** Small buttons at the row's edge, in a fixed order so that they keep their places. */
  tools: ToolName[];
}

/** @param now tells whether a new upload is still in its grace. @default 0, in which none is */
export function stepsFor(job: Job, now = 0): Steps {
  if (job.ending) return { buttons: [], tools: [] };
  if (graceLeft(job, now) > 0) return { buttons: ["start-now", "edit", "remove"], tools: [] };
  switch (job.state) {
    case "draft":
      if (job.otherLength !== undefined)
        return { buttons: [...openPage(job), "start"], tools: ["edit", "remove"] };
      return {
        buttons: isAskedAbout(job) ? ["start-over"] : [],
        tools: ["edit", "remove"],
      };
    case "queued":
      // The others keep their places at the edge when its turn has come.
      return { buttons: [], tools: ["move-up", "pause", "cancel"] };
    case "requesting":
    case "uploading":
    case "waiting":
      return { buttons: [], tools: ["pause", "cancel"] };
    case "paused":
      return { buttons: [], tools: ["continue", "cancel"] };
    case "needs-file":
      return { buttons: [sourceKind(job.source).regain], tools: ["cancel"] };
    case "needs-permission":
      return job.needs?.permission === "host"
        ? { buttons: ["allow-host", ...(job.needs.reads ? openPage(job) : [])], tools: ["cancel"] }
        : { buttons: ["allow-file", "choose-file"], tools: ["cancel"] };
    case "asset-unknown":
      return { buttons: ["start-over"], tools: ["remove"] };
    case "failed":
      return {
        buttons: job.error === undefined ? ["try-again"] : remedies(job.error, job),
        // What the service still has is ended, not only forgotten.
        tools: [job.error?.resume?.possible ? "cancel" : "remove"],
      };
    case "done":
      return { buttons: [], tools: ["more"] };
    case "cancelled":
      return { buttons: ["start-over"], tools: ["remove"] };
  }
}

/** Fixed by another setting: address, token, permission. */
const BY_OPTIONS: ReadonlySet<ErrorCode> = new Set([
  "invalid-option",
  "unauthorized",
  "forbidden",
  "origin-refused",
  "wrong-address",
  "redirected",
  "unexpected-answer",
]);
/** The link was renewed by its page, or leads to another video. */
const BY_PAGE: ReadonlySet<ErrorCode> = new Set(["source-refused", "source-unreadable"]);
const BY_FILE: ReadonlySet<ErrorCode> = new Set([
  "source-changed",
  "source-unreadable",
  "source-ended-early",
  "source-too-long",
  "source-used-up",
]);
const BY_NEW_UPLOAD: ReadonlySet<ErrorCode> = new Set([
  "location-refused",
  "upload-gone",
  "offset-beyond-end",
  "offset-behind-buffer",
  "length-refused",
]);
const BY_NOTHING: ReadonlySet<ErrorCode> = new Set([
  "empty-source",
  "not-a-video",
  "invalid-source",
  "live-stream",
  "protected-video",
  "unsupported-video",
]);

function openPage({ source }: Job): ButtonName[] {
  return source.hasPage ? ["open-page"] : [];
}

function remedies(error: Failure, job: Job): ButtonName[] {
  if (isFault(error)) return ["try-again"];
  const { code, resume } = error;
  const { isAtAddress, regain } = sourceKind(job.source);
  // A page may show the video that it is not.
  if ((isAtAddress && code === "not-a-video") || isPageInstead(error, job.source))
    return ["open-link", ...(code === "source-refused" ? ["try-again" as const] : [])];
  if (BY_NOTHING.has(code)) return [];
  if (!isAtAddress && BY_FILE.has(code)) return [regain];
  if (BY_PAGE.has(code)) return [...openPage(job), resume?.possible ? "continue" : "try-again"];
  if (BY_FILE.has(code)) return ["start-over"];
  if (BY_NEW_UPLOAD.has(code)) return ["start-over"];
  // The same fields would be refused again.
  if ((code === "rejected" || code === "invalid-request") && resume === undefined)
    return ["edit", "try-again"];
  if (code === "service-error" && resume === undefined && lacksWebhookId(job.fields))
    return ["edit", "try-again"];
  const goOn: ButtonName = resume === undefined ? "try-again" : resume.possible ? "continue" : "start-over";
  return BY_OPTIONS.has(code) ? ["open-options", goOn] : [goOn];
}
