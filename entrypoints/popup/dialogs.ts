/**
 * Notes the dialogs of the browser that may end the popup, so that the worker opens it again and the next popup shows
 * what came of them.
 */

import { watchQuestions } from "../reach/host-permissions.ts";
import { type DialogNote, readDialogNote, removeDialogNote, writeDialogNote } from "../shared/dialog-note.ts";
import { known } from "../shared/record.ts";
import { send } from "./offscreen-connection.ts";
import { windowId } from "./panel.ts";

/** Milliseconds after a dialog in which it ends the popup, if it does. */
const END_TIME = 1000;

let fileBatch: string | undefined;
/** The batch that is handed over in this very task, which a question may be about. */
let batchOfTask: string | undefined;

/** Names a batch that is about to be handed over: that of the open file dialog, if there is one. */
export function nameBatch(): string {
  const batch = fileBatch ?? crypto.randomUUID();
  batchOfTask = batch;
  setTimeout(() => {
    batchOfTask = undefined;
  });
  return batch;
}

/** Watches the dialogs of the popup; in any other place they end nothing. */
export function watchDialogs(): void {
  // Before the dialog opens; a click by a script comes here too.
  addFileListener("click", () => {
    fileBatch = crypto.randomUUID();
    note("file", fileBatch);
  });
  // After the handler that takes the files.
  addFileListener("change", endFileDialog);
  addFileListener("cancel", () => {
    if (fileBatch !== undefined) send({ type: "dialog-left", batch: fileBatch });
    endFileDialog();
  });
  watchQuestions(() => {
    note("host", batchOfTask ?? crypto.randomUUID());
    return () => void removeDialogNote();
  });
}

function note(kind: DialogNote["kind"], batch: string): void {
  void writeDialogNote({ batch, kind, at: Date.now(), ...known({ windowId, jobId: focusedJob() }) });
}

function endFileDialog(): void {
  fileBatch = undefined;
  setTimeout(() => void removeDialogNote(), END_TIME);
}

/** The upload that a former popup is to show to the person, who was in a dialog. */
export async function jobToShow(): Promise<string | undefined> {
  const note = await readDialogNote();
  if (note !== undefined) await removeDialogNote();
  return note?.jobId;
}

function addFileListener(type: "click" | "change" | "cancel", listener: () => void): void {
  document.addEventListener(type, ({ target }) => {
    if (target instanceof HTMLInputElement && target.type === "file") listener();
  });
}

function focusedJob(): string | undefined {
  const row = document.activeElement?.closest("#list > li");
  return row?.getAttribute("aria-labelledby")?.replace(/^title-/, "");
}
