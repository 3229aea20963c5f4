/** The page's mirror of the list, which the offscreen document alone changes, and what follows from it. */
import { batch, computed, type Signal, signal } from "@preact/signals";
import { graceLeft, isAskedAbout, type Job } from "../shared/job.ts";
import { byPlace } from "../shared/list-order.ts";
import { totalsOf } from "../shared/list-totals.ts";
import { isOffered } from "../shared/next-steps.ts";
import { noteNews } from "./announcements.ts";
import { linksOfJob } from "./links.ts";
import { playbackPage } from "./page-settings.ts";

const jobs = signal<ReadonlyMap<string, Job>>(new Map());
/** True once it is known what is in the list: before, nobody may say that it is empty. */
export const isRead = signal(false);

export const ordered = computed(() => [...jobs.value.values()].sort(byPlace));
export const totals = computed(() => totalsOf(ordered.value));
export const drafts = computed(() => ordered.value.filter(({ state }) => state === "draft"));
/** What the person is asked about is started with its own button alone, and never with all others. */
export const startable = computed(() => drafts.value.filter((job) => !isAskedAbout(job)));

/** The time, once a second, for rows that count seconds down. */
export const clock: Signal<number> = signal(Date.now());

/** Uploads that failed for a token or an address that was replaced since, or wait for that. */
export const offered = computed(() => ordered.value.filter(isOffered));
/** Uploads whose files the browser has to allow to be read again. */
export const lackingFiles = computed(() =>
  ordered.value.filter(({ state, needs }) => state === "needs-permission" && needs?.permission === "file"),
);
export const latestDone = computed(() => ordered.value.find(({ state }) => state === "done")?.id);

/** A finished upload and its link, for each that has one. */
export const doneLinks = computed(() =>
  ordered.value.flatMap((job) => {
    const { watch } = job.state === "done" ? linksOfJob(job, playbackPage.value) : {};
    return watch === undefined ? [] : [`${job.fields.name}\t${watch}`];
  }),
);

export const inGrace = computed(() => {
  const held = ordered.value.filter(({ state, startsAt }) => state === "queued" && startsAt !== undefined);
  return held.length === 0 ? held : held.filter((job) => graceLeft(job, clock.value) > 0);
});

/** Jobs that have changed, until the next frame shows them. */
const changed = new Map<string, Job>();
/** Jobs that went before the stored list was read. */
const removed = new Set<string>();
/** True from when something is shown until something else may be. */
let isResting = false;
/** Uploads from which on a list takes so long to draw that it isn't drawn in each frame. */
const LONG = 20;
/** Milliseconds without a drawing, for each upload of a long list until that is a moment, and for each of a longer list. */
const [REST, MOMENT, LONGER_REST] = [2, 250, 0.2];

const jobOf = (id: string): Job | undefined => changed.get(id) ?? jobs.peek().get(id);

/**
 * Shows jobs as they are now: at once, but once a frame, since progress comes many times a second, and of a long list
 * more rarely. Uploads run in the same thread: so drawing takes no more of their time however long the list is.
 */
export function showJobs(news: readonly Job[], isWhole = false): void {
  isRead.value ||= isWhole || news.length > 0;
  for (const job of news) {
    noteNews(jobOf(job.id), job);
    changed.set(job.id, job);
  }
  if (!isResting) showChanged();
}

/** Shows the stored list, which is older than any news. */
export function showStored(stored: readonly Job[]): void {
  isRead.value = true;
  for (const job of stored) if (!removed.has(job.id) && jobOf(job.id) === undefined) changed.set(job.id, job);
  showChanged();
}

export function removeFromList(ids: readonly string[]): void {
  const left = new Map(jobs.peek());
  for (const id of ids) {
    removed.add(id);
    changed.delete(id);
    left.delete(id);
  }
  jobs.value = left;
}

function showChanged(): void {
  isResting = true;
  const { size } = jobs.peek();
  const pause = Math.max(Math.min(size * REST, MOMENT), size * LONGER_REST);
  afterFrame(() => (size < LONG ? rest() : setTimeout(rest, pause)));
  batch(() => {
    jobs.value = new Map([...jobs.peek(), ...changed]);
    changed.clear();
    clock.value = Date.now();
  });
}

function rest(): void {
  isResting = false;
  if (changed.size > 0) showChanged();
}

/** A page that nobody sees has no frames, but a title. */
function afterFrame(run: () => void): void {
  if (document.hidden) setTimeout(run, 250);
  else requestAnimationFrame(run);
}
