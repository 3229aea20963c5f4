/** The list of uploads: one node per job, drawn again only when that job changed. */
import { render } from "lit-html";
import { isEnded, type Job, type JobState } from "../shared/job.ts";
import type { OffscreenAsk } from "../shared/messages.ts";
import { stateWords } from "../shared/words.ts";
import { takeFrom } from "./choose.ts";
import { createDraftForm, type DraftForm, goTo } from "./draft-form.ts";
import { type RowView, rowTemplate, titleOf } from "./row.ts";
import { createRowActions } from "./row-actions.ts";

export interface UploadList {
  /** Shows jobs as they are now; `news` are announced. */
  show(jobs: Job[], news: boolean): void;
  has(jobId: string): boolean;
  remove(jobIds: string[]): void;
  /** Shows links by another pattern. */
  setPlaybackPage(pattern: string): void;
  /** Starts every draft that can be; goes to the first mistake of the others. */
  startAll(): void;
  flush(): void;
  counts(): { all: number; drafts: number; ended: number };
}

export interface ListOptions {
  root: HTMLUListElement;
  inTab: boolean;
  tell(ask: OffscreenAsk): void;
  /** Says something in the page's status line. */
  say(sentence: string): void;
  /** Called after jobs came, went or changed their state. */
  onChange(): void;
  /** Where focus goes when no row is left. */
  refuge: HTMLElement;
}

interface Row {
  element: HTMLLIElement;
  view: RowView;
  form?: DraftForm;
}

/** States that come and go without end, or that an alert tells. */
const UNTOLD: ReadonlySet<JobState> = new Set([
  "requesting",
  "uploading",
  "failed",
  "asset-unknown",
  "queued",
]);
/** Rows of the first paint, from which the popup takes its height; more are not on the screen. */
const FIRST = 12;
/** How far from the screen a draft gets its form: before the keyboard or a reader can come there. */
const NEAR = "1000px";
/** Milliseconds of drawing at a time: a long list must not keep the page from answering. */
const SLICE = 10;

export function createList({ root, inTab, tell, say, onChange, refuge }: ListOptions): UploadList {
  const rows = new Map<string, Row>();
  const changed = new Set<Row>();
  /** Jobs that have no row yet. */
  const coming = new Map<string, { job: Job; news: boolean }>();
  /** Drafts far from the screen, by their elements: a browser looks through all forms whenever one is added. */
  const far = new Map<Element, Row>();
  /** Those that have come near. */
  const nearing = new Set<Row>();
  const nearness = new IntersectionObserver(comeNear, { rootMargin: NEAR });
  let playbackPage = "";
  const actions = createRowActions({ inTab, tell, say, draw, playbackPage: () => playbackPage });

  function draw(row: Row): void {
    changed.delete(row);
    row.view.now = Date.now();
    const { element, view } = row;
    const focused = element.contains(document.activeElement);
    render(rowTemplate(view), element);
    // The button that was used may be gone.
    if (focused && !element.contains(document.activeElement)) focusFirst(element);
  }

  /** Progress comes many times a second: once a frame is enough. */
  function drawSoon(row: Row): void {
    if (changed.size === 0) requestAnimationFrame(drawChanged);
    changed.add(row);
  }

  function drawChanged(): void {
    forAWhile(changed, draw);
    if (changed.size > 0) requestAnimationFrame(drawChanged);
  }

  function addSoon(job: Job, news: boolean): void {
    if (coming.size === 0) setTimeout(addComing);
    coming.set(job.id, { job, news });
  }

  function addComing(): void {
    forAWhile(coming.values(), ({ job, news }) => add(job, news));
    if (coming.size > 0) setTimeout(addComing);
    onChange();
  }

  function add(job: Job, news: boolean): void {
    coming.delete(job.id);
    const element = document.createElement("li");
    element.setAttribute("aria-labelledby", `title-${job.id}`);
    const view: RowView = {
      job,
      now: Date.now(),
      playbackPage,
      loud: news,
      act: (button) => void actions.act(row, button),
      giveFile: (input) => actions.giveFile(row, takeFrom(input)),
    };
    const row: Row = { element, view };
    rows.set(job.id, row);
    element.dataset.created = String(job.createdAt);
    suit(row);
    draw(row);
    root.insertBefore(element, olderThan(job.createdAt));
  }

  function comeNear(entries: IntersectionObserverEntry[]): void {
    if (nearing.size === 0) setTimeout(openNearing);
    for (const { target, isIntersecting } of entries) {
      const row = far.get(target);
      if (isIntersecting && row !== undefined) nearing.add(row);
    }
  }

  function openNearing(): void {
    forAWhile(nearing, (row) => {
      nearing.delete(row);
      // Started or removed meanwhile.
      if (!far.has(row.element)) return;
      openForm(row);
      draw(row);
    });
    if (nearing.size > 0) setTimeout(openNearing);
  }

  /** The list is sorted, newest first: where it is read for the first time, everything goes to its end. */
  function olderThan(createdAt: number): Element | null {
    const isOlder = (each: Element | null) =>
      Number((each as HTMLElement | null)?.dataset.created) < createdAt;
    if (!isOlder(root.lastElementChild)) return null;
    return [...root.children].find(isOlder) ?? null;
  }

  function update(row: Row, job: Job): void {
    const { view } = row;
    const before = view.job;
    view.job = job;
    if (before.state === job.state) {
      row.form?.show(job.fields);
      if (job.state === "draft") draw(row);
      else drawSoon(row);
      return;
    }
    view.loud = true;
    delete view.ending;
    delete view.note;
    suit(row);
    draw(row);
    if (!UNTOLD.has(job.state)) say(`${titleOf(job)}: ${stateWords(job)}`);
  }

  /** A row has a form only while its job is a draft, and one beyond the first not before it comes near. */
  function suit(row: Row): void {
    const { element, view } = row;
    const isDraft = view.job.state === "draft";
    element.classList.toggle("with-form", isDraft);
    if (!isDraft) {
      leaveFar(element);
      delete row.form;
      delete view.form;
    } else if (row.form === undefined) {
      far.set(element, row);
      if (rows.size <= FIRST) openForm(row);
      else nearness.observe(element);
    }
  }

  function leaveFar(element: Element): void {
    if (far.delete(element)) nearness.unobserve(element);
  }

  function openForm(row: Row): void {
    const { element, view } = row;
    const { id: jobId, fields } = view.job;
    leaveFar(element);
    row.form = createDraftForm({
      prefix: `draft-${jobId}`,
      fields,
      edit: (fields) => tell({ type: "edit", jobId, fields }),
      start: () => goTo(start(row)[0]),
    });
    view.form = row.form.element;
  }

  /** Starts a draft, or gives what is wrong in it: nothing, where nobody has seen its form yet. */
  function start({ form, view }: Row): HTMLElement[] {
    const wrong = form?.check() ?? [];
    if (wrong.length === 0) {
      form?.flush();
      tell({ type: "start", jobId: view.job.id });
    }
    return wrong;
  }

  // Seconds until the next try are counted down.
  setInterval(() => {
    for (const row of rows.values()) if (row.view.job.waiting?.until !== undefined) drawSoon(row);
  }, 1000);

  return {
    show(jobs, news) {
      for (const [index, job] of jobs.entries()) {
        const row = rows.get(job.id);
        if (row !== undefined) update(row, job);
        else if (index < FIRST) add(job, news);
        else addSoon(job, news);
      }
      onChange();
    },
    has: (jobId) => rows.has(jobId) || coming.has(jobId),
    remove(jobIds) {
      for (const id of jobIds) {
        const element = rows.get(id)?.element;
        rows.delete(id);
        coming.delete(id);
        if (element === undefined) continue;
        leaveFar(element);
        const next = element.nextElementSibling ?? element.previousElementSibling;
        const focused = element.contains(document.activeElement);
        element.remove();
        if (focused && !(next !== null && focusFirst(next))) refuge.focus();
      }
      onChange();
    },
    setPlaybackPage(pattern) {
      if (pattern === playbackPage) return;
      playbackPage = pattern;
      for (const row of rows.values()) {
        row.view.playbackPage = pattern;
        if (row.view.job.state === "done") drawSoon(row);
      }
    },
    startAll() {
      const drafts = [...rows.values()].filter(({ view }) => view.job.state === "draft");
      goTo(drafts.flatMap(start)[0]);
      for (const { job } of coming.values())
        if (job.state === "draft") tell({ type: "start", jobId: job.id });
    },
    flush() {
      for (const { form } of rows.values()) form?.flush();
    },
    counts() {
      const jobs = [...rows.values()].map(({ view }) => view.job);
      for (const { job } of coming.values()) jobs.push(job);
      const count = (which: (job: Job) => boolean) => jobs.filter(which).length;
      return { all: jobs.length, drafts: count(({ state }) => state === "draft"), ended: count(isEnded) };
    },
  };
}

/** Works on what there is until the time is up. */
function forAWhile<Item>(items: Iterable<Item>, work: (item: Item) => void): void {
  const end = performance.now() + SLICE;
  for (const item of items) {
    work(item);
    if (performance.now() > end) return;
  }
}

function focusFirst(element: Element): boolean {
  const control = element.querySelector<HTMLElement>(
    "input:not([hidden]), .buttons button, .buttons a, button, summary",
  );
  control?.focus();
  return control !== null;
}
