/** Files that are given again, after the browser was closed or a program touched them, resume what waits for them. */
import { beforeEach, expect, test, vi } from "vitest";
import { journalKey } from "../../../core/mod.ts";
import { asBegun, digestSent, findWaiting } from "../../../entrypoints/offscreen/given-files.ts";
import { openJobList } from "../../../entrypoints/offscreen/job-list.ts";
import type { OpenJob } from "../../../entrypoints/offscreen/job-source.ts";
import { findSource } from "../../../entrypoints/offscreen/run-job.ts";
import { asset, failure, makeJob } from "../../support/extension/pages/jobs.ts";

beforeEach(() => vi.stubGlobal("chrome", { runtime: { sendMessage: async () => null } }));

const MIB = 1024 * 1024;
const [MONDAY, TUESDAY] = [1_700_000_000_000, 1_700_000_086_400];

function contentOf(seed: number, size = 4 * MIB): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, at) => (at * seed + (at >> 8)) & 255);
}

function makeFile(content: Uint8Array<ArrayBuffer>, name = "one.mp4", lastModified = MONDAY): File {
  return new File([content], name, { type: "video/mp4", lastModified });
}

/** An upload of a file that has begun, as it is after the browser was closed. */
async function begun(file: File, more: Partial<OpenJob> = {}): Promise<OpenJob> {
  const key = (await journalKey(file)) ?? "";
  const { name, size, type, lastModified } = file;
  const source = { kind: "file" as const, name, size, type, lastModified };
  return {
    ...makeJob("needs-file", { asset }),
    journal: { key, entry: { version: 1, uploads: {} } },
    source,
    ...more,
  };
}

/** What is noted of a file of which so much was sent. */
async function noted(file: File, sent: number): Promise<Pick<OpenJob, "sentContent">> {
  const list = await openJobList(() => {});
  const job = await begun(file, { state: "uploading" });
  await list.add([{ ...job, source: { ...job.source, blob: file } }]);
  for (let each = 0; each < sent / MIB; each++) await digestSent(list, job.id, sent);
  return { sentContent: list.get(job.id)?.sentContent ?? { size: 0, digest: "" } };
}

test("a file that was touched or renamed is the one that an upload was begun with", async () => {
  const content = contentOf(3);
  const original = makeFile(content);
  const job = await begun(original, await noted(original, 2 * MIB));
  expect(job.sentContent?.size).toBe(2 * MIB);
  const touched = await asBegun(job, makeFile(content, "copy.mp4", TUESDAY));
  expect([touched?.name, touched?.lastModified, touched?.type]).toEqual(["one.mp4", MONDAY, "video/mp4"]);
  expect(touched && (await journalKey(touched))).toBe(job.journal?.key);
});

test.each([
  ["in the part that was sent", MIB + 5, undefined],
  // Only what was sent can be compared, and the samples of the rest.
  ["at its end", 4 * MIB - 5, undefined],
])("a file of the same size with other bytes %s is another one", async (_, at, expected) => {
  const content = contentOf(3);
  const original = makeFile(content);
  const job = await begun(original, await noted(original, 2 * MIB));
  const changed = content.slice();
  changed[at] = (changed[at] ?? 0) ^ 255;
  expect(await asBegun(job, makeFile(changed, "one.mp4", TUESDAY))).toBe(expected);
});

test("files of a batch resume the uploads of their content, whatever their names and dates", async () => {
  const [a, b] = [contentOf(3), contentOf(5)];
  const jobs = [
    await begun(makeFile(a, "one.mp4"), { id: "a" }),
    // The same name in another folder.
    await begun(makeFile(b, "one.mp4"), { id: "b" }),
    await begun(makeFile(b, "gone.mp4"), { id: "failed", state: "failed", error: failure("source-changed") }),
    await begun(makeFile(a, "one.mp4"), { id: "running", state: "uploading" }),
    await begun(makeFile(a, "one.mp4"), { id: "ending", ending: true }),
  ];
  const files = [makeFile(b, "one.mp4", TUESDAY), makeFile(contentOf(7)), makeFile(a, "renamed.mp4")];
  const found = await findWaiting(
    files.map((file) => ({ file })),
    jobs,
  );
  const ids = [...found].map(([{ file }, waiting]) => [files.indexOf(file), waiting.map(({ id }) => id)]);
  expect(ids.sort()).toEqual([
    [0, ["b", "failed"]],
    [2, ["a"]],
  ]);
});

test("uploads of which nothing was sent take the files of their names and dates, each its own", async () => {
  const waits = (id: string, name: string, lastModified: number) => ({
    ...makeJob("needs-file", { id }),
    source: { kind: "file" as const, name, size: 4, type: "video/mp4", lastModified },
  });
  const jobs = [
    waits("touched", "one.mp4", 1),
    waits("exact", "one.mp4", 2),
    waits("copy", "one.mp4", 2),
    waits("other", "two.mp4", 4),
  ];
  const short = Uint8Array.of(1, 2, 3, 4);
  const files = [2, 2, 3].map((date) => ({ file: makeFile(short, "one.mp4", date) }));
  const found = await findWaiting(files, jobs);
  expect(files.map((chosen) => found.get(chosen)?.map(({ id }) => id))).toEqual([
    ["exact"],
    ["copy"],
    ["touched"],
  ]);
});

test("a file that is read by its handle again is the one it was begun with, though it was touched", async () => {
  const content = contentOf(3);
  const original = makeFile(content);
  const list = await openJobList(() => {});
  const handle = {
    getFile: async () => makeFile(content, "one.mp4", TUESDAY),
  } as unknown as FileSystemFileHandle;
  const job = await begun(original, { id: "one", state: "queued", ...(await noted(original, 2 * MIB)) });
  await list.add([{ ...job, source: { ...job.source, handle } }]);
  const source = await findSource(list, "one");
  expect(source instanceof File && (await journalKey(source))).toBe(job.journal?.key);
});
