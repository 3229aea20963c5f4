/** The folder of a journal: for its owner alone, and what a file made there looks like. */
import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { chmod, mkdir, open, readdir, rm, stat, unlink } from "node:fs/promises";
import { platform } from "node:os";
import { join } from "node:path";
import { UploadError } from "../errors/errors.ts";
import { codeOf } from "../errors/unexpected-failure.ts";

/** The names in a journal: finished uploads, entries, damaged ones, drafts, claims, and notes about claims. */
const OWN_FILE = /^\.done$|\.(json|json\.damaged|tmp|claim|seen)$/;
/** The folder of finished uploads, which may be many: each lease lists the one above. */
export const DONE_FOLDER = ".done";
export const OTHERS_RIGHTS = 0o077;
const STICKY = 0o1000;

/**
 * Makes the folder where there is none, and takes away what others may do in one that is there.
 *
 * @throws {UploadError} `journal-failed` where others can still read it
 */
export async function prepareFolder(folder: string): Promise<void> {
  // The folder is looked at each time: somebody may empty the place while an upload runs.
  const facts = await stat(folder).catch(() => undefined);
  if (facts?.isDirectory() !== true) await mkdir(folder, { recursive: true, mode: 0o700 });
  // Windows has no such rights: what is made in a person's folder belongs to that person.
  if (platform() === "win32") return;
  const { mode } = facts ?? (await stat(folder));
  if ((mode & OTHERS_RIGHTS) === 0) return;
  // A folder that is shared for something else, such as that for temporary files, must stay so.
  const isOwn = (mode & STICKY) === 0 && (await readdir(folder)).every((name) => OWN_FILE.test(name));
  if (isOwn) await chmod(folder, mode & 0o700).catch(() => {});
  if (((await stat(folder)).mode & OTHERS_RIGHTS) === 0) return;
  const state = isOwn ? "its rights can't be changed" : "it holds other files too";
  throw new UploadError(
    "journal-failed",
    `Cannot use the journal: its folder is open to other users, and ${state}. Give it a folder of its own, with rights 0700`,
  );
}

/**
 * Has one run on a folder answer all who ask before it begins: what they have changed there, it sees.
 *
 * @returns asks for a run
 */
function together<T>(run: (folder: string) => Promise<T>): (folder: string) => Promise<T> {
  const runs = new Map<string, { last: Promise<unknown>; next?: Promise<T> | undefined }>();
  return (folder) => {
    const turns = runs.get(folder) ?? { last: Promise.resolve() };
    runs.set(folder, turns);
    turns.next ??= turns.last.then(() => {
      turns.next = undefined;
      const running = run(folder);
      turns.last = running
        .catch(() => {})
        .then(() => {
          if (turns.next === undefined) runs.delete(folder);
        });
      return running;
    });
    return turns.next;
  };
}

export const readNames: (folder: string) => Promise<readonly string[]> = together((folder) =>
  readdir(folder),
);

/** Writes down the names in a folder: a power cut may take back the new one of a file. */
export const syncNames: (folder: string) => Promise<void> = together(async (folder) => {
  // Windows writes them down by itself, and opens no folder.
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
});

/** Removes a file, whatever has its name. */
export async function removeFile(file: string): Promise<void> {
  // rm() takes three calls for it.
  await unlink(file).catch(async (error: unknown) => {
    if (codeOf(error) !== "ENOENT") await rm(file, { recursive: true, force: true });
  });
}

/** The owner and the time of a file made in the folder now: the time is that of the folder's own clock. */
export async function probe(folder: string): Promise<Stats> {
  const file = join(folder, `${randomUUID()}.tmp`);
  const handle = await open(file, "wx", 0o600);
  try {
    return await handle.stat();
  } finally {
    await handle.close();
    await removeFile(file);
  }
}
