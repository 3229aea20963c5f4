/** Claims of a journal in a folder: files that say who holds a key, and whether that one is still there. */
import { readlinkSync } from "node:fs";
import { lstat, readdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isObject, parseJson } from "../is-object.ts";
import { dateNow } from "../time/clock.ts";
import { codeOf } from "../unexpected-failure.ts";
import { probe, removeFile } from "./folder.ts";

/** Bytes of the largest claim that is read: one says process, machine and id. */
const LARGEST_CLAIM = 4096;

/** A claim of a key. Whoever takes a key over makes one of the next generation. */
export interface Claim {
  readonly name: string;
  readonly generation: number;
}

/** The text of a claim of this process; its id tells it from all others. */
export function claimText(id: string): string {
  return JSON.stringify({ process: process.pid, host: hostname(), namespace: processNamespace(), id });
}

/** Within what a process number means one process: containers may share the name of their host, and not its numbers. */
function processNamespace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // Only Linux has them.
    return undefined;
  }
}

export async function claimsOf(folder: string, key: string): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (const name of await readdir(folder)) {
    const number = name.startsWith(`${key}.`)
      ? /^(\d{1,15})\.claim$/.exec(name.slice(key.length + 1))?.[1]
      : undefined;
    if (number !== undefined) claims.push({ name, generation: Number(number) });
  }
  return claims.sort((a, b) => a.generation - b.generation);
}

export async function removeClaim(folder: string, name: string): Promise<void> {
  for (const file of [join(folder, name), observationFile(folder, name)]) await removeFile(file);
}

export async function someHeld(folder: string, claims: Claim[], timeout: number): Promise<boolean> {
  for (const { name } of claims) if (await isHeld(folder, name, timeout)) return true;
  return false;
}

async function isHeld(folder: string, name: string, timeout: number): Promise<boolean> {
  const state = await readClaim(join(folder, name));
  if (state === undefined) return false;
  const { text, mtimeMs } = state;
  const isRunning = isRunningHere(text);
  if (isRunning === false) return false;
  const age = dateNow() - mtimeMs;
  // Its date comes from this machine's clock; only one that was set back dates it in the future.
  if (isRunning && age > -timeout) return age <= timeout;
  return !(await isUnchangedFor(folder, name, JSON.stringify(state), timeout));
}

/** All of a claim that a sign of life changes: a heartbeat sets its date. */
interface ClaimState {
  text: string;
  size: number;
  mtimeMs: number;
}

async function readClaim(file: string): Promise<ClaimState | undefined> {
  try {
    const facts = await lstat(file);
    const isReadable = facts.isFile() && facts.size <= LARGEST_CLAIM;
    const text = isReadable ? await readFile(file, "utf8") : "";
    // Runtimes disagree about fractions.
    return { text, size: facts.size, mtimeMs: Math.floor(facts.mtimeMs) };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** True if a claim's process runs on this machine; `undefined` where nobody here can tell. */
function isRunningHere(text: string): boolean | undefined {
  // None if it is being written just now, on a full disk, or never ours.
  const holder = parseJson(text);
  if (!isObject(holder) || holder.host !== hostname() || holder.namespace !== processNamespace())
    return undefined;
  const { process: id } = holder;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id <= 0) return undefined;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    const code = codeOf(error);
    // A process of another person runs as well.
    if (code === "EPERM") return true;
    return code === "ESRCH" ? false : undefined;
  }
}

function observationFile(folder: string, name: string): string {
  return join(folder, name.replace(/claim$/, "seen"));
}

/**
 * True if a claim was seen unchanged for so long. Dates of other machines can't be compared with the clock of this one,
 * so what is seen is noted in the folder, for other processes too, and its age is told by the folder's own clock: as
 * the difference between the note and a file that is made now.
 */
async function isUnchangedFor(
  folder: string,
  name: string,
  state: string,
  timeout: number,
): Promise<boolean> {
  const file = observationFile(folder, name);
  const note = await readClaim(file);
  if (note?.text === state) {
    const age = (await probe(folder)).mtimeMs - note.mtimeMs;
    if (age >= 0) return age > timeout;
  }
  await removeFile(file);
  await writeFile(file, state, { flag: "wx", mode: 0o600 }).catch((error: unknown) => {
    // Another process has noted it just now.
    if (codeOf(error) !== "EEXIST") throw error;
  });
  // Its holder may have given the claim back, and looked for this note to remove, just before the note was written.
  if ((await readClaim(join(folder, name))) === undefined) await removeFile(file);
  return false;
}
