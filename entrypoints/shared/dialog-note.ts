/**
 * The popup's note before it opens a dialog of the browser, which may end it: with it the worker opens the popup again,
 * and the next popup shows what came of the dialog. In storage.session, since the worker may be dead by then.
 */

const KEY = "dialog";

export interface DialogNote {
  /** Names the files handed over from the dialog, or the subject of the dialog. */
  batch: string;
  /** `file`: choosing files. `host`: the browser's question for a permission. */
  kind: "file" | "host";
  windowId?: number;
  jobId?: string;
  /** Milliseconds since 1970. */
  at: number;
}

export async function readDialogNote(): Promise<DialogNote | undefined> {
  const { [KEY]: stored } = await chrome.storage.session.get(KEY);
  return stored as DialogNote | undefined;
}

/** Begins at once: a permission's question ends the popup in the same moment. */
export async function writeDialogNote(note: DialogNote): Promise<void> {
  await chrome.storage.session.set({ [KEY]: note });
}

export async function removeDialogNote(): Promise<void> {
  await chrome.storage.session.remove(KEY);
}
