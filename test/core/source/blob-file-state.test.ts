/** The state of a file behind a Blob, as runtimes have it that open such a file again for each read. */
import { stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileStateOf, isSameState } from "../../../core/source/blob.ts";
import { caught } from "../../support/caught.ts";
import { useFolder } from "../../support/use-folder.ts";

const folder = useFolder("file-state");

/** A Blob with the method that Bun's have. */
function withStat(path: string, parts: BlobPart[] = ["video"]): Blob {
  return Object.assign(new Blob(parts), { stat: () => stat(path) });
}

describe("fileStateOf()", () => {
  test("is size, dates, number, links, owner and rights of the file", async () => {
    const path = join(folder.path, "video.mp4");
    await writeFile(path, "video");
    await utimes(path, 1, 2.5);
    const { ino, ctimeMs, mode, uid, gid } = await stat(path);
    const state = { size: 5, mtimeMs: 2500, ino, ctimeMs, nlink: 1, mode, uid, gid };
    expect(await fileStateOf(withStat(path))).toEqual(state);
  });

  test("is not known of a Blob in memory, of a folder, and of an empty one without a file", async () => {
    const none = join(folder.path, "none.mp4");
    expect(await fileStateOf(new Blob(["video"]))).toBeUndefined();
    expect(await fileStateOf(Object.assign(new Blob(["video"]), { stat: 7 }))).toBeUndefined();
    expect(await fileStateOf(withStat(folder.path))).toBeUndefined();
    expect(await fileStateOf(withStat(none, []))).toBeUndefined();
  });

  test("tells that a file is gone", async () => {
    const error = await caught(fileStateOf(withStat(join(folder.path, "none.mp4"))));
    expect(error).toMatchObject({ code: "source-changed" });
  });
});

test("isSameState() looks at size, dates and number", () => {
  const state = { size: 1, mtimeMs: 2, ino: 3, ctimeMs: 5, nlink: 1, mode: 6, uid: 7, gid: 8 };
  expect(isSameState(state, { ...state })).toBe(true);
  expect(isSameState(state, { ...state, size: 2 })).toBe(false);
  expect(isSameState(state, { ...state, mtimeMs: 3 })).toBe(false);
  expect(isSameState(state, { ...state, ino: 4 })).toBe(false);
  expect(isSameState(state, { ...state, ctimeMs: 6 })).toBe(false);
  // A new link to it, other rights and another owner are no change of its content.
  for (const other of [{ nlink: 2 }, { mode: 1 }, { uid: 1 }, { gid: 1 }])
    expect(isSameState(state, { ...state, ctimeMs: 6, ...other })).toBe(true);
  expect(isSameState(state, undefined)).toBe(false);
});
