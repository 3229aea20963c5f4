/** What the command line remembers of uploads, for how long, and what it says once that is over. */
import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileJournal, openFile } from "../../../core/file.ts";
import { useService } from "../../service/use-service.ts";
import { MiB, writeContent } from "../../support/content.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { stopUpload } from "../../support/programs/stopped-upload.ts";
import { useFolder } from "../../support/use-folder.ts";

const DAY = 24 * 60 * 60 * 1000;
const service = useService();
const folder = useFolder("journal");
const journal = () => join(folder.path, "journal");
const cli = async (...args: string[]) =>
  await startCliHere(args, {
    UPCUT_URL: service.baseUrl,
    UPCUT_TOKEN: service.token,
    UPCUT_JOURNAL: journal(),
  }).ended();

/** Dates all that is remembered so many days back. */
async function age(days: number): Promise<void> {
  const date = new Date(Date.now() - days * DAY);
  for (const name of await readdir(journal(), { recursive: true }))
    if (name.endsWith(".json")) await utimes(join(journal(), name), date, date);
}

test("a finished upload is remembered for good, unless days are given", async () => {
  const video = join(folder.path, "video.mp4");
  await writeContent(video, 1000, 1);
  await cli("upload", video);
  await age(3 * 365);
  expect((await cli("upload", video)).stdout).toMatch(/^Already there /);
  await age(31);
  expect((await cli("upload", video, "--remember-for", "30")).stdout).toMatch(/^Uploaded /);
  expect(await cli("upload", video, "--remember-for", "soon")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("expected a whole number of days"),
  });
});

test("an unfinished upload that nobody resumed for a week is forgotten, and named once", async () => {
  const video = join(folder.path, "half.mp4");
  await writeContent(video, 4 * MiB, 2);
  const options = { journal: fileJournal(journal()), once: true, method: "resumable" } as const;
  await stopUpload(service, await openFile(video), options, ({ sent }) => sent > MiB);
  await age(8);
  const { stderr } = await cli("upload", video);
  expect(stderr).toMatch(
    /Forgot the unfinished upload of half\.mp4, which nobody resumed in time\. Its asset \S+ stays in the account\n/,
  );
  expect((await cli("upload", video)).stderr).not.toContain("Forgot");
});
