/** The forms in the rows of drafts: opened late, and gone once the draft is started. */
import type { OffscreenCommand } from "../shared/messages.ts";
import { createDraftForm, type DraftForm, goTo } from "./draft-form.ts";
import { createLazyForms } from "./lazy-forms.ts";
import type { RowView } from "./row.ts";

export interface DraftRow {
  element: Element;
  view: RowView;
  form?: DraftForm;
}

export interface DraftRows<Row extends DraftRow> {
  addOrRemoveForm(row: Row): void;
  /** Opens a form for this row no more. */
  forget(row: Row): void;
  /** Starts a draft, or gives what is wrong in it: nothing, where nobody has seen its form yet. */
  start(row: Row): HTMLElement[];
}

export interface DraftRowsOptions<Row extends DraftRow> {
  send(command: OffscreenCommand): void;
  draw(row: Row): void;
  /** Whether a form is opened before its row comes near the screen. */
  openAtOnce(): boolean;
}

export function createDraftRows<Row extends DraftRow>({
  send,
  draw,
  openAtOnce,
}: DraftRowsOptions<Row>): DraftRows<Row> {
  const lazyForms = createLazyForms<Row>((row) => {
    openForm(row);
    draw(row);
  });

  /** A row has a form only while its job is a draft, and one beyond the first not before it comes near. */
  function addOrRemoveForm(row: Row): void {
    const isDraft = row.view.job.state === "draft";
    row.element.classList.toggle("with-form", isDraft);
    if (!isDraft) {
      lazyForms.forget(row);
      delete row.form;
      delete row.view.form;
    } else if (row.form === undefined) {
      if (openAtOnce()) openForm(row);
      else lazyForms.openLater(row);
    }
  }

  function openForm(row: Row): void {
    const { id: jobId, fields } = row.view.job;
    row.form = createDraftForm({
      prefix: `draft-${jobId}`,
      fields,
      edit: (fields) => send({ type: "edit", jobId, fields }),
      start: () => goTo(start(row)[0]),
    });
    row.view.form = row.form.element;
  }

  function start({ form, view }: Row): HTMLElement[] {
    const wrong = form?.check() ?? [];
    if (wrong.length === 0) {
      form?.flush();
      send({ type: "start", jobId: view.job.id });
    }
    return wrong;
  }

  return { addOrRemoveForm, forget: lazyForms.forget, start };
}
