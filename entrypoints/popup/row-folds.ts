/** What a row folds out, and the question it asks: both are left by their button and by Escape. */
import type { ButtonName } from "./message-catalogue.ts";
import type { RowView } from "./row-view.ts";

interface FoldingRow {
  element: Element;
  view: RowView;
}

export interface RowFolds<Row> {
  /** Focuses a button of a row, where it is there. */
  focusButton(row: Row, name: ButtonName): void;
  /** Leaves the question whether an upload shall end. */
  keep(row: Row): void;
  toggleMore(row: Row): void;
  /** Leaves a question, or folds in what is open; whether there was anything to leave. */
  leave(row: Row): boolean;
}

export interface RowFoldsOptions<Row> {
  draw(row: Row): void;
  /** Opens a draft's form, or closes it unless something in it is wrong. */
  toggleForm(row: Row): void;
}

export function createRowFolds<Row extends FoldingRow>({
  draw,
  toggleForm,
}: RowFoldsOptions<Row>): RowFolds<Row> {
  function focusButton({ element }: Row, name: ButtonName): void {
    element.querySelector<HTMLElement>(`[data-act=${name}]`)?.focus();
  }

  function toggleMore(row: Row): void {
    row.view.isOpen = row.view.isOpen !== true;
    draw(row);
  }

  function keep(row: Row): void {
    delete row.view.isConfirmingEnd;
    draw(row);
    focusButton(row, "cancel");
  }

  function leave(row: Row): boolean {
    const { view } = row;
    if (view.isConfirmingEnd) keep(row);
    else if (view.form !== undefined) toggleForm(row);
    else if (view.isOpen) {
      toggleMore(row);
      focusButton(row, "more");
    } else return false;
    return true;
  }

  return { focusButton, keep, toggleMore, leave };
}
