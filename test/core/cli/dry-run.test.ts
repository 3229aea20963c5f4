/** The command `upload` with `--dry-run`. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { fileJournal, openFile } from "../../../core/file.ts";
import type { JournalEntry } from "../../../core/journal/journal.ts";
import { journalKey } from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { writeContent } from "../../support/content.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService();
const folder = useFolder("cli-dry-run");
let [there, other] = ["", ""];
beforeAll(async () => {
  [there, other] = [join(folder.path, "there.mp4"), join(folder.path, "other.mp4")];
  await writeContent(there, 1000, 1);
  await writeContent(other, 2000, 2);
});

const withoutToken = () => ({
  UPCUT_URL: service.baseUrl,
  UPCUT_JOURNAL: join(folder.path, "journal"),
  XDG_CONFIG_HOME: folder.path,
});
const settings = () => ({ ...withoutToken(), UPCUT_TOKEN: service.token });
const dry = async (paths: string[], more: string[] = [], given: Record<string, string> = settings()) =>
  await startCliHere(["upload", ...paths, "--dry-run", ...more], given).ended();

test("upcut upload --dry-run tells what is there already, and of what with --new", async () => {
  await startCliHere(["upload", there], settings()).ended();
  const [stored] = await service.assets();
  const assetId = stored?.asset.id;
  expect(await dry([there, other])).toEqual({
    code: 0,
    stdout: `${there} is there already: asset ${assetId}\nWould upload ${other} (2.0 kB)\n`,
    stderr: "1 video, 2.0 kB; 1 there already\n",
  });
  const { stdout } = await dry([there, other], ["--json"]);
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { event: "already-there", source: there, size: 1000, assetId },
    { event: "would-upload", source: other, size: 2000 },
    { event: "summary", videos: 1, bytes: 2000, alreadyThere: 1, failed: 0 },
  ]);
  expect((await dry([there, other], ["--new"])).stderr).toBe("2 videos, 3.0 kB\n");
  // Another request makes another asset.
  expect((await dry([there], ["--name", "Another"])).stderr).toBe("1 video, 1.0 kB\n");
  expect(await dry([there], ["--quiet"])).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await service.assets()).toHaveLength(1);
});

test("upcut upload --dry-run tells that a video is begun once more, which an upload resumes", async () => {
  await startCliHere(["upload", other], settings()).ended();
  expect((await dry([other])).stderr).toBe("0 videos, 0 B; 1 there already\n");
  const key = (await journalKey(await openFile(other))) ?? "";
  const journal = fileJournal(join(folder.path, "journal"));
  const { done = {} } = (await journal.get(`${key}.done`)) as JournalEntry;
  const [context = ""] = Object.keys(done);
  const record = { ...done[context], method: "resumable", asset: { id: "another" } };
  await journal.set(key, {
    version: 1,
    uploads: { [context]: { ...record, location: "http://127.0.0.1:9/" } },
  });
  expect((await dry([other])).stderr).toBe("1 video, 2.0 kB\n");
  await journal.delete(key);
  await journal.delete(`${key}.done`);
  await service.reset();
});

test("upcut upload --dry-run lists videos without an account, and asks no server", async () => {
  expect(await dry([other], [], withoutToken())).toEqual({
    code: 0,
    stdout: `Would upload ${other} (2.0 kB)\n`,
    stderr: "1 video, 2.0 kB. Those that are there already will be left out\n",
  });
  expect(await dry([other, "http://127.0.0.1:9/far.mp4"])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\nWould upload http:\/\/127\.0\.0\.1:9[^(]*\n$/),
    stderr: "2 videos, 2.0 kB. Those that are there already will be left out\n",
  });
  expect(await service.requests()).toEqual([]);
});

test("upcut upload --dry-run ends with 1 where a video would fail, or there is none", async () => {
  const notes = join(folder.path, "notes.txt");
  await writeFile(notes, "no video");
  expect(await dry([other, notes])).toMatchObject({
    code: 1,
    stdout: `Would upload ${other} (2.0 kB)\n`,
    stderr: expect.stringMatching(/^Failed .*notes\.txt.*\n1 video, 2\.0 kB; 1 would fail\n$/s),
  });
  const empty = join(folder.path, "empty");
  await mkdir(empty);
  expect(await dry([empty])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^\S.*\n$/),
  });
});
