import { expect, test } from "vitest";
import { withoutSecrets } from "../../entrypoints/shared/job.ts";
import { fromPage, makeJob } from "./pages/jobs.ts";

test("withoutSecrets() leaves out what only the store may know", () => {
  const journal = { key: "k", entry: { version: 1 as const, uploads: {} } };
  const secret = {
    url: "https://cdn.example/video.mp4?signature=s",
    page: "https://page.example/?user=u",
    blob: new Blob(["video"]),
  };
  const job = makeJob("uploading", { source: fromPage });
  expect(withoutSecrets({ ...job, journal, source: { ...fromPage, ...secret } })).toEqual(job);
});
