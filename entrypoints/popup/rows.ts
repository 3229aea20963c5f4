/** The rows of the list of uploads: made, drawn, updated and removed one by one. */
import { render } from "lit-html";
import type { Job, JobState } from "../shared/job.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { takeFrom } from "./choose.ts";
import { createDraftRows, type DraftRow } from "./draft-rows.ts";
import { focusFirst, removeEntry } from "./focus.ts";
import { stateLabel } from "./message-catalogue.ts";
import { type RowView, rowTemplate, titleOf } from "./row.ts";
import { createRowActions } from "./row-actions.ts";
import { createWorkQueue } from "./work-queue.ts";

export interface RowListOptions {
  root: HTMLUListElement;
  inTab: boolean;
  send(command: OffscreenCommand): void;
  /** Says something in the page's status line. */
  announce(sentence: string): void;
  /** Called after jobs came, went or changed their state. */
  onChange(): void;
  /** Where the focus goes when no row is left. */
  focusFallback: HTMLElement;
}

export interface Row extends DraftRow {
  element: HTMLLIElement;
  view: RowView;
}

export interface Rows {
  get(jobId: string): Row | undefined;
  all(): Row[];
  add(job: Job, isNews: boolean): void;
  update(row: Row, job: Job): void;
  /** Draws a row with the next frame. */
  drawSoon(row: Row): void;
  /** Starts a draft, or gives what is wrong in it. */
  start(row: Row): HTMLElement[];
  remove(jobId: string): void;
  setPlaybackPage(pattern: string): void;
}

/** States that come and go without end, or that an alert tells. */
const NOT_ANNOUNCED: ReadonlySet<JobState> = new Set([
  "requesting",
  "uploading",
  "failed",
  "asset-unknown",
  "queued",
]);
/** Rows of the first paint, from which the popup takes its height; more are not on the screen. */
export const FIRST_ROWS = 12;

export function createRows({ root, inTab, send, announce, focusFallback }: RowListOptions): Rows {
  const rows = new Map<string, Row>();
  let playbackPage = "";
  const actions = createRowActions({ inTab, send, announce, draw, playbackPage: () => playbackPage });
  const drafts = createDraftRows<Row>({ send, draw, openAtOnce: () => rows.size <= FIRST_ROWS });
  /** Progress comes many times a second: once a frame is enough. */
  const changedRows = createWorkQueue<Row, Row>({ schedule: requestAnimationFrame, work: draw });

  function draw(row: Row): void {
    changedRows.delete(row);
    const { element, view } = row;
    view.now = Date.now();
    const isFocused = element.contains(document.activeElement);
    render(rowTemplate(view), element);
    // The button that was used may be gone.
    if (isFocused && !element.contains(document.activeElement)) focusFirst(element);
  }

  function drawSoon(row: Row): void {
    changedRows.add(row, row);
  }

  function add(job: Job, isNews: boolean): void {
    const element = document.createElement("li");
    element.setAttribute("aria-labelledby", `title-${job.id}`);
    element.dataset.created = String(job.createdAt);
    const act = (button: Parameters<RowView["act"]>[0]) => void actions.act(row, button);
    const giveFile = (input: HTMLInputElement) => actions.giveFile(row, takeFrom(input));
    const view: RowView = { job, now: Date.now(), playbackPage, announcesErrors: isNews, act, giveFile };
    const row: Row = { element, view };
    rows.set(job.id, row);
    drafts.addOrRemoveForm(row);
    draw(row);
    root.insertBefore(element, findOlder(root, job.createdAt));
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
    view.announcesErrors = true;
    delete view.isConfirmingEnd;
    delete view.note;
    drafts.addOrRemoveForm(row);
    draw(row);
    if (!NOT_ANNOUNCED.has(job.state)) announce(`${titleOf(job)}: ${stateLabel(job)}`);
  }

  function remove(id: string): void {
    const row = rows.get(id);
    rows.delete(id);
    if (row === undefined) return;
    drafts.forget(row);
    removeEntry(row.element, focusFallback);
  }

  function setPlaybackPage(pattern: string): void {
    if (pattern === playbackPage) return;
    playbackPage = pattern;
    for (const row of rows.values()) {
      row.view.playbackPage = pattern;
      if (row.view.job.state === "done") drawSoon(row);
    }
  }

  const get = (jobId: string) => rows.get(jobId);
  const all = () => [...rows.values()];
  return { get, all, add, update, drawSoon, start: drafts.start, remove, setPlaybackPage };
}

/** The list is sorted, newest first: where it is read for the first time, everything goes to its end. */
function findOlder(root: HTMLElement, createdAt: number): Element | null {
  const isOlder = (each: Element | null) => Number((each as HTMLElement | null)?.dataset.created) < createdAt;
  if (!isOlder(root.lastElementChild)) return null;
  return [...root.children].find(isOlder) ?? null;
}
