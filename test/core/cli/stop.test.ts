/** What the command line remembers of uploads, for how long, and what it says once that is over. */
import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answeredBefore, isOfFullDisk, stopsAll } from "../../../core/cli/stop.ts";
import type { Client, UploadLocation } from "../../../core/client.ts";
import { UploadError } from "../../../core/errors/errors.ts";
import { fileJournal, openFile } from "../../../core/file.ts";
import { useService } from "../../service/use-service.ts";
import { MiB, writeContent } from "../../support/content.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { stopUpload } from "../../support/programs/stopped-upload.ts";
import { useFolder } from "../../support/use-folder.ts";

const DAY = 24 * 60 * 60 * 1000;
const service = useService();
const folder = useFolder("memory");
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

test.each([
  ["ENOSPC", true],
  ["EDQUOT", true],
  ["EROFS", true],
  ["EIO", false],
])("a journal that fails with %s stops all other videos: %s", (code, isFull) => {
  const error = new UploadError("journal-failed", "Cannot write the journal", { cause: { code } });
  expect([isOfFullDisk(error), stopsAll(error)]).toEqual([isFull, isFull]);
});

describe("answeredBefore()", () => {
  const start = () => {
    const stopper = new AbortController();
    const answers: ((location: UploadLocation) => void)[] = [];
    const asked: (AbortSignal | undefined)[] = [];
    const requestUpload: Client["requestUpload"] = (_, options) => {
      asked.push(options?.signal);
      return new Promise((resolve) => answers.push(resolve));
    };
    const client = { requestUpload, scope: async () => "" } as unknown as Client;
    return { stopper, answers, asked, ...answeredBefore(stopper.signal, client) };
  };

  const options = { signal: new AbortController().signal };

  test("lets what was asked be answered, and asks nothing more", async () => {
    const { stopper, answers, asked, account, signal } = start();
    const calls = [account.requestUpload({}, options), account.requestUpload({}, options)];
    stopper.abort(new Error("stopped"));
    await expect(account.requestUpload({}, options)).rejects.toThrow("stopped");
    answers[0]?.({} as UploadLocation);
    await calls[0];
    expect([signal.aborted, ...asked.map((each) => each?.aborted)]).toEqual([false, false, false]);
    answers[1]?.({} as UploadLocation);
    await calls[1];
    expect(signal).toMatchObject({ aborted: true, reason: stopper.signal.reason });
  });

  test("ends at once where nothing was asked", () => {
    const { stopper, signal } = start();
    stopper.abort();
    expect(signal.aborted).toBe(true);
  });
});
