/** Files on disk that change while they are uploaded, in whichever way this runtime opens them. */
import {
  appendFile,
  chmod,
  link,
  open,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openFile } from "../../../core/file.ts";
import { memoryJournal, type Uploadable, type UploadOptions, upload } from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, contentHash, MiB, sha256, writeContent } from "../../support/content.ts";
import { useFolder } from "../../support/use-folder.ts";

const SIZE = 17 * MiB + 5;
/** The date of the file in seconds, which is given back to it exactly. */
const DATE = 1e9;
const service = useService({ throttle: 60 * MiB });
const folder = useFolder("source");

const { Bun } = globalThis as { Bun?: { file(path: string): Blob } };

/** How a file is opened, and whether one that takes its place is noticed: an open file stays what it was. */
const OPENERS: [string, (path: string) => Promise<Uploadable>, boolean][] = [["openFile()", openFile, false]];
if (Bun !== undefined) OPENERS.push(["Bun.file()", async (path) => Bun.file(path), true]);

/** Writes the file, and ends once a change of it would show in the date that Deno tells in whole seconds. */
async function writeVideo(): Promise<string> {
  const path = join(folder.path, "video.mp4");
  await writeContent(path, SIZE);
  await utimes(path, DATE, DATE);
  const { ctimeMs } = await stat(path);
  const isLater = async () => {
    await writeFile(`${path}.later`, "");
    return (await stat(`${path}.later`)).ctimeMs > ctimeMs;
  };
  await expect.poll(isLater, { interval: 5, timeout: 10_000 }).toBe(true);
  return path;
}

/** Writes other content over a part of the file, and gives it its date back. */
async function overwrite(path: string, start: number, end: number): Promise<void> {
  const file = await open(path, "r+");
  await file.write(content(end, 2), start, end - start, start);
  await file.close();
  await utimes(path, DATE, DATE);
}

/** What happens to a file, and whether its content is then another one without an open file noticing. */
const CHANGES: [string, (path: string) => Promise<void>, boolean][] = [
  ["rewritten", async (path) => void (await writeFile(path, content(SIZE, 2))), false],
  ["cut short", (path) => truncate(path, 10 * MiB), false],
  ["overwritten with its date given back", (path) => overwrite(path, 0, SIZE), false],
  ["made longer", (path) => appendFile(path, content(MiB)), false],
  [
    "replaced by another with the same date",
    async (path) => {
      const { atime, mtimeMs } = await stat(path);
      await writeFile(`${path}.new`, content(SIZE, 2));
      await utimes(`${path}.new`, atime, mtimeMs / 1000);
      await rename(`${path}.new`, path);
    },
    true,
  ],
  ["deleted", (path) => rm(path), true],
];

async function narrow(path: string): Promise<void> {
  await chmod(path, 0o600);
}

describe.each(OPENERS)("a file opened by %s", (_, opens, noticesAnother) => {
  test.each([
    ...CHANGES.map((change) => ["resumable", ...change] as const),
    ...CHANGES.slice(0, 1).map((change) => ["direct", ...change] as const),
  ])(
    "and sent by the %s method is found out to be %s meanwhile",
    async (method, _name, change, isAnother) => {
      const path = await writeVideo();
      let changing: Promise<void> | undefined;
      const onProgress: UploadOptions["onProgress"] = ({ sent }) => {
        if (sent >= 4 * MiB) changing ??= change(path);
      };
      const options: UploadOptions = { method, chunkSize: 8 * MiB, onProgress, journal: memoryJournal() };
      const call = upload(service.client(), await opens(path), options);
      if (isAnother && !noticesAnother) {
        const { asset } = await call;
        expect((await service.whole(asset.id)).sha256).toBe(contentHash(SIZE));
      } else {
        expect(await caught(call)).toMatchObject({ code: "source-changed", resume: { possible: false } });
        // All of it may have left before the change: what is stored whole is the file as it was.
        for (const { sha256: stored } of await service.assets())
          expect([null, contentHash(SIZE)]).toContain(stored);
      }
      await changing;
    },
  );

  test("and overwritten between what it is known by is a new upload in the next call", async () => {
    const path = await writeVideo();
    let changing: Promise<void> | undefined;
    const onProgress: UploadOptions["onProgress"] = ({ sent }) => {
      if (sent >= 4 * MiB) changing ??= overwrite(path, MiB, 8 * MiB);
    };
    const options: UploadOptions = { chunkSize: 8 * MiB, journal: memoryJournal() };
    const call = upload(service.client(), await opens(path), { ...options, onProgress });
    expect(await caught(call)).toMatchObject({ code: "source-changed", resume: { possible: false } });
    await changing;
    const expected = content(SIZE);
    expected.set(content(8 * MiB, 2).subarray(MiB), MiB);
    const { asset, resumed } = await upload(service.client(), await opens(path), options);
    expect(resumed).toBe(false);
    expect((await service.whole(asset.id)).sha256).toBe(sha256(expected));
  });

  test.each(noticesAnother ? [link, narrow] : [link, narrow, rename])(
    "is uploaded whatever name and rights it gets: %o",
    async (act) => {
      const path = join(folder.path, "video.mp4");
      await writeContent(path, SIZE);
      let naming: Promise<void> | undefined;
      const onProgress: UploadOptions["onProgress"] = ({ sent }) => {
        if (sent >= 4 * MiB) naming ??= act(path, `${path}.${act.name}`);
      };
      const { asset } = await upload(service.client(), await opens(path), { chunkSize: 8 * MiB, onProgress });
      await naming;
      await rm(`${path}.${act.name}`, { force: true });
      expect((await service.whole(asset.id)).sha256).toBe(contentHash(SIZE));
    },
  );
});

if (Bun !== undefined) {
  const { file } = Bun;

  describe("a file that Bun has looked at before", () => {
    test("and that has another size by now is refused, and so is a slice of it", async () => {
      const path = join(folder.path, "video.mp4");
      await writeContent(path, SIZE);
      const whole = file(path);
      expect(whole.size).toBe(SIZE);
      const slice = whole.slice(0, 9 * MiB, "video/mp4");
      await new Promise((resolve) => setTimeout(resolve, 20));
      await appendFile(path, content(MiB));
      for (const given of [whole, slice])
        expect(await caught(upload(service.client(), given))).toMatchObject({ code: "source-changed" });
      expect(await service.requests()).toEqual([]);
    });

    test("is uploaded in the slice that was asked for", async () => {
      const path = join(folder.path, "video.mp4");
      await writeContent(path, SIZE);
      const { asset } = await upload(service.client(), file(path).slice(MiB, 10 * MiB, "video/mp4"));
      expect((await service.whole(asset.id)).sha256).toBe(sha256(content(SIZE).subarray(MiB, 10 * MiB)));
    });

    test("and that is not there is empty", async () => {
      const error = await caught(upload(service.client(), file(join(folder.path, "none.mp4"))));
      expect(error).toMatchObject({ code: "empty-source" });
    });
  });
}
