import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { placeSample } from "./sample-file.ts";
import { useFolder } from "./use-folder.ts";

const folder = useFolder("sample");
let video = "";

beforeAll(async () => {
  video = join(folder.path, "video.mp4");
  await writeFile(video, "video");
});

test("a sample lies in the first folder that can be written to, and is gone at the end", async () => {
  const sample = await placeSample(video, [join(folder.path, "missing"), video, folder.path]);
  expect(sample.folder).toBe(folder.path);
  expect(await readFile(sample.path, "utf8")).toBe("video");
  sample.remove();
  await expect(readFile(sample.path)).rejects.toThrow("ENOENT");
});

test("a file of the same name that was there before is neither replaced nor removed", async () => {
  const path = join(folder.path, "upcut-sample.mp4");
  await writeFile(path, "another");
  const sample = await placeSample(video, [folder.path]);
  expect(sample.path).toBe(path);
  sample.remove();
  expect(await readFile(path, "utf8")).toBe("another");
});

test("where no folder can be written to, the video itself is the sample, and stays", async () => {
  const sample = await placeSample(video, []);
  expect(sample.path).toBe(video);
  sample.remove();
  expect(await readFile(video, "utf8")).toBe("video");
});
