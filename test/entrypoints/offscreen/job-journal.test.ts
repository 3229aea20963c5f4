/** What core remembers of an upload is kept in its job, and given back for the same content alone. */
import { beforeEach, expect, test, vi } from "vitest";
import { jobJournal } from "../../../entrypoints/offscreen/job-journal.ts";
import { type JobList, openJobList } from "../../../entrypoints/offscreen/job-list.ts";
import { asset, makeJob } from "../../support/extension/pages/jobs.ts";

const record = {
  method: "resumable" as const,
  asset,
  mismatches: [],
  location: "https://upload.example/tus",
};
const entry = { version: 1 as const, uploads: { one: record } };
let list: JobList;

beforeEach(async () => {
  vi.stubGlobal("chrome", { runtime: { sendMessage: async () => null } });
  list = await openJobList(() => {});
  await list.add([makeJob("uploading", { id: "one" })]);
});

test("an entry is kept in the job, with the asset, and given back for its key", async () => {
  const journal = jobJournal(list, "one");
  expect(await journal.get("key")).toBe(undefined);
  await journal.set("key", entry);
  expect(list.get("one")).toMatchObject({ journal: { key: "key", entry }, asset });
  expect(await journal.get("key")).toEqual(entry);
  await expect(journal.get("other")).rejects.toMatchObject({ code: "source-changed" });
  await journal.delete("key");
  expect(list.get("one")).not.toHaveProperty("journal");
  expect(list.get("one")).toMatchObject({ asset });
});

test("an entry without an upload leaves the asset as it is", async () => {
  await jobJournal(list, "one").set("key", { version: 1, uploads: {} });
  expect(list.get("one")?.asset).toBe(undefined);
});

test("the first entry is told before it is used, and no other", async () => {
  const told: boolean[] = [];
  const journal = jobJournal(list, "one", async () => {
    await Promise.resolve();
    told.push(list.get("one")?.journal !== undefined);
  });
  await journal.set("key", entry);
  expect(told).toEqual([true]);
  await journal.set("key", entry);
  expect(told).toEqual([true]);
});

test("a key has one owner at a time", async () => {
  const journal = jobJournal(list, "one");
  const free = await journal.claim?.("key");
  expect(await journal.claim?.("key")).toBe(undefined);
  expect(await journal.claim?.("other")).toBeInstanceOf(Function);
  await free?.();
  expect(await journal.claim?.("key")).toBeInstanceOf(Function);
});
