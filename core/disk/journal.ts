/**
 * A journal in a folder: one file per source, readable by the person alone, safe between processes.
 *
 * @module
 */

import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { codeOf } from "../error-code.ts";
import { InputError, UploadError } from "../errors.ts";
import { isObject } from "../is-object.ts";
import type { Journal, JournalEntry } from "../journal.ts";
import { describeValue } from "../redaction.ts";

/** How long a journal remembers. */
export interface FileJournalOptions {
  /** Milliseconds until an entry is forgotten after it was last written. @default 604800000 (7 days) */
  maxAge?: number;
}

/** A lease whose holder gave no sign for this long is free, wherever its process ran. */
const LEASE_TIMEOUT = 30_000;
const HEARTBEAT_INTERVAL = 5_000;
/** Bytes of room for a first entry: asset and location are two or three thousand. */
const RESERVED_SIZE = 16_384;

/**
 * A journal in a folder, so that an upload continues after the process ended. Works in Node, Bun and Deno, and what
 * one of them wrote the others continue.
 *
 * The folder and its files can be read by their owner alone (0700, 0600): they hold upload locations. Entries are
 * written whole or not at all. A claim ends with its process.
 *
 * @param path the folder; made when it is first needed
 * @example
 * ```ts
 * import { fileJournal } from "@upcut/core/file";
 *
 * const journal = fileJournal("./.uploads", { maxAge: 24 * 60 * 60 * 1000 });
 * console.log(typeof journal.claim); // "function"
 * ```
 */
export function fileJournal(path: string, options: FileJournalOptions = {}): Journal {
  if (typeof path !== "string" || path.trim() === "") {
    throw new InputError(
      "invalid-option",
      `Cannot open a journal: the path is ${describeValue(path)}, expected a folder`,
    );
  }
  const { maxAge = 7 * 24 * 60 * 60 * 1000 } = options;
  if (typeof maxAge !== "number" || !(maxAge > 0)) {
    throw new InputError(
      "invalid-option",
      `Cannot open a journal: maxAge is ${describeValue(maxAge)}, expected milliseconds above 0`,
    );
  }
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
      return await claim(folder, key.replace(/[^\w.-]/g, "_"));
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

/**
 * Claims are files numbered in generations, made exclusively: whoever finds the newest one abandoned makes the next
 * one, and only one process can. Two that still meet both step back.
 */
async function claim(folder: string, key: string): Promise<(() => Promise<void>) | undefined> {
  const before = await claimsOf(folder, key);
  if (await someAlive(folder, before)) return undefined;
  const generation = (before.at(-1)?.generation ?? 0) + 1;
  const name = `${key}.${generation}.claim`;
  const file = join(folder, name);
  try {
    await writeFile(file, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") return undefined;
    throw error;
  }
  // A full disk still takes the file, which then holds by its heartbeat alone.
  await writeFile(file, JSON.stringify({ process: process.pid, host: hostname() })).catch(() => {});
  const others = (await claimsOf(folder, key)).filter((each) => each.name !== name);
  if (await someAlive(folder, others)) {
    await rm(file, { force: true });
    return undefined;
  }
  for (const { name: old } of others) await rm(join(folder, old), { force: true });
  const heartbeat = setInterval(
    () => utimes(file, new Date(), new Date()).catch(() => {}),
    HEARTBEAT_INTERVAL,
  );
  // In Deno timers are numbers; neither may keep the process alive.
  if (typeof heartbeat === "object") heartbeat.unref();
  return async () => {
    clearInterval(heartbeat);
    await rm(file, { force: true });
  };
}

interface Claim {
  name: string;
  generation: number;
}

async function claimsOf(folder: string, key: string): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (const name of await readdir(folder)) {
    const number = name.startsWith(`${key}.`)
      ? /^(\d+)\.claim$/.exec(name.slice(key.length + 1))?.[1]
      : undefined;
    if (number !== undefined) claims.push({ name, generation: Number(number) });
  }
  return claims.sort((a, b) => a.generation - b.generation);
}

async function someAlive(folder: string, claims: Claim[]): Promise<boolean> {
  for (const { name } of claims) if (await isAlive(join(folder, name))) return true;
  return false;
}

async function isAlive(file: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs > LEASE_TIMEOUT) return false;
    const holder: unknown = JSON.parse(await readFile(file, "utf8"));
    if (!isObject(holder) || holder.host !== hostname() || typeof holder.process !== "number") return true;
    process.kill(holder.process, 0);
    return true;
  } catch (error) {
    // Without its holder (being written just now, or on a full disk), or held by a process of another person.
    return error instanceof SyntaxError || codeOf(error) === "EPERM";
  }
}
