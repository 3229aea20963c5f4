import { describe, expect, test } from "vitest";
import { checkFiles } from "../../entrypoints/shared/chosen-files.ts";

const file = (name: string, type = "", content = "video") => ({ file: new File([content], name, { type }) });
const check = (...files: ReturnType<typeof file>[]) => {
  const { good, problem } = checkFiles({ files, emptyFolders: [] });
  return [good.map(({ file }) => file.name), problem];
};

describe("what was chosen", () => {
  test.each([
    [[file("a.mp4", "video/mp4")], ["a.mp4"], ""],
    // Systems know no type for some endings.
    [[file("a.mkv"), file("b.MXF"), file("recording")], ["a.mkv", "b.MXF", "recording"], ""],
    [[file("notes.txt", "text/plain")], [], "“notes.txt” is not a video."],
    [[file("a.mp4", "video/mp4", "")], [], "“a.mp4” is empty."],
    [
      [file("a.png", "image/png"), file("b.pdf"), file("c.mov"), file("d.mov", "", "")],
      ["c.mov"],
      "2 files are not videos. “d.mov” is empty.",
    ],
  ])("%#: is taken as far as it can be, and the rest is told in a sentence", (files, good, problem) => {
    expect(check(...files)).toEqual([good, problem]);
  });

  test("is told when a folder has no videos", () => {
    expect(checkFiles({ files: [], emptyFolders: ["photos"] }).problem).toBe(
      "There are no videos in “photos”.",
    );
    expect(checkFiles({ files: [], emptyFolders: ["a", "b"] }).problem).toBe(
      "There are no videos in 2 folders.",
    );
  });
});
