/**
 * The popup's note before it opens a dialog of the browser, which may end it: with it the worker opens the popup again,
 * and the next popup shows what came of the dialog. In storage.session, since the worker may be dead by then.
 */
import * as v from "valibot";

const KEY = "dialog";

const schema = v.object({
  /** Names the files handed over from the dialog, or the subject of the dialog. */
  batch: v.string(),
  /** `file`: choosing files. `host`: the browser's question for a permission. */
  kind: v.picklist(["file", "host"]),
  windowId: v.exactOptional(v.number()),
  /** The upload to show. */
  jobId: v.exactOptional(v.string()),
  /** Milliseconds since 1970. */
  at: v.number(),
});

export type DialogNote = v.InferOutput<typeof schema>;

export async function readDialogNote(): Promise<DialogNote | undefined> {
  const { [KEY]: stored } = await chrome.storage.session.get(KEY);
  const read = v.safeParse(schema, stored);
  return read.success ? read.output : undefined;
}

/** Begins at once: a permission's question ends the popup in the same moment. */
export async function writeDialogNote(note: DialogNote): Promise<void> {
  await chrome.storage.session.set({ [KEY]: note });
}

export async function removeDialogNote(): Promise<void> {
  await chrome.storage.session.remove(KEY);
}
