/** A job asks the background for its location only once the list says so on the disk. */
import { expect, test, vi } from "vitest";
import type { JobList } from "../../../entrypoints/offscreen/job-list.ts";
import { jobRequester, noteStored } from "../../../entrypoints/offscreen/requester.ts";
import type { SettingsCopy } from "../../../entrypoints/offscreen/settings-copy.ts";
import type { UploadAccess } from "../../../entrypoints/offscreen/upload-access.ts";
import { asset, makeJob } from "../../support/extension/pages/jobs.ts";

test("requestUpload() asks the background only after the list has stored that it does", async () => {
  const happened: string[] = [];
  const location = { asset, mismatches: [], tusEndpoint: "https://upload.example/tus" };
  vi.stubGlobal("chrome", {
    runtime: {
      sendMessage: async ({ type }: { type: string }) => {
        happened.push(type);
        return { location, address: "https://video.example" };
      },
    },
  });
  const job = makeJob("queued", { id: "one" });
  const list = {
    get: () => job,
    apply: async (_: string, event: { type: string }) => {
      await Promise.resolve();
      happened.push(`stored ${event.type}`);
    },
  } as unknown as JobList;
  const requester = jobRequester(list, {} as SettingsCopy, "one", {} as UploadAccess);
  const { signal } = new AbortController();
  expect(await requester.requestUpload({}, { signal })).toEqual(location);
  expect(happened.slice(0, 2)).toEqual(["stored requesting", "request-upload"]);
});

test("noteStored() tells the background together which locations are stored", async () => {
  vi.useFakeTimers();
  const told: object[] = [];
  vi.stubGlobal("chrome", { runtime: { sendMessage: async (message: object) => void told.push(message) } });
  for (const id of ["one", "two", "one"]) noteStored(id);
  await vi.advanceTimersByTimeAsync(1000);
  expect(told).toMatchObject([{ type: "locations-stored", jobIds: ["one", "two"] }]);
  vi.useRealTimers();
});
