/** What the page says of uploads, apart from errors: states, buttons, and sentences that explain them. */
import { type CamelCase, camelCase } from "../shared/camel-case.ts";
import { formatBytes, formatDuration, formatTime, unbroken } from "../shared/format.ts";
import type { FileDetails, HostNeed, Job, JobState } from "../shared/job.ts";
import type { ListTrouble } from "../shared/messages.ts";
import { sourceKind } from "../shared/source-kinds.ts";
import { joinSentences, language, type PlainKey, t } from "../shared/translate.ts";
import { hostOf } from "../shared/web-address.ts";

type Waiting = NonNullable<Job["waiting"]>;

/** A state in a word or two. Each has a message of its name. */
export function stateKey(state: JobState): `state.${CamelCase<JobState>}` {
  return `state.${camelCase(state)}`;
}

/** The words for an upload that the service is through with. */
const PROCESSED_KEYS = {
  ready: "processing.ready",
  failed: "processing.failed",
  differs: "processing.differs",
} as const;

/** The same of a job: what was read from a page isn't chosen again, and the service may be through with it. */
export function stateLabel({ state, source, ending, processing }: Job): string {
  if (ending) return t("state.cancelling");
  const { stage } = processing ?? {};
  if (stage !== undefined && stage !== "working") return t(PROCESSED_KEYS[stage]);
  return t(state === "needs-file" ? sourceKind(source).lostKey : stateKey(state));
}

export const BUTTON_KEYS = {
  start: "button.start",
  pause: "button.pause",
  continue: "button.continue",
  "try-again": "button.tryAgain",
  edit: "button.edit",
  cancel: "button.cancel",
  remove: "button.remove",
  "start-over": "button.uploadAgain",
  "dont-upload": "button.dontUpload",
  "choose-file": "button.chooseFile",
  "upload-new": "button.uploadNew",
  "allow-file": "button.allowFile",
  "allow-host": "button.allowHost",
  "open-page": "button.openPage",
  "open-options": "button.openOptions",
  "change-token": "button.changeToken",
  "use-account": "button.useAccount",
  "copy-asset-id": "button.copyAssetId",
  "copy-playback-id": "button.copyPlaybackId",
  "copy-link": "button.copyLink",
  open: "button.open",
  download: "button.download",

  "move-up": "list.moveUp",
  "open-link": "list.openLink",
  more: "list.more",
  "end-upload": "button.endUpload",
  keep: "button.keep",
} as const satisfies Record<string, PlainKey | "button.allowHost">;

export type ButtonName = keyof typeof BUTTON_KEYS;

/** @param needs the host that is to be allowed, where that is the button's */
export function buttonLabel(name: ButtonName, needs?: Job["needs"]): string {
  const key = BUTTON_KEYS[name];
  if (key !== "button.allowHost") return t(key);
  return t(key, { host: needs?.permission === "host" ? hostOf(needs.origin) || needs.origin : "" });
}

/** Why an upload waits. Each reason has a message of its name. */
export function waitingKey(reason: Waiting["reason"]): `waiting.${CamelCase<Waiting["reason"]>}` {
  return `waiting.${camelCase(reason)}`;
}

/** Why an upload waits, and until when: a time of day, where the next attempt isn't soon. */
export function waitingSentence({ reason, until }: Waiting, now: number): string {
  const why = t(waitingKey(reason));
  if (reason === "offline") return why;
  const isChecking = reason === "not-found";
  const left = until === undefined ? 0 : until - now;
  if (reason === "settling") {
    const time = formatDuration(Math.ceil(left / 1000));
    return left > 0 ? joinSentences([why, t("row.resumesIn", { time })]) : why;
  }
  if (left <= 0) return joinSentences([why, t(isChecking ? "row.checking" : "row.trying")]);
  if (until !== undefined && left > 60_000)
    return joinSentences([why, t("row.tryingAt", { time: formatTime(until) })]);
  const time = formatDuration(Math.ceil(left / 1000));
  return joinSentences([why, t(isChecking ? "row.checkingIn" : "row.tryingIn", { time })]);
}

/** What an upload that lost its source is waiting for: after the browser was closed, a page alone has its video. */
export function lostSentence({ source, fields }: Job): string {
  if (sourceKind(source).regain === "open-page") return t("row.pageAgain", { name: fields.name });
  const { name, size } = source;
  if (size === undefined) return t("row.chooseAgain", { name });
  return t("row.chooseAgainSized", { name, size: formatBytes(size) });
}

const DAY = 86_400_000;

/** Such as "Uploaded yesterday. Upload again?". */
export function uploadedBeforeSentence(at: number, now = Date.now()): string {
  return t("list.uploadedBefore", { when: whenInDays(at, now) });
}

/** "today", "yesterday" and so on, by the calendar; a date once it is longer ago. */
function whenInDays(at: number, now: number): string {
  const days = Math.round((midnight(now) - midnight(at)) / DAY);
  if (days > 30) return new Intl.DateTimeFormat(language(), { dateStyle: "medium" }).format(at);
  const relative = new Intl.RelativeTimeFormat(language(), { numeric: "auto" });
  return unbroken(relative.format(-Math.max(0, days), "day"));
}

function midnight(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}

/** Why a host must be allowed, and what else helps. */
export function hostSentences({ origin, reads }: HostNeed, { source, asset }: Job): string[] {
  const host = hostOf(origin) || origin;
  // Before there is an asset, it is the service's own host.
  if (!reads) return [t(asset === undefined ? "row.reach" : "row.sendTo", { host })];
  return [
    t("row.readFrom", { host }),
    ...(asset === undefined ? [] : [t("row.notLost")]),
    ...(source.hasPage ? [t("row.orPage")] : []),
  ];
}

export function refusedFileSentence(expected: FileDetails, got: FileDetails): string {
  if (expected.name === got.name) return t("row.changed", { name: got.name });
  const other =
    got.size === undefined
      ? t("row.otherFile", { name: got.name })
      : t("row.otherFileSized", { name: got.name, size: formatBytes(got.size) });
  const choose =
    expected.size === undefined
      ? t("row.choose", { name: expected.name })
      : t("row.chooseSized", { name: expected.name, size: formatBytes(expected.size) });
  return joinSentences([other, choose]);
}

export function cancelledSentence({ asset, fields, endedAtService }: Job): string {
  if (asset === undefined) return t("row.cancelledEarly");
  const name = typeof asset.name === "string" ? asset.name : fields.name;
  const ended = t(endedAtService === false ? "row.cancelledHere" : "row.cancelled");
  return joinSentences([ended, t("row.emptyStays", { name })]);
}

export const LIST_TROUBLE_KEYS: Record<ListTrouble, PlainKey> = {
  unstored: "popup.unstored",
  unreadable: "popup.unreadable",
};
