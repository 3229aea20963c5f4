import { describe, expect, test } from "vitest";
import {
  type ChosenFile,
  checkFiles,
  videosAmong,
  videosIn,
} from "../../../entrypoints/shared/chosen-files.ts";

const file = (name: string, type = "", content = "video") => ({ file: new File([content], name, { type }) });
/** The beginning of an MP4 file. */
const VIDEO = "\0\0\0\x18ftypmp42";
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
      "These files are not videos: “a.png” and “b.pdf”. “d.mov” is empty.",
    ],
    [
      ["a", "b", "c", "d", "e"].map((name) => file(`${name}.txt`)),
      [],
      "These files are not videos: “a.txt”, “b.txt”, “c.txt”, and 2 more.",
    ],
  ])("%#: is taken as far as it can be, and the rest is told in a sentence", (files, good, problem) => {
    expect(check(...files)).toEqual([good, problem]);
  });

  test("is no video with less than what tells its kind", () => {
    const file = new File(["abc"], "a.mp4", { type: "video/mp4" });
    expect(checkFiles({ files: [{ file }], emptyFolders: [] })).toEqual({
      good: [],
      problem: "“a.mp4” is not a video.",
    });
  });

  test("is told when a folder has no videos", () => {
    expect(checkFiles({ files: [], emptyFolders: ["photos"] }).problem).toBe(
      "There are no videos in “photos”.",
    );
    expect(checkFiles({ files: [], emptyFolders: ["a", "b"] }).problem).toBe(
      "There are no videos in these folders: “a” and “b”.",
    );
  });
});

describe("a folder gives its videos in order, without programs, packages and what is hidden,", () => {
  const packets = Uint8Array.from({ length: 188 * 20 }, (_, at) => (at % 188 === 0 ? 0x47 : 0));
  const tree = {
    "10.mp4": VIDEO,
    "2.mp4": VIDEO,
    "main.ts": "export {};",
    "camera.ts": packets,
    ".hidden.mp4": VIDEO,
    node_modules: { "demo.mp4": VIDEO },
    more: {
      "a.mov": VIDEO,
      "main.d.ts": "export {};",
      "empty.mp4": "",
      "list.MTS": "1,2",
      "page.mp4": "<html>",
      "notes.txt": "notes",
    },
  };
  const names = ["2.mp4", "10.mp4", "camera.ts", "more/a.mov"];
  const left = { others: ["more/list.MTS", "more/page.mp4"], empty: ["more/empty.mp4"], emptyFolders: [] };

  test("when it is dropped", async () => {
    const { files, ...rest } = await videosIn(folder(tree));
    expect(files.map(({ path }) => path)).toEqual(names);
    expect(rest).toEqual(left);
  });

  test("when it is chosen", async () => {
    const { files, ...rest } = await videosAmong(filesOf("films", tree));
    expect(files.map(({ path }) => path)).toEqual(names);
    expect(rest).toEqual(left);
    expect(checkFiles({ files, ...rest }).problem).toBe(
      "These files are not videos: “more/list.MTS” and “more/page.mp4”. “more/empty.mp4” is empty.",
    );
    const { more: _, "10.mp4": __, "2.mp4": ___, "camera.ts": ____, ...others } = tree;
    expect(await videosAmong(filesOf("films", others))).toMatchObject({
      files: [],
      emptyFolders: ["films"],
    });
  });
});

interface Tree {
  [name: string]: string | Uint8Array<ArrayBuffer> | Tree;
}

/** What a browser gives for a folder that was chosen. */
function filesOf(path: string, tree: Tree): ChosenFile[] {
  return Object.entries(tree).flatMap(([name, content]) => {
    const webkitRelativePath = `${path}/${name}`;
    if (typeof content !== "string" && !(content instanceof Uint8Array))
      return filesOf(webkitRelativePath, content);
    const file = new File([content], name);
    return { file: Object.defineProperty(file, "webkitRelativePath", { value: webkitRelativePath }) };
  });
}

/** What a browser gives for a folder that was dropped. */
function folder(tree: Tree): FileSystemDirectoryHandle {
  const handleOf = (name: string, content: Tree[string]) =>
    typeof content === "string" || content instanceof Uint8Array
      ? { kind: "file", getFile: async () => new File([content], name) }
      : folder(content);
  async function* entries() {
    for (const [name, content] of Object.entries(tree)) yield [name, handleOf(name, content)];
  }
  return { kind: "directory", entries } as unknown as FileSystemDirectoryHandle;
}
