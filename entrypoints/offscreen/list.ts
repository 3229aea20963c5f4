/** The upload list: every change goes through the reducer, to the store, and to whoever shows it. */
import {
  isEnded,
  type Job,
  type JobEvent,
  type JobState,
  publicSource,
  step,
  summarise,
  withoutSecrets,
} from "../shared/job.ts";
import { askBackground, type ListTrouble, type OffscreenNews } from "../shared/messages.ts";
import type { OpenJob } from "./job-source.ts";
import { createJobStore } from "./job-store.ts";

/** Milliseconds between two broadcasts of progress. */
const PACE = 200;
/** Milliseconds between two times that mere progress is stored. */
const STORE_PACE = 5_000;

export interface UploadList {
  get(id: string): OpenJob | undefined;
  all(): OpenJob[];
  /** Why what happens is not stored, while it isn't. The list itself works all the same. */
  trouble(): ListTrouble | undefined;
  /** Adds jobs, or puts them in the place of what they were. */
  add(added: OpenJob[]): Promise<void>;
  /** Applies an event; what it changed is stored before this resolves, except mere progress. */
  apply(id: string, event: JobEvent): Promise<void>;
  /** Changes what is remembered to go on, and says whether it is stored. */
  keep(id: string, kept: Pick<Partial<OpenJob>, "journal" | "asset" | "source">): Promise<boolean>;
  /** Keeps the bytes of a job at hand, as long as this document lives. */
  hold(id: string, blob: Blob): void;
  remove(ids: string[]): Promise<void>;
  /** Reads and stores what could not be; `anew` gives up what was stored. */
  mend(anew: boolean): Promise<void>;
}

export async function openUploadList(tell: (news: OffscreenNews) => void): Promise<UploadList> {
  const jobs = new Map<string, OpenJob>();
  let trouble: ListTrouble | undefined;
  const store = createJobStore(jobs, (stored) => {
    // A list that was never read may not be said to be whole.
    if (trouble !== "unreadable") setTrouble(stored ? undefined : "unstored");
  });
  const setTrouble = (now: ListTrouble | undefined) => {
    if (now === trouble) return;
    trouble = now;
    tell({ type: "trouble", ...(now && { trouble: now }) });
    void reportSummary();
  };
  const read = async () => {
    try {
      for (const job of await store.read()) if (!jobs.has(job.id)) jobs.set(job.id, job);
      setTrouble(undefined);
    } catch {
      setTrouble("unreadable");
    }
  };
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
  const show = (ids: string[], now: boolean) => {
    for (const id of ids) changed.add(id);
    if (now) clearTimeout(timer);
    if (now) broadcast();
    else timer ??= setTimeout(broadcast, PACE);
  };

  let reported = "";
  let ends: { name: string; state: "done" | "failed" } | undefined;
  const reportSummary = async () => {
    const all = summarise(jobs.values());
    // What is not stored is known here alone: this document must not be taken for idle.
    const summary = { ...all, open: trouble === undefined ? all.open : Math.max(1, all.open) };
    const percent = { ...summary, fraction: Math.floor(summary.fraction * 100) };
    const text = JSON.stringify(percent);
    if (text === reported && ends === undefined) return;
    reported = text;
    const news = ends;
    ends = undefined;
    // The badge can wait: a worker that dies now is told again at the next change.
    await askBackground("list-changed", { summary, ...(news && { news }) }).catch(() => {});
  };

  const put = async (all: OpenJob[]) => {
    for (const job of all) {
      jobs.set(job.id, job);
      stored.set(job.id, Date.now());
    }
    return await store.write(idsOf(all));
  };

  await read();
  void reportSummary();
  return {
    get: (id) => jobs.get(id),
    all: () => [...jobs.values()],
    trouble: () => trouble,
    async add(added) {
      await put(added);
      show(idsOf(added), true);
    },
    async apply(id, event) {
      const before = jobs.get(id);
      if (before === undefined) return;
      const after: OpenJob = step(before, event);
      if (after === before) return;
      jobs.set(id, forgetting(after));
      const end = endOf(before.state, after);
      if (end !== undefined) ends = { name: after.fields.name, state: end };
      const mere = event.type === "progressed" && before.state === "uploading";
      show([id], !mere);
      if (!mere || Date.now() - (stored.get(id) ?? 0) > STORE_PACE) await put([forgetting(after)]);
    },
    async keep(id, kept) {
      const job = jobs.get(id);
      return job !== undefined && (await put([{ ...job, ...kept }]));
    },
    hold(id, blob) {
      const job = jobs.get(id);
      if (job !== undefined && !isEnded(job)) jobs.set(id, { ...job, source: { ...job.source, blob } });
    },
    async remove(ids) {
      for (const id of ids) jobs.delete(id);
      await store.write(ids);
      tell({ type: "removed", jobIds: ids });
      void reportSummary();
    },
    async mend(anew) {
      if (anew) store.renew();
      else store.retry();
      if (trouble === "unreadable") await read();
      await store.write(jobs.keys());
      show([...jobs.keys()], true);
    },
  };
}

function idsOf(jobs: OpenJob[]): string[] {
  return jobs.map(({ id }) => id);
}

function visibleOf(job: OpenJob | undefined): Job[] {
  return job === undefined ? [] : [withoutSecrets(job)];
}

/** What an ended job leaves behind needs neither its locations nor its bytes nor its address. */
function forgetting(job: OpenJob): OpenJob {
  if (!isEnded(job)) return job;
  const { journal: _, source, ...rest } = job;
  return { ...rest, source: publicSource(source) };
}

function endOf(before: JobState, { state }: Job): "done" | "failed" | undefined {
  if (state === before) return undefined;
  if (state === "done") return "done";
  return state === "failed" || state === "asset-unknown" ? "failed" : undefined;
}
