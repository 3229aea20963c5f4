/** Files on disk and the journal's folder, as `@upcut/core/file` opens them. */
import { rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { fileJournal, openFile } from "../../../core/file.ts";
import { journalKey } from "../../../core/mod.ts";
import { isSource, type ReadableSource } from "../../../core/source/source.ts";
import { caught } from "../../support/caught.ts";
import { content, MiB, sha256 } from "../../support/content.ts";
import { readAll } from "../../support/core/read-all.ts";
import { useFolder } from "../../support/use-folder.ts";

const bytes = content(2 * MiB + 5);
const folder = useFolder("file-source");
let path: string;

beforeAll(async () => {
  path = join(folder.path, "video.mp4");
});

async function open(): Promise<ReadableSource> {
  await writeFile(path, bytes);
  await utimes(path, 1, 1);
  const source = await openFile(path);
  if (!isSource(source)) throw new Error("not a source");
  return source;
}

describe("openFile()", () => {
  test("reads any run of bytes of a file, in pieces and into memory of the reader's own", async () => {
    const source = await open();
    expect(source).toMatchObject({
      name: "video.mp4",
      type: "video/mp4",
      size: bytes.length,
      rereadable: true,
    });
    for (const [start, end] of [
      [0, 5],
      [3, 2 * MiB],
      [MiB, 3 * MiB],
    ] as const) {
      const slice = await source.slice(start, end);
      const expected = bytes.subarray(start, end);
      expect([slice.size, slice.last]).toEqual([expected.length, end >= bytes.length]);
      const filled = new Uint8Array(expected.length);
      expect(await slice.fill?.(filled, 0)).toBe(expected.length);
      expect(sha256(filled)).toBe(sha256(expected));
      const part = new Uint8Array(2);
      await slice.fill?.(part, 1);
      expect(part).toEqual(expected.slice(1, 3));
      const read = await readAll(slice);
      expect([read.length, sha256(read)]).toEqual([expected.length, sha256(expected)]);
    }
    await source.close();
  });

  test("gives a file and a File with its bytes and date the same key", async () => {
    const source = await open();
    const key = await journalKey(source);
    expect(key).toBe(await journalKey(new File([bytes], "other.mp4", { lastModified: 1000 })));
  });

  test.each<[string, (path: string) => Promise<void>]>([
    ["is longer", (path) => writeFile(path, content(2 * MiB + 6)).then(() => utimes(path, 1, 1))],
    ["has another date", (path) => utimes(path, 1, 2)],
    ["is not there any more", (path) => rm(path)],
  ])("rejects to read a file that %s", async (_, change) => {
    const source = await open();
    await change(path);
    expect(await caught(source.verify?.() ?? Promise.resolve())).toMatchObject({ code: "source-changed" });
    expect(await caught(source.slice(0, 5))).toMatchObject({ code: "source-changed" });
    await source.close();
  });

  test("takes a file: URL for the path that it is", async () => {
    await (await open()).close();
    const source = await openFile(pathToFileURL(path));
    expect(source).toMatchObject({ name: "video.mp4", size: bytes.length });
    await source.close();
  });
});

test.each<[unknown, object | undefined]>([
  ["a", { maxAge: 0 }],
  ["a", { leaseTimeout: 2999 }],
  ["a", { leaseTimeout: 2 ** 31 }],
  ["a", { leaseTimeout: "3000" }],
  ["a", { timeout: 1 }],
])("fileJournal() refuses %o with %o", async (path, options) => {
  const error = await caught(() => fileJournal(path as string, options));
  expect(error).toMatchObject({ code: "invalid-option" });
});

test("fileJournal() takes options at their bounds, and makes no folder yet", () => {
  for (const leaseTimeout of [3000, 2 ** 31 - 1])
    expect(typeof fileJournal("never-made", { leaseTimeout, maxAge: 0.5 }).claim).toBe("function");
});
