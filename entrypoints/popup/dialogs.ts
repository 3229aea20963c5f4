/**
 * Notes the dialogs of the browser that may end the popup, so that the worker opens it again and the next popup shows
 * what came of them.
 */
import { type DialogNote, readDialogNote, removeDialogNote, writeDialogNote } from "../shared/dialog-note.ts";
import { watchQuestions } from "../shared/host-permissions.ts";
import type { OffscreenCommand } from "../shared/messages.ts";

export interface Dialogs {
  /** Names a batch that is about to be handed over: that of the open file dialog, if there is one. */
  nameBatch(): string;
}

/** Milliseconds after a dialog in which it ends the popup, if it does. */
const END_TIME = 1000;

/** Watches the dialogs of the popup; in any other place they end nothing, and batches are only named. */
export function watchDialogs(isPopup: boolean, send: (command: OffscreenCommand) => void): Dialogs {
  let fileBatch: string | undefined;
  /** The batch that is handed over in this very task, which a question may be about. */
  let batchOfTask: string | undefined;
  let windowId: number | undefined;

  function note(kind: DialogNote["kind"], batch: string): void {
    const jobId = focusedJob();
    void writeDialogNote({
      batch,
      kind,
      at: Date.now(),
      ...(windowId !== undefined && { windowId }),
      ...(jobId !== undefined && { jobId }),
    });
  }

  function endFileDialog(): void {
    fileBatch = undefined;
    setTimeout(() => void removeDialogNote(), END_TIME);
  }

  function watch(): void {
    void chrome.windows.getCurrent().then(({ id }) => {
      windowId = id;
    });
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

  if (isPopup) watch();
  return {
    nameBatch() {
      const batch = fileBatch ?? crypto.randomUUID();
      batchOfTask = batch;
      setTimeout(() => {
        batchOfTask = undefined;
      });
      return batch;
    },
  };
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

/** The upload in whose row the person is. */
function focusedJob(): string | undefined {
  const row = document.activeElement?.closest("#list > li");
  return row?.getAttribute("aria-labelledby")?.replace(/^title-/, "");
}
