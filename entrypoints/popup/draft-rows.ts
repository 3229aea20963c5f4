/** The forms in the rows of drafts: there while they are open, and gone once the draft is started. */
import type { OffscreenCommand } from "../shared/messages.ts";
import { createDraftForm, type DraftForm, goTo } from "./draft-form.ts";
import type { RowView } from "./row-view.ts";

export interface DraftRow {
  element: Element;
  view: RowView;
  form?: DraftForm;
}

export interface DraftRows<Row extends DraftRow> {
  /** Takes the form away from what is no draft any more. */
  closeUnlessDraft(row: Row): void;
  /** Opens the form, or closes it unless something in it is wrong. */
  toggle(row: Row): void;
  /** Starts a draft, or gives what is wrong in it: nothing, where its form isn't open. */
  start(row: Row): HTMLElement[];
}

export interface DraftRowsOptions<Row extends DraftRow> {
  send(command: OffscreenCommand): void;
  draw(row: Row): void;
  /** Does something for a row, and shows it in another way if that fails. */
  attempt(row: Row, work: () => void): void;
}

export function createDraftRows<Row extends DraftRow>({
  send,
  draw,
  attempt,
}: DraftRowsOptions<Row>): DraftRows<Row> {
  function show(row: Row): void {
    if (row.form === undefined) {
      delete row.view.form;
      delete row.view.isOpen;
    } else {
      row.view.form = row.form.element;
      row.view.isOpen = true;
    }
  }

  function open(row: Row): void {
    const { id: jobId, fields, source } = row.view.job;
    row.form = createDraftForm({
      prefix: `draft-${jobId}`,
      fields,
      ...(source.languages && { languages: source.languages }),
      edit: (fields) => send({ type: "edit", jobId, fields }),
      start: () => goTo(start(row)[0]),
    });
    show(row);
    draw(row);
    row.form.element.querySelector("input")?.focus();
  }

  function close(row: Row): void {
    const wrong = row.form?.check() ?? [];
    if (wrong.length > 0) {
      goTo(wrong[0]);
      return;
    }
    row.form?.flush();
    delete row.form;
    show(row);
    draw(row);
    row.element.querySelector<HTMLElement>("[data-act=edit]")?.focus();
  }

  function start({ form, view }: Row): HTMLElement[] {
    const wrong = form?.check() ?? [];
    if (wrong.length === 0) {
      form?.flush();
      send({ type: "start", jobId: view.job.id });
    }
    return wrong;
  }

  return {
    closeUnlessDraft(row) {
      if (row.form === undefined || row.view.job.state === "draft") return;
      delete row.form;
      show(row);
    },
    toggle(row) {
      attempt(row, () => (row.form === undefined ? open(row) : close(row)));
    },
    start,
  };
}
