/** The upload list: every change goes through the reducer, to the store, and to whoever shows it. */
import {
  isEnded,
  type Job,
  type JobEvent,
  type JobState,
  type StoredJob,
  step,
  summarise,
  visible,
} from "../shared/job.ts";
import { openList, readJobs } from "../shared/list-store.ts";
import { askBackground, type OffscreenNews } from "../shared/messages.ts";

/** Milliseconds between two broadcasts of progress. */
const PACE = 200;
/** Milliseconds between two times that mere progress is stored. */
const STORE_PACE = 5_000;

export interface UploadList {
  get(id: string): StoredJob | undefined;
  all(): StoredJob[];
  add(job: StoredJob): Promise<void>;
  /** Applies an event; what it changed is stored before this resolves, except mere progress. */
  apply(id: string, event: JobEvent): Promise<void>;
  /** Changes what pages never see. */
  keep(id: string, kept: Pick<StoredJob, "journal" | "handle" | "video">): Promise<void>;
  remove(ids: string[]): Promise<void>;
}

export async function openUploadList(tell: (news: OffscreenNews) => void): Promise<UploadList> {
  const database = await openList();
  const jobs = new Map((await readJobs(database)).map((job) => [job.id, job]));
  const stored = new Map<string, number>();
  const changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const broadcast = () => {
    timer = undefined;
    const shown: Job[] = [...changed].flatMap((id) => visibleOf(jobs.get(id)));
    changed.clear();
    if (shown.length > 0) tell({ type: "changed", jobs: shown });
    void reportSummary();
  };
  const show = (id: string, now: boolean) => {
    changed.add(id);
    if (now) clearTimeout(timer);
    if (now) broadcast();
    else timer ??= setTimeout(broadcast, PACE);
  };

  let reported = "";
  let ends: { name: string; state: "done" | "failed" } | undefined;
  const reportSummary = async () => {
    const summary = summarise(jobs.values());
    const percent = { ...summary, fraction: Math.floor(summary.fraction * 100) };
    const text = JSON.stringify(percent);
    if (text === reported && ends === undefined) return;
    reported = text;
    const news = ends;
    ends = undefined;
    // The badge can wait: a worker that dies now is told again at the next change.
    await askBackground("list-changed", { summary, ...(news && { news }) }).catch(() => {});
  };

  const put = async (job: StoredJob) => {
    jobs.set(job.id, job);
    stored.set(job.id, Date.now());
    await database.put("jobs", job);
  };

  void reportSummary();
  return {
    get: (id) => jobs.get(id),
    all: () => [...jobs.values()],
    async add(job) {
      await put(job);
      show(job.id, true);
    },
    async apply(id, event) {
      const before = jobs.get(id);
      if (before === undefined) return;
      const after: StoredJob = step(before, event);
      if (after === before) return;
      jobs.set(id, after);
      const end = endOf(before.state, after);
      if (end !== undefined) ends = { name: after.fields.name, state: end };
      const mere = event.type === "progressed" && before.state === "uploading";
      show(id, !mere);
      if (!mere || Date.now() - (stored.get(id) ?? 0) > STORE_PACE) await put(forgetting(after));
    },
    async keep(id, kept) {
      const job = jobs.get(id);
      if (job !== undefined) await put({ ...job, ...kept });
    },
    async remove(ids) {
      for (const id of ids) jobs.delete(id);
      const writing = database.transaction("jobs", "readwrite");
      await Promise.all([...ids.map((id) => writing.store.delete(id)), writing.done]);
      tell({ type: "removed", jobIds: ids });
      void reportSummary();
    },
  };
}

function visibleOf(job: StoredJob | undefined): Job[] {
  return job === undefined ? [] : [visible(job)];
}

/** What an ended job leaves behind needs neither its locations nor its file nor its address. */
function forgetting(job: StoredJob): StoredJob {
  if (!isEnded(job)) return job;
  const { journal: _, handle: __, video: ___, ...rest } = job;
  return rest;
}

function endOf(before: JobState, { state }: Job): "done" | "failed" | undefined {
  if (state === before) return undefined;
  if (state === "done") return "done";
  return state === "failed" || state === "asset-unknown" ? "failed" : undefined;
}
