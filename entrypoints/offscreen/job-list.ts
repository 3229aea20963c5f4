/** The job list: every change goes through the reducer, to the store, and to whoever shows it. */
import { isEnded, publicSource, withoutSecrets } from "../shared/job.ts";
import type { ListTrouble, OffscreenEvent } from "../shared/messages.ts";
import { known, without } from "../shared/record.ts";
import { type JobEvent, reduce } from "./job-reducer.ts";
import type { OpenJob } from "./job-source.ts";
import { openListStorage } from "./list-storage.ts";
import { createSummaryReport } from "./list-summary.ts";

/** Events of uploads that go as they should: many short ones bring many a second, and a page draws for each time. */
const USUAL: readonly JobEvent["type"][] = [
  "requesting",
  "fetched",
  "progressed",
  "pictured",
  "finished",
  "processed",
];
/** Milliseconds between two times that pages are told of those. */
const USUAL_INTERVAL = 200;

export interface JobList {
  get(id: string): OpenJob | undefined;
  all(): OpenJob[];
  /** Why what happens is not stored, while it isn't. The list itself works all the same. */
  trouble(): ListTrouble | undefined;
  /** Adds jobs, or puts them in the place of what they were. */
  add(added: OpenJob[]): Promise<void>;
  /** Applies an event; what it changed is stored before this resolves, except mere progress. */
  apply(id: string, event: JobEvent): Promise<void>;
  /** Applies events to many jobs at once: pages and the store are told of all of them together. */
  applyAll(events: ReadonlyMap<string, JobEvent>): Promise<void>;
  /** Changes what is needed to resume a job, and says whether it is stored. */
  keep(id: string, kept: Pick<Partial<OpenJob>, "journal" | "asset" | "source">): Promise<boolean>;
  /** Takes out what is needed to resume a job, of which pages know nothing. */
  forget(id: string): Promise<void>;
  /** Keeps the bytes of a job at hand, as long as this document lives, and what is known of them: it is stored with its progress. */
  hold(id: string, held: { blob?: Blob } & Pick<OpenJob, "sentContent">): void;
  /** @param undoable how many jobs can be put back for some seconds */
  remove(ids: string[], undoable?: number): Promise<void>;
  /** Reads and stores what could not be; `discardStored` gives up what was stored. */
  repair(discardStored: boolean): Promise<void>;
}

export interface JobListWatch {
  /** A job has another state. One that is done still has what it was read from. */
  onState?(job: OpenJob): void;
  onRemoved?(jobIds: string[]): void;
}

export async function openJobList(
  send: (event: OffscreenEvent) => void,
  { onState, onRemoved }: JobListWatch = {},
): Promise<JobList> {
  const jobs = new Map<string, OpenJob>();
  const storage = openListStorage(jobs, (trouble) => {
    send({ type: "trouble", ...(trouble && { trouble }) });
    report.send();
  });
  const report = createSummaryReport(jobs, () => storage.trouble() !== undefined);
  const untold = new Set<string>();
  let toldAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** @param isUsual whether it can wait where pages were told a moment ago. @default false */
  function tell(ids: Iterable<string>, isUsual = false): void {
    for (const id of ids) untold.add(id);
    const wait = isUsual ? toldAt + USUAL_INTERVAL - performance.now() : 0;
    if (wait > 0) timer ??= setTimeout(tellNow, wait);
    else tellNow();
  }

  function tellNow(): void {
    clearTimeout(timer);
    timer = undefined;
    toldAt = performance.now();
    const shown = [...untold].flatMap((id) => jobs.get(id) ?? []).map(withoutSecrets);
    untold.clear();
    if (shown.length > 0) send({ type: "changed", jobs: shown });
    report.send();
  }

  /** @returns the job after an event; nothing where the event doesn't apply */
  function change(id: string, event: JobEvent): OpenJob | undefined {
    const before = jobs.get(id);
    const reduced: OpenJob | undefined = before && reduce(before, event);
    if (before === undefined || reduced === undefined || reduced === before) return undefined;
    const after = withoutWhatEnded(reduced);
    jobs.set(id, after);
    if (after.state === before.state) return after;
    report.noteState(after);
    onState?.(reduced);
    return after;
  }

  await storage.read();
  report.send();
  return {
    get: (id) => jobs.get(id),
    all: () => [...jobs.values()],
    trouble: storage.trouble,
    async add(added) {
      await storage.put(added);
      tell(added.map(({ id }) => id));
    },
    async apply(id, event) {
      const before = jobs.get(id);
      const after = change(id, event);
      if (before === undefined || after === undefined) return;
      const isMereProgress =
        event.type === "fetched" || (event.type === "progressed" && before.state === "uploading");
      tell([id], USUAL.includes(event.type));
      if (!isMereProgress || storage.isDue(id)) await storage.put([after]);
    },
    async applyAll(events) {
      const changed = [...events].flatMap(([id, event]) => change(id, event) ?? []);
      if (changed.length === 0) return;
      tell(changed.map(({ id }) => id));
      await storage.put(changed);
    },
    async keep(id, kept) {
      const job = jobs.get(id);
      return job !== undefined && (await storage.put([{ ...job, ...kept }]));
    },
    async forget(id) {
      const job = jobs.get(id);
      if (job?.journal === undefined) return;
      await storage.put([without(job, "journal")]);
    },
    hold(id, { blob, sentContent }) {
      const job = jobs.get(id);
      if (job === undefined || isEnded(job)) return;
      jobs.set(id, { ...job, ...known({ sentContent }), source: { ...job.source, ...known({ blob }) } });
    },
    async remove(ids, undoable = 0) {
      await storage.remove(ids);
      send({ type: "removed", jobIds: ids, ...(undoable > 0 && { undoable }) });
      report.send();
      onRemoved?.(ids);
    },
    async repair(discardStored) {
      await storage.repair(discardStored);
      tell(jobs.keys());
    },
  };
}

/** A finished upload needs no locations, bytes or address. A cancelled one may be uploaded again. */
function withoutWhatEnded(job: OpenJob): OpenJob {
  if (!isEnded(job)) return job;
  const rest = without(job, "journal", "sentContent");
  return job.state === "done" ? { ...rest, source: publicSource(job.source) } : rest;
}
