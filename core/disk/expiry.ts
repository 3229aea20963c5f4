/**
 * When a journal in a folder forgets. Clocks may be wrong now, or have been: a date in the future is no age, and a clock that
 * is behind what the folder itself shows dates nothing.
 */
import { lstat, readdir, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { UnfinishedUpload } from "../journal/journal.ts";
import { readJournalEntry } from "../journal/listing.ts";
import { type Lifetimes, lifetimeOf } from "../journal/terms.ts";
import { dateNow } from "../time/clock.ts";
import { DONE_FOLDER } from "./folder.ts";
import { isUnchangedFor, removeObserved } from "./observation.ts";

/** Files that are forgotten in time. */
const OLD_FILE = /\.(json|json\.damaged|tmp|seen)$/;

export function isExpired(mtimeMs: number, maxAge: number): boolean {
  return dateNow() - mtimeMs > maxAge;
}

/**
 * Removes what is too old: locations are secrets, and don't outlive their use.
 *
 * @param read gives an entry, to tell what is forgotten of it
 * @returns what was forgotten, and the newest date in the folder where this machine's clock is behind all of them
 */
export async function forgetExpired(
  folder: string,
  lifetimes: Lifetimes,
  leaseTimeout: number,
  read: (file: string) => Promise<unknown>,
): Promise<{ forgotten: UnfinishedUpload[]; newest: number }> {
  const forgotten: UnfinishedUpload[] = [];
  /** Dates of the entries that stay. */
  let [oldest, newest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const done = await readdir(join(folder, DONE_FOLDER)).catch(() => []);
  const paths = [...(await readdir(folder)), ...done.map((name) => join(DONE_FOLDER, name))];
  const present = new Set(paths);
  const isOfNothing = (note: string) => {
    const observed = note.replace(/\.seen$/, "");
    return !present.has(observed) && !present.has(`${observed}.claim`);
  };
  for (const path of paths) {
    const [file, name] = [join(folder, path), basename(path)];
    const { mtimeMs } = await lstat(file).catch(() => ({ mtimeMs: Number.NaN }));
    const kind = OLD_FILE.exec(name)?.[1];
    if (Number.isNaN(mtimeMs) || kind === undefined) continue;
    const [key = name] = /^[\w-]+(\.done)?(?=\.json)/.exec(name) ?? [];
    const lifetime = kind === "tmp" ? leaseTimeout : lifetimeOf(key, lifetimes);
    // A note outlives its entry, which is judged by the note.
    const maxAge = kind !== "seen" ? lifetime : isOfNothing(path) ? leaseTimeout : 2 * lifetime;
    // An entry with a location ends although its date lies in the future: once it was seen for as long.
    const isAhead = Math.floor(mtimeMs) > dateNow() && kind.startsWith("json");
    if (isExpired(mtimeMs, maxAge) || (isAhead && (await isUnchangedFor(folder, name, maxAge)))) {
      if (kind === "json") forgotten.push(...readJournalEntry(key, await read(file)));
      await removeObserved(dirname(file), name);
    } else if (kind === "json") [oldest, newest] = [Math.min(oldest, mtimeMs), Math.max(newest, mtimeMs)];
  }
  return { forgotten, newest: oldest > dateNow() ? newest : Number.NEGATIVE_INFINITY };
}

/** Dates a file that was just written by the folder, where this machine's clock is behind it. */
export async function dateBy(newest: number, file: string): Promise<void> {
  if (dateNow() < newest) await utimes(file, newest / 1000, newest / 1000).catch(() => {});
}
