/** Says what became of uploads: of one by its name, of many within a moment in one sentence. */
import { endsSentence } from "../shared/format.ts";
import { hasFailed, isProcessed, type Job, type JobState } from "../shared/job.ts";
import { isWhole } from "../shared/list-totals.ts";
import { plural, t } from "../shared/translate.ts";
import { stateLabel } from "./message-catalogue.ts";

const MOMENT = 300;
/** States that come and go without end. */
const NOT_ANNOUNCED: ReadonlySet<JobState> = new Set(["requesting", "uploading", "queued"]);

/** Uploads by their ids, as they were before they changed, and as they are. */
const noted = new Map<string, News>();
let alarming: string | undefined;
let say: (sentence: string) => void = () => {};

export function announceBy(announce: (sentence: string) => void): void {
  say = announce;
}

/** Notes that an upload changed. What it comes back from within the moment is not said. */
export function noteNews(before: Job | undefined, job: Job): void {
  if (before === undefined || isSame(before, job) || !isWhole(job)) return;
  if (hasFailed(job) && ![...noted.values()].some((each) => hasFailed(each.job))) alarming = job.id;
  if (noted.size === 0) setTimeout(tell, MOMENT);
  noted.set(job.id, { was: noted.get(job.id)?.was ?? before, job });
}

/** True if the row of an upload that failed raises an alert: that of the first one within a moment. */
export const isAlarming = ({ id }: Job): boolean => id === alarming;

function tell(): void {
  const told = [...noted.values()].filter(isWorthTelling);
  noted.clear();
  const sentence = sentenceOf(told);
  if (sentence !== "") say(sentence);
}

/** An upload as it was before it changed, and as it is. */
interface News {
  was: Job;
  job: Job;
}

/** True if nothing came of an upload between two looks: neither here, nor of it at the service. */
function isSame(a: Job, b: Job): boolean {
  return a.state === b.state && (a.processing?.stage === b.processing?.stage || !isProcessed(b));
}

/** True if it goes on by itself after an interruption. */
const hasResumed = ({ was, job }: News): boolean => was.state === "waiting" && job.state === "uploading";

function isWorthTelling(news: News): boolean {
  const { was, job } = news;
  // Every upload that continues lets its host settle first.
  const isSettling = job.state === "waiting" && job.waiting?.reason === "settling";
  return hasResumed(news) || (!isSame(was, job) && !isSettling && !NOT_ANNOUNCED.has(job.state));
}

const labelOf = (news: News): string => (hasResumed(news) ? t("state.resumed") : stateLabel(news.job));

function sentenceOf(all: readonly News[]): string {
  const [first] = all;
  if (first === undefined) return "";
  const isDone = ({ job }: News) => job.state === "done" && !isProcessed(job);
  const isFailed = ({ job }: News) => hasFailed(job) && !isProcessed(job);
  // A row that failed says so itself.
  if (all.length === 1)
    return isFailed(first) ? "" : t("popup.stateOf", { name: first.job.fields.name, state: labelOf(first) });
  const [done, failed] = [all.filter(isDone).length, all.filter(isFailed).length];
  const others = all.filter((each) => !isDone(each) && !isFailed(each)).map(labelOf);
  return [
    ...(done + failed > 0 ? [endsSentence({ done, failed })] : []),
    ...[...new Set(others)].map((state) =>
      plural("list.same", others.filter((other) => other === state).length, { state }),
    ),
  ].join(". ");
}
