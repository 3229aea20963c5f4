import { expect, test } from "vitest";
import {
  readDialogNote,
  removeDialogNote,
  writeDialogNote,
} from "../../../entrypoints/shared/dialog-note.ts";
import { stubWorker } from "../../support/extension/stub-worker.ts";

test("the note of a dialog is there until it is removed", async () => {
  const { stored } = stubWorker();
  const note = { batch: "batch-1", kind: "file", windowId: 3, at: 7 } as const;
  await writeDialogNote(note);
  expect(stored.session).toEqual({ dialog: note });
  expect(await readDialogNote()).toEqual(note);
  await removeDialogNote();
  expect(stored.session).toEqual({});
  expect(await readDialogNote()).toBeUndefined();
});
