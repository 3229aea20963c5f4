/** Where the bytes of a job are: at hand, at an address, or behind a file's handle that may need a click. */
import { afterEach, expect, test, vi } from "vitest";
import { fileDetails, isSameFile, openSource, toStored } from "../../../entrypoints/offscreen/job-source.ts";
import { fromPage, makeJob } from "../../support/extension/pages/jobs.ts";

afterEach(() => void vi.useRealTimers());

const { source: chosen } = makeJob("draft");
const file = new File(["bytes"], "a.mp4", { type: "video/mp4", lastModified: 7 });
const handleOf = (more: object) =>
  ({ getFile: async () => file, ...more }) as unknown as FileSystemFileHandle;
const permission = (state: string) => ({
  queryPermission: async ({ mode }: { mode: string }) => (mode === "read" ? state : "denied"),
});

test.each([
  ["that the browser lets us read", permission("granted"), file],
  ["of a browser that asks nothing", {}, file],
  ["that needs a click", permission("prompt"), "ask"],
  ["that was moved", { getFile: () => Promise.reject(new Error("gone")) }, undefined],
])("a file is opened by its handle: one %s", async (_, handle, opened) => {
  expect(await openSource({ ...chosen, handle: handleOf(handle) })).toBe(opened);
});

test("a drive has twenty seconds to show a file", async () => {
  vi.useFakeTimers();
  let given: unknown = "nothing";
  const handle = handleOf({ getFile: () => new Promise(() => {}) });
  void openSource({ ...chosen, handle }).then((source) => {
    given = source;
  });
  await vi.advanceTimersByTimeAsync(19_999);
  expect(given).toBe("nothing");
  await vi.advanceTimersByTimeAsync(1);
  expect(given).toBe(undefined);
});

test("bytes at hand go before a handle, and an address before both", async () => {
  expect(await openSource(chosen)).toBe(undefined);
  expect(await openSource({ ...chosen, blob: file, handle: handleOf(permission("prompt")) })).toBe(file);
  const url = "https://cdn.example/a.mp4";
  expect(await openSource({ ...fromPage, blob: file, url })).not.toBeInstanceOf(Blob);
});

test("a job is stored without its bytes", () => {
  const job = makeJob("draft");
  expect(toStored({ ...job, source: { ...chosen, blob: file } })).toEqual({ ...job, source: chosen });
});

test("a file is the same by its size and time, whatever its name", () => {
  const details = fileDetails(file);
  expect(details).toEqual({ name: "a.mp4", size: 5, type: "video/mp4", lastModified: 7 });
  expect(isSameFile(details, { ...details, name: "b.mp4" })).toBe(true);
  expect(isSameFile(details, { ...details, size: 6 })).toBe(false);
  expect(isSameFile(details, { ...details, lastModified: 8 })).toBe(false);
});
