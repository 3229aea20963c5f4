/** What a person can do with an upload, by its state and the failure's code. Pure. */

import { errorFacts, lacksWebhookId, type NextStep, REQUEST_FIELD_NAMES } from "../../core/extension.ts";
import { type Failure, isFault } from "../shared/fault.ts";
import { graceLeft, isAskedAbout, type Job, lacksFields } from "../shared/job.ts";
import { waitsForAccount } from "../shared/next-steps.ts";
import { sourceKind } from "../shared/source-kinds.ts";
import { isPageInstead } from "./error-messages.ts";
import type { IconName } from "./icon.tsx";
import type { ButtonName } from "./message-catalogue.ts";

export type ToolName = Extract<ButtonName, IconName>;

export interface Steps {
  /** Buttons with words, the first one the best next step. */
  buttons: ButtonName[];
  /** Small buttons at the row's edge, in a fixed order so that they keep their places. */
  tools: ToolName[];
}

/** @param now tells whether a new upload is still in its grace. @default 0, in which none is */
export function stepsFor(job: Job, now = 0): Steps {
  if (job.ending) return { buttons: [], tools: [] };
  if (graceLeft(job, now) > 0) return { buttons: [], tools: ["edit", "remove"] };
  switch (job.state) {
    case "draft":
      if (job.otherLength !== undefined)
        return { buttons: [...openPage(job), "start", "dont-upload"], tools: ["edit"] };
      if (isAskedAbout(job)) return { buttons: ["start-over", "dont-upload"], tools: ["edit"] };
      return { buttons: [], tools: ["edit", "remove"] };
    case "queued":
      // The others keep their places at the edge when its turn has come.
      return { buttons: [], tools: ["move-up", "pause", "cancel"] };
    case "requesting":
    case "uploading":
    case "waiting":
      return { buttons: [], tools: [...more(job), "pause", "cancel"] };
    case "paused":
      return { buttons: [], tools: [...more(job), "continue", "cancel"] };
    case "needs-file":
      return { buttons: orNew(job, [sourceKind(job.source).regain]), tools: ["cancel"] };
    case "needs-permission":
      if (job.needs?.permission === "account") return { buttons: ["use-account"], tools: ["remove"] };
      return job.needs?.permission === "host"
        ? { buttons: ["allow-host", ...(job.needs.reads ? openPage(job) : [])], tools: ["cancel"] }
        : { buttons: orNew(job, ["allow-file", "choose-file"]), tools: ["cancel"] };
    case "asset-unknown":
      return { buttons: ["start-over"], tools: ["remove"] };
    case "failed":
      return {
        buttons: job.error === undefined ? ["try-again"] : orNew(job, remedies(job.error, job)),
        // What the service still has is ended, not only forgotten.
        tools: [job.error?.resume?.possible ? "cancel" : "remove"],
      };
    case "done":
      return { buttons: [], tools: ["more"] };
    case "cancelled":
      return { buttons: ["start-over"], tools: ["remove"] };
  }
}

/** There are bytes to tell of, or an id to copy. */
function more({ progress, asset }: Job): ToolName[] {
  return progress.sent > 0 || asset !== undefined ? ["more"] : [];
}

/** A file that was refused is a new version, where it has the same name; else the wrong one may have been chosen. */
function orNew({ refused, source }: Job, buttons: ButtonName[]): ButtonName[] {
  if (refused === undefined) return buttons;
  return refused.name === source.name ? ["upload-new", ...buttons] : [...buttons, "upload-new"];
}

function openPage({ source }: Job): ButtonName[] {
  return source.hasPage ? ["open-page"] : [];
}

/** What helps, by core's word for it. */
const REMEDIES: Record<NextStep, (job: Job, goOn: ButtonName) => ButtonName[]> = {
  "check-options": (job, goOn) => correctFirst(job, goOn),
  "check-token": (job, goOn) => correctFirst(job, goOn, "change-token"),
  "check-address": (job, goOn) => correctFirst(job, goOn),
  "check-request": editFirst,
  "read-details": (job, goOn) => (namesField(job) ? editFirst(job, goOn) : editFirst(job, goOn).reverse()),
  // A stream may have ended meanwhile.
  "choose-other-source": (job) =>
    giveAgain(job) ?? (job.error?.code === "live-stream" ? ["try-again"] : openPage(job)),
  "give-source-again": (job) => giveAgain(job) ?? ["start-over"],
  // The link was renewed by its page, or leads to another video.
  "reach-source": (job, goOn) =>
    giveAgain(job) ?? [...openPage(job), goOn === "continue" ? goOn : "try-again"],
  "start-over": () => ["start-over"],
  "check-id": (_, goOn) => [goOn],
  "check-connection": (_, goOn) => [goOn],
  "look-into-account": (_, goOn) => [goOn],
  wait: (_, goOn) => [goOn],
  "try-again": (_, goOn) => [goOn],
};

/** The setting may have been corrected since. */
function correctFirst(job: Job, goOn: ButtonName, correct: ButtonName = "open-options"): ButtonName[] {
  if (waitsForAccount(job)) return ["use-account"];
  return job.retryOffered ? [goOn] : [correct, goOn];
}

/** The same fields would be refused again. */
function editFirst(job: Job, goOn: ButtonName): ButtonName[] {
  return job.error?.resume === undefined ? ["edit", goOn] : [goOn];
}

const FIELDS = [
  ...REQUEST_FIELD_NAMES,
  "width",
  "height",
  "bitrate",
  "quality",
  "fps",
  "gop",
  "encoder",
  "webhook",
];

/** Tells whether the service's words are about a field; about a limit of the account, no edit helps. */
function namesField({ error }: Job): boolean {
  const words = error === undefined || isFault(error) ? [] : (error.details ?? []);
  return words.length === 0 || words.some((each) => FIELDS.some((name) => each.includes(name)));
}

/** What isn't read at an address must be given again. */
function giveAgain({ source }: Job): ButtonName[] | undefined {
  const { isAtAddress, regain } = sourceKind(source);
  return isAtAddress ? undefined : [regain];
}

function remedies(error: Failure, job: Job): ButtonName[] {
  if (isFault(error)) return lacksFields(job) ? ["edit", "try-again"] : ["try-again"];
  const { code, resume } = error;
  // A page may show the video that it is not.
  if ((sourceKind(job.source).isAtAddress && code === "not-a-video") || isPageInstead(error, job.source))
    return ["open-link", ...(code === "source-refused" ? ["try-again" as const] : [])];
  if (code === "service-error" && lacksWebhookId(job.fields)) return editFirst(job, "try-again");
  const goOn = resume === undefined ? "try-again" : resume.possible ? "continue" : "start-over";
  return REMEDIES[errorFacts(code).next](job, goOn);
}
