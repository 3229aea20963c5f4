/** The list of uploads: one row per job, drawn again only when that job changed. */
import { isEnded, type Job } from "../shared/job.ts";
import { goTo } from "./draft-form.ts";
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
  counts(): { all: number; drafts: number; ended: number };
}

export function createRowList(options: RowListOptions): RowList {
  const { onChange } = options;
  const rows = createRows(options);
  /** Jobs that have no row yet. */
  const newJobs = createWorkQueue<string, { job: Job; isNews: boolean }>({
    schedule: (run) => setTimeout(run),
    work: ({ job, isNews }) => rows.add(job, isNews),
    onSlice: onChange,
  });

  // Seconds until the next try are counted down.
  setInterval(() => {
    for (const row of rows.all()) if (row.view.job.waiting?.until !== undefined) rows.drawSoon(row);
  }, 1000);

  return {
    show(jobs, isNews) {
      for (const [index, job] of jobs.entries()) {
        const row = rows.get(job.id);
        if (row !== undefined) rows.update(row, job);
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
      const drafts = rows.all().filter(({ view }) => view.job.state === "draft");
      goTo(drafts.flatMap(rows.start)[0]);
      for (const { job } of newJobs.waiting())
        if (job.state === "draft") options.send({ type: "start", jobId: job.id });
    },
    flush() {
      for (const { form } of rows.all()) form?.flush();
    },
    counts() {
      const jobs = [...rows.all().map(({ view }) => view.job), ...newJobs.waiting().map(({ job }) => job)];
      const count = (which: (job: Job) => boolean) => jobs.filter(which).length;
      return { all: jobs.length, drafts: count(({ state }) => state === "draft"), ended: count(isEnded) };
    },
  };
}
