/** The list of uploads: one row per job, drawn again only when that job changed. */
import { isAskedAbout, type Job } from "../shared/job.ts";
import { byPlace } from "../shared/list-order.ts";
import { goTo } from "./draft-form.ts";
import { type ListTotals, totalsOf } from "./list-totals.ts";
import { createRows, FIRST_ROWS, type RowListOptions } from "./rows.ts";
import { createWorkQueue } from "./work-queue.ts";

export interface RowList {
  /** Shows jobs as they are now; `isNews` where they have changed since the page was opened. */
  show(jobs: Job[], isNews: boolean): void;
  has(jobId: string): boolean;
  remove(jobIds: string[]): void;
  /** Shows links by another pattern. */
  setPlaybackPage(pattern: string): void;
  /** Starts every draft that can be; goes to the first mistake of the others. */
  startAll(): void;
  /** Sends what was edited and isn't sent yet. */
  flush(): void;
  /** `startable`: drafts that the person is not asked about. */
  counts(): { all: number; drafts: number; startable: number; done: number; totals: ListTotals };
  /** A draft, for what all of them are to be set to. */
  firstDraft(): Job | undefined;
}

/** Milliseconds. */
const COUNTDOWN_INTERVAL = 1000;

export function createRowList(options: RowListOptions): RowList {
  const { onChange } = options;
  const rows = createRows(options);
  /** Jobs that have no row yet. */
  const newJobs = createWorkQueue<string, { job: Job; isNews: boolean }>({
    schedule: (run) => setTimeout(run),
    work: ({ job, isNews }) => rows.add(job, isNews),
    onSlice: onChange,
  });

  // Seconds until the next try, or until a new upload starts, are counted down.
  setInterval(() => {
    const lately = Date.now() - 2 * COUNTDOWN_INTERVAL;
    for (const row of rows.all()) {
      const { waiting, startsAt = 0 } = row.view.job;
      if (waiting?.until !== undefined || startsAt > lately) rows.drawSoon(row);
    }
  }, COUNTDOWN_INTERVAL);

  function allJobs(): Job[] {
    return [...rows.all().map(({ view }) => view.job), ...newJobs.waiting().map(({ job }) => job)];
  }

  return {
    show(jobs, isNews) {
      // What will be seen first is drawn first.
      const inOrder = jobs.length > FIRST_ROWS ? jobs.toSorted(byPlace) : jobs;
      for (const [index, job] of inOrder.entries()) {
        const row = rows.get(job.id);
        if (row !== undefined) rows.update(row, job, index >= FIRST_ROWS);
        else if (index < FIRST_ROWS) {
          newJobs.delete(job.id);
          rows.add(job, isNews);
        } else newJobs.add(job.id, { job, isNews });
      }
      onChange();
    },
    has: (jobId) => rows.get(jobId) !== undefined || newJobs.has(jobId),
    remove(jobIds) {
      for (const id of jobIds) {
        newJobs.delete(id);
        rows.remove(id);
      }
      onChange();
    },
    setPlaybackPage: rows.setPlaybackPage,
    startAll() {
      const drafts = rows.all().filter(({ view }) => isStartable(view.job));
      goTo(drafts.flatMap(rows.start)[0]);
      for (const { job } of newJobs.waiting())
        if (isStartable(job)) options.send({ type: "start", jobId: job.id });
    },
    flush() {
      for (const { form } of rows.all()) form?.flush();
    },
    counts() {
      const jobs = allJobs();
      const count = (which: (job: Job) => boolean) => jobs.filter(which).length;
      return {
        all: jobs.length,
        drafts: count(({ state }) => state === "draft"),
        startable: count(isStartable),
        done: count(({ state }) => state === "done"),
        totals: totalsOf(jobs),
      };
    },
    firstDraft: () => allJobs().find(({ state }) => state === "draft"),
  };
}

/** What the person is asked about is started with its own button alone, and never with all others. */
function isStartable(job: Job): boolean {
  return job.state === "draft" && !isAskedAbout(job);
}
