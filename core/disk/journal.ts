/**
 * A journal in a folder: one file per source, readable by the person alone, safe between processes.
 *
 * @module
 */

import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as v from "valibot";
import { codeOf } from "../error-code.ts";
import { UploadError } from "../errors.ts";
import type { Journal, JournalEntry } from "../journal.ts";
import { expected, readOptions, refusedOption } from "../options.ts";
import { LEASE_TIMEOUT, lease } from "./lease.ts";

/** How long a journal remembers. */
export interface FileJournalOptions {
  /** Milliseconds until an entry is forgotten after it was last written. @default 604800000 (7 days) */
  maxAge?: number;
}

/** Bytes of room for a first entry: asset and location are two or three thousand. */
const RESERVED_SIZE = 16_384;

const journalOptions = v.strictObject({
  maxAge: v.optional(
    expected<number>((value) => typeof value === "number" && value > 0, "milliseconds above 0"),
    7 * 24 * 60 * 60 * 1000,
  ),
});

/**
 * A journal in a folder, so that an upload can be resumed after the process ended. Works in Node, Bun and Deno, and
 * what one of them wrote the others resume.
 *
 * The folder and its files can be read by their owner alone (0700, 0600): they hold upload locations. Entries are
 * written whole or not at all. A lease ends with its process.
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
export function fileJournal(path: string, options: FileJournalOptions = {}): Journal {
  if (typeof path !== "string" || path.trim() === "")
    throw refusedOption("open a journal", "the path", path, "a folder");
  const { maxAge } = readOptions("open a journal", journalOptions, options);
  const folder = resolve(path);
  const fileOf = (key: string) => join(folder, `${key.replace(/[^\w.-]/g, "_")}.json`);
  let tidied = false;
  /** Drafts with room for an entry, by key; whoever stores one takes one. */
  const reserved = new Map<string, string[]>();
  const prepare = async () => {
    // Each time: somebody may empty the place while an upload runs.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (tidied) return;
    tidied = true;
    await forgetExpired(folder, maxAge);
  };
  return {
    async get(key) {
      await prepare();
      return await readEntry(fileOf(key), maxAge);
    },
    async set(key, entry) {
      await prepare();
      await writeWhole(fileOf(key), JSON.stringify(entry), reserved.get(key)?.pop());
    },
    async delete(key) {
      await rm(fileOf(key), { force: true });
    },
    async claim(key) {
      await prepare();
      return await lease(folder, key.replace(/[^\w.-]/g, "_"));
    },
    async reserve(key) {
      await prepare();
      const draft = draftOf(fileOf(key));
      await writeDraft(draft, " ".repeat(RESERVED_SIZE)).catch(async (error: unknown) => {
        await rm(draft, { force: true });
        throw error;
      });
      const drafts = reserved.get(key) ?? [];
      reserved.set(key, [...drafts, draft]);
      return async () => {
        const left = (reserved.get(key) ?? []).filter((each) => each !== draft);
        if (left.length > 0) reserved.set(key, left);
        else reserved.delete(key);
        await rm(draft, { force: true });
      };
    },
  };
}

async function readEntry(file: string, maxAge: number): Promise<JournalEntry | undefined> {
  let text: string;
  try {
    if (Date.now() - (await stat(file)).mtimeMs > maxAge) {
      await rm(file, { force: true });
      return undefined;
    }
    text = await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    const aside = `${file}.damaged`;
    await rename(file, aside);
    throw new UploadError(
      "journal-failed",
      "Cannot resume from the journal: its entry for this source is damaged. " +
        'It was renamed in the folder, to end in ".damaged"; the next call starts a new asset',
    );
  }
}

const draftOf = (file: string) => `${file}.${randomUUID()}.tmp`;

/** A reader sees the former or the new entry, never half of one, also after a power failure. */
async function writeWhole(file: string, text: string, room?: string): Promise<void> {
  const draft = room ?? draftOf(file);
  try {
    if (room === undefined || !(await writeOver(room, text))) await writeDraft(draft, text);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeDraft(draft: string, text: string): Promise<void> {
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes where the disk has given room already, so that it may be full meanwhile; `false` if the room is gone. */
async function writeOver(draft: string, text: string): Promise<boolean> {
  const bytes = new TextEncoder().encode(text);
  const handle = await open(draft, "r+").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (handle === undefined) return false;
  try {
    await handle.writeFile(bytes);
    await handle.truncate(bytes.length);
    await handle.sync();
    return true;
  } finally {
    await handle.close();
  }
}

/** Locations are secrets: they don't outlive their use. */
async function forgetExpired(folder: string, maxAge: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const age = Date.now() - (await stat(file).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
    const abandoned = name.endsWith(".tmp") && age > LEASE_TIMEOUT;
    if (abandoned || (/\.json(\.damaged)?$/.test(name) && age > maxAge)) await rm(file, { force: true });
  }
}
