/** A journal in a folder: one file per source, readable by the person alone, safe between processes. */
import { mkdir, readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import * as v from "valibot";
import { codeOf } from "../errors/unexpected-failure.ts";
import type { Journal, UnfinishedUpload } from "../journal/journal.ts";
import { readJournalEntry } from "../journal/listing.ts";
import { inPlace, leaseTaken } from "../journal/store.ts";
import {
  isDoneKey,
  type JournalOptions,
  leaseTimeoutCheck,
  lifetimeChecks,
  lifetimeOf,
  RESERVED_SIZE,
  takeReserved,
} from "../journal/terms.ts";
import { callback, readOptions, refusedOption } from "../options/checks.ts";
import { tell } from "../options/tell.ts";
import { writingKeysLeft } from "./claim.ts";
import {
  closeRoom,
  draftOf,
  leaveRoom,
  listedEntry,
  makeRoom,
  readEntryFile,
  writeNext,
  writeWhole,
  writeWithRoom,
} from "./entry-file.ts";
import { dateBy, forgetExpired } from "./expiry.ts";
import { DONE_FOLDER, prepareFolder, probe, removeFile } from "./folder.ts";
import { lease } from "./lease.ts";
import { removeObserved } from "./observation.ts";
import { openWriters, type Writer } from "./writers.ts";

/** Holders are looked after every second or two. */
const LEAST_LEASE_TIMEOUT = 3_000;

const journalOptions = v.strictObject({
  ...lifetimeChecks,
  leaseTimeout: leaseTimeoutCheck(LEAST_LEASE_TIMEOUT),
  onForget: v.optional(callback<(uploads: UnfinishedUpload[]) => void>()),
});

/**
 * A journal in a folder, so that an upload can be resumed after the process ended. Works in Node, Bun and Deno, and
 * what one of them wrote the others resume.
 *
 * The folder and its files can be read by their owner alone (0700, 0600): they hold upload locations. A folder that
 * others can read is narrowed if it holds nothing else, else it is refused; links and files of other users aren't read.
 * Entries are written whole or not at all; those of finished uploads lie in a folder inside, `.done`.
 *
 * A lease ends with its process. It also ends where its holder shows no sign of life for `leaseTimeout`: the holder, should
 * it wake, steps aside. The process of another machine, or of an unreadable claim, is seen to be gone once a claim
 * stayed the same for that long, whatever its date; until then a call ends with `in-progress`.
 *
 * @param path the folder; made when it is first needed
 * @param options how long it remembers
 * @returns the journal, for `upload()` and `discard()`
 * @throws {InputError} `invalid-option`
 * @example Remember uploads for a day
 * ```ts
 * import { fileJournal } from "@upcut/core/file";
 *
 * const journal = fileJournal("./.uploads", { maxAge: 24 * 60 * 60 * 1000 });
 * console.log(typeof journal.claim); // "function"
 * ```
 */
export function fileJournal(
  path: string,
  options: JournalOptions & {
    /** Called once with unfinished uploads that were too old and are forgotten: their assets stay in the account. */
    onForget?: ((uploads: UnfinishedUpload[]) => void) | undefined;
  } = {},
): Required<Journal> {
  if (typeof path !== "string" || path.trim() === "")
    throw refusedOption("open a journal", "the path", path, "a folder");
  const { leaseTimeout, onForget, ...lifetimes } = readOptions("open a journal", journalOptions, options);
  const folder = resolve(path);
  const done = join(folder, DONE_FOLDER);
  const nameOf = (key: string) => `${key.replace(/[^\w.-]/g, "_")}.json`;
  const fileOf = (key: string) => join(isDoneKey(key) ? done : folder, nameOf(key));
  /** Earlier versions kept finished uploads beside the others. */
  const placesOf = (key: string) => [...new Set([fileOf(key), join(folder, nameOf(key))])];
  let ownerHere: number | undefined;
  /** The user to whom a new file belongs: on some shared disks all files belong to one. */
  const owner = async () => {
    ownerHere ??= (await probe(folder)).uid;
    return ownerHere;
  };
  let tidied = false;
  /** The newest date in the folder, where this clock is behind. */
  let newest = Number.NEGATIVE_INFINITY;
  /** Keys of entries by drafts that are as large as one. */
  const drafts = new Map<string, string>();
  const prepare = async () => {
    await prepareFolder(folder);
    if (tidied) return;
    tidied = true;
    const readAny = (file: string) => listedEntry(file, { maxAge: Number.POSITIVE_INFINITY, owner });
    const found = await forgetExpired(folder, lifetimes, leaseTimeout, readAny);
    newest = found.newest;
    // A killed process leaves more claims than those of its slots, which may never be asked for again. Others wait for one.
    for (const key of await writingKeysLeft(folder)) await (await lease(folder, key, leaseTimeout))?.();
    if (found.forgotten.length > 0) tell(onForget, found.forgotten, () => {});
  };
  /** Looks at the folder first, and again only where somebody emptied it meanwhile. */
  const inFolder = async <T>(key: string, work: () => Promise<T>) => {
    if (!tidied) await prepare();
    return await work().catch(async (error: unknown) => {
      if (codeOf(error) !== "ENOENT") throw error;
      await prepare();
      if (isDoneKey(key)) await mkdir(done, { recursive: true, mode: 0o700 });
      return await work();
    });
  };
  const leave = async ({ room, lease, since }: Writer) => {
    // A process that was suspended leaves the entry alone, and a disk that is full keeps all versions.
    const mayLeave = room && since() < LEAST_LEASE_TIMEOUT / 2 && (await lease.isHeld?.()) !== false;
    if (mayLeave) await leaveRoom(room).catch(() => {});
    await closeRoom(room);
    if (room !== undefined) await dateBy(newest, room.file);
  };
  const { claim, writerOf } = openWriters(
    (key) => inFolder(key, () => lease(folder, key.replace(/[^\w.-]/g, "_"), leaseTimeout)),
    leave,
  );
  /** Stores an entry under the lease to write it, which nobody else has meanwhile. */
  const write = async (key: string, text: string, writer: Writer) => {
    const [file, draft] = [fileOf(key), takeReserved(drafts, key)];
    const { room } = writer;
    if (room === undefined || !(await writeNext(room, text))) {
      await closeRoom(room);
      writer.room = undefined;
      // The file may be another's by now.
      if ((await writer.lease.isHeld?.()) === false) throw leaseTaken();
      writer.room = await inFolder(key, () => writeWithRoom(file, text, draft));
    } else if (draft !== undefined) await removeFile(draft);
  };
  /** A change that fails leaves unknown what is stored. */
  const noteChange = (key: string, writer: Writer | undefined) => {
    writer?.texts.delete(key);
    if (writer !== undefined) writer.isUnchanged = false;
  };
  const journal: Required<Journal> = {
    async get(key) {
      const writer = writerOf(key);
      const known = writer?.texts.get(key);
      if (known !== undefined) return known === "" ? undefined : JSON.parse(known);
      if (!tidied) await prepare();
      for (const file of placesOf(key)) {
        if (writer?.isUnchanged && dirname(file) === folder && !writer.lease.names.includes(nameOf(key)))
          continue;
        const readable = { maxAge: lifetimeOf(key, lifetimes), owner };
        const entry = await readEntryFile(file, readable, (room) => {
          // Another upload of the source may have read what was there before the last write.
          if (writer !== undefined && !isDoneKey(key)) writer.room ??= room;
        });
        // The reader of an entry checks its shape: it may be of another version.
        if (entry !== undefined) return entry;
      }
      if (writer?.isUnchanged) writer.texts.set(key, "");
      return undefined;
    },
    async set(key, entry) {
      const [text, writer] = [JSON.stringify(entry), writerOf(key)];
      noteChange(key, writer);
      // A finished upload is seldom written again.
      if (writer !== undefined && !isDoneKey(key)) await write(key, text, writer);
      else await inFolder(key, () => writeWhole(fileOf(key), text, takeReserved(drafts, key)));
      writer?.texts.set(key, text);
      await dateBy(newest, fileOf(key));
    },
    async delete(key) {
      const writer = writerOf(key);
      noteChange(key, writer);
      if (writer !== undefined && !isDoneKey(key)) {
        await closeRoom(writer.room);
        writer.room = undefined;
      }
      for (const file of placesOf(key)) await removeObserved(dirname(file), nameOf(key));
      writer?.texts.set(key, "");
    },
    async list() {
      await prepare();
      const listed: UnfinishedUpload[] = [];
      for (const name of await readdir(folder)) {
        const key = /^([\w.-]+)\.json$/.exec(name)?.[1];
        if (key === undefined || isDoneKey(key)) continue;
        const entry = await listedEntry(join(folder, name), { maxAge: lifetimes.maxAge, owner });
        listed.push(...readJournalEntry(key, entry));
      }
      return listed;
    },
    claim,
    async reserve(key) {
      const { end = 0, size = 0 } = writerOf(key)?.room ?? {};
      if (size - end > RESERVED_SIZE / 2) return async () => {};
      const draft = draftOf(fileOf(key));
      await inFolder(key, () => makeRoom(draft));
      drafts.set(draft, key);
      return async () => {
        if (drafts.delete(draft)) await removeFile(draft);
      };
    },
  };
  return inPlace(journal, folder);
}
