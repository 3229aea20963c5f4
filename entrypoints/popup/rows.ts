/** The rows of the list of uploads: made, drawn, updated, moved and removed one by one. */
import { render } from "lit-html";
import { takeFrom } from "../shared/choose-files.ts";
import type { Job } from "../shared/job.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { createAnnouncements } from "./announcements.ts";
import { goTo } from "./draft-form.ts";
import { createDraftRows, type DraftRow } from "./draft-rows.ts";
import { fallbackTemplate } from "./fallback-row.ts";
import { focusFirst, removeEntry } from "./focus.ts";
import { type RowView, rowTemplate, titleOf } from "./row.ts";
import { createRowActions, type RowActions } from "./row-actions.ts";
import { createRowOrder } from "./row-order.ts";
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
  /** Whether it is to be edited as soon as it can be. */
  isEdited?: boolean;
}

export interface Rows {
  get(jobId: string): Row | undefined;
  all(): Row[];
  add(job: Job, isNews: boolean): void;
  /** @param isOneOfMany whether so many change at once that it is drawn with a next frame */
  update(row: Row, job: Job, isOneOfMany: boolean): void;
  /** Draws a row with the next frame. */
  drawSoon(row: Row): void;
  /** Starts a draft, or gives what is wrong in it. */
  start(row: Row): HTMLElement[];
  remove(jobId: string): void;
  setPlaybackPage(pattern: string): void;
}

/** Rows of the first paint, from which the popup takes its height; more are not on the screen. */
export const FIRST_ROWS = 12;

export function createRows({ root, inTab, send, announce, focusFallback }: RowListOptions): Rows {
  const rows = new Map<string, Row>();
  const order = createRowOrder<Row>(root);
  const announcements = createAnnouncements(announce);
  let playbackPage = "";
  const drafts = createDraftRows<Row>({ send, draw, attempt });
  const actions = createRowActions<Row>({
    inTab,
    send,
    announce,
    draw,
    playbackPage: () => playbackPage,
    start: (row) => goTo(drafts.start(row)[0]),
    toggleForm: drafts.toggle,
  });
  /** Progress comes many times a second: once a frame is enough. */
  const changedRows = createWorkQueue<Row, Row>({ schedule: requestAnimationFrame, work: settle });

  const drawSoon = (row: Row) => changedRows.add(row, row);

  function draw(row: Row): void {
    changedRows.delete(row);
    drawRow(row);
  }

  /** Draws a row in its place, whatever has changed about it. */
  function settle(row: Row): void {
    attempt(row, () => {
      drafts.closeUnlessDraft(row);
      draw(row);
    });
    order.place(row);
    if (!row.isEdited || row.view.job.state !== "draft") return;
    delete row.isEdited;
    if (row.form === undefined) drafts.toggle(row);
  }

  function add(job: Job, isNews: boolean): void {
    const row = makeRow({ job, now: Date.now(), playbackPage, announcesErrors: isNews }, actions);
    rows.set(job.id, row);
    settle(row);
  }

  function update(row: Row, job: Job, isOneOfMany: boolean): void {
    const { view } = row;
    const isNewState = view.job.state !== job.state;
    view.job = job;
    if (isNewState) {
      attempt(row, () => {
        view.announcesErrors = announcements.note(job, titleOf(job));
      });
      forgetState(row);
    } else row.form?.show(job.fields);
    // A row that is looked at answers at once; progress can wait for a frame.
    if (isOneOfMany || !(isNewState || job.state === "draft")) drawSoon(row);
    else settle(row);
  }

  function remove(id: string): void {
    const row = rows.get(id);
    rows.delete(id);
    if (row === undefined) return;
    changedRows.delete(row);
    order.remove(row);
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

function makeRow(state: Omit<RowView, "act" | "giveFile">, actions: RowActions<Row>): Row {
  const element = document.createElement("li");
  element.setAttribute("aria-labelledby", `title-${state.job.id}`);
  const row: Row = {
    element,
    view: {
      ...state,
      act: (button) => void actions.act(row, button),
      giveFile: (input) => actions.giveFile(row, takeFrom(input)),
    },
  };
  element.addEventListener("keydown", (event) => {
    // The browser would close the popup with it.
    if (event.key === "Escape" && actions.leave(row)) event.preventDefault();
  });
  return row;
}

/** Takes away what was about the state that a job has left. */
function forgetState({ view, form }: Row): void {
  delete view.isConfirmingEnd;
  delete view.note;
  if (form === undefined) delete view.isOpen;
}

/** Records hold what a service, a page or an earlier version wrote: one that can't be shown hides no other. */
function attempt({ element, view }: Row, work: () => void): void {
  try {
    work();
  } catch (error) {
    console.error("Cannot show an upload", error);
    render(fallbackTemplate(view), element);
  }
}

function drawRow(row: Row): void {
  const { element, view } = row;
  view.now = Date.now();
  const isFocused = element.contains(document.activeElement);
  element.dataset.state = view.job.state;
  element.classList.toggle("with-form", row.form !== undefined);
  attempt(row, () => render(rowTemplate(view), element));
  // The button that was used may be gone.
  if (isFocused && !element.contains(document.activeElement)) focusFirst(element);
}
