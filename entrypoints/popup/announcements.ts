/** Says what became of uploads: of one by its name, of many within a moment in one sentence. */
import { endsSentence } from "../shared/ends.ts";
import type { Job, JobState } from "../shared/job.ts";
import { plural, t } from "../shared/translate.ts";
import { stateLabel } from "./message-catalogue.ts";

export interface Announcements {
  /** Notes the new state of an upload, and says whether its row is to raise an alert should it have failed. */
  note(job: Job, title: string): boolean;
}

/** Milliseconds in which what happens is told together. */
const MOMENT = 300;

/** States that come and go without end. */
const NOT_ANNOUNCED: ReadonlySet<JobState> = new Set(["requesting", "uploading", "queued"]);
const FAILED: ReadonlySet<JobState> = new Set(["failed", "asset-unknown"]);

export function createAnnouncements(announce: (sentence: string) => void): Announcements {
  const noted = new Map<string, { job: Job; title: string }>();
  let someFailed = false;

  function flush(): void {
    const all = [...noted.values()];
    noted.clear();
    someFailed = false;
    const sentence = sentenceOf(all);
    if (sentence !== "") announce(sentence);
  }

  return {
    note(job, title) {
      if (NOT_ANNOUNCED.has(job.state)) return false;
      const isFirst = !someFailed;
      someFailed ||= FAILED.has(job.state);
      if (noted.size === 0) setTimeout(flush, MOMENT);
      noted.set(job.id, { job, title });
      return isFirst;
    },
  };
}

function sentenceOf(all: { job: Job; title: string }[]): string {
  const [first] = all;
  if (first === undefined) return "";
  const count = (which: (state: JobState) => boolean) => all.filter(({ job }) => which(job.state)).length;
  const [done, failed] = [count((state) => state === "done"), count((state) => FAILED.has(state))];
  // A row that failed says so itself.
  if (all.length === 1)
    return failed === 1 ? "" : t("popup.stateOf", { name: first.title, state: stateLabel(first.job) });
  if (done + failed > 0) return endsSentence({ done, failed });
  return plural(
    "list.same",
    count((state) => state === first.job.state),
    { state: stateLabel(first.job) },
  );
}
