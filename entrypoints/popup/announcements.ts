/** Says what became of uploads: of one by its name, of many within a moment in one sentence. */
import { endsSentence } from "../shared/ends.ts";
import type { Job, JobState } from "../shared/job.ts";
import { plural, t } from "../shared/translate.ts";
import { isWhole } from "./list-totals.ts";
import { stateLabel } from "./message-catalogue.ts";

/** Milliseconds in which what happens is told together. */
const MOMENT = 300;
/** States that come and go without end. */
const NOT_ANNOUNCED: ReadonlySet<JobState> = new Set(["requesting", "uploading", "queued"]);
const FAILED: ReadonlySet<JobState> = new Set(["failed", "asset-unknown"]);

/** Uploads by their ids, as they were before they changed, and as they are. */
const noted = new Map<string, { was: JobState | undefined; job: Job }>();
let alarming: string | undefined;
let say: (sentence: string) => void = () => {};

/** Has sentences said from now on. */
export function announceBy(announce: (sentence: string) => void): void {
  say = announce;
}

/** Notes that an upload changed. What it comes back from within the moment is not said. */
export function noteNews(before: Job | undefined, job: Job): void {
  if (before === undefined || before.state === job.state || !isWhole(job)) return;
  if (FAILED.has(job.state) && ![...noted.values()].some((each) => FAILED.has(each.job.state)))
    alarming = job.id;
  if (noted.size === 0) setTimeout(tell, MOMENT);
  noted.set(job.id, { was: noted.get(job.id)?.was ?? before.state, job });
}

/** True if the row of an upload that failed raises an alert: that of the first one within a moment. */
export const isAlarming = ({ id }: Job): boolean => id === alarming;

function tell(): void {
  const told = [...noted.values()].filter(isWorthTelling).map(({ job }) => job);
  noted.clear();
  const sentence = sentenceOf(told);
  if (sentence !== "") say(sentence);
}

function isWorthTelling({ was, job }: { was: JobState | undefined; job: Job }): boolean {
  // Every upload that continues lets its host settle first.
  const isSettling = job.state === "waiting" && job.waiting?.reason === "settling";
  return job.state !== was && !isSettling && !NOT_ANNOUNCED.has(job.state);
}

function sentenceOf(all: readonly Job[]): string {
  const [first] = all;
  if (first === undefined) return "";
  const count = (which: (state: JobState) => boolean) => all.filter(({ state }) => which(state)).length;
  const [done, failed] = [count((state) => state === "done"), count((state) => FAILED.has(state))];
  // A row that failed says so itself.
  if (all.length === 1)
    return failed === 1 ? "" : t("popup.stateOf", { name: first.fields.name, state: stateLabel(first) });
  if (done + failed > 0) return endsSentence({ done, failed });
  return plural(
    "list.same",
    count((state) => state === first.state),
    { state: stateLabel(first) },
  );
}
