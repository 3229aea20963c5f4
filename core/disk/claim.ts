/** Claims of a journal in a folder: files that say who holds a key, and whether that one is still there. */
import { join } from "node:path";
import { codeOf } from "../errors/unexpected-failure.ts";
import { isWritingKey } from "../journal/terms.ts";
import { isObject, parseJson } from "../text/is-object.ts";
import { dateNow } from "../time/clock.ts";
import { readNames } from "./folder.ts";
import { isUnchangedFor, readState } from "./observation.ts";
import { hostName, processNamespace } from "./system.ts";

/** A claim of a key. Whoever takes a key over makes one of the next generation. */
export interface Claim {
  readonly name: string;
  readonly key: string;
  readonly generation: number;
}

/** The text of a claim of this process; its id tells it from all others. */
export function claimText(id: string): string {
  return JSON.stringify({ process: process.pid, host: hostName(), namespace: processNamespace(), id });
}

export function claimOf(key: string, generation: number): Claim {
  return { name: `${key}.${generation}.claim`, key, generation };
}

function readClaim(name: string): Claim | undefined {
  const [, key, generation] = /^(.+)\.(\d{1,15})\.claim$/.exec(name) ?? [];
  return key === undefined ? undefined : { name, key, generation: Number(generation) };
}

/** The claims of a key among the names in a folder. */
export function claimsIn(names: readonly string[], key: string): Claim[] {
  const others = names.filter((name) => name.startsWith(`${key}.`));
  const claims = others.flatMap((name) => readClaim(name) ?? []).filter((claim) => claim.key === key);
  return claims.sort((a, b) => a.generation - b.generation);
}

export async function claimsOf(folder: string, key: string): Promise<Claim[]> {
  return claimsIn(await readNames(folder), key);
}

export async function someHeld(folder: string, claims: Claim[], timeout: number): Promise<boolean> {
  for (const { name } of claims) if (await isHeld(folder, name, timeout)) return true;
  return false;
}

/** Claims that were found abandoned, by date and text: those of one process are the same file. */
const abandoned = new Set<string>();

async function isHeld(folder: string, name: string, timeout: number): Promise<boolean> {
  const state = await readState(join(folder, name));
  if (state === undefined) return false;
  const { text, mtimeMs } = state;
  const isRunning = isRunningHere(text);
  if (isRunning === false) return false;
  const age = dateNow() - mtimeMs;
  // A process of this machine dates by its clock; only a clock that was set back dates a claim in the future.
  if (isRunning && age > -timeout) return age <= timeout;
  const claim = `${mtimeMs} ${text}`;
  if (text === "" || !abandoned.has(claim)) {
    if (!(await isUnchangedFor(folder, name, timeout))) return true;
    abandoned.add(claim);
  }
  return false;
}

/** The keys for writing that were claimed by processes which are known to be gone. */
export async function writingKeysLeft(folder: string): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const name of await readNames(folder)) {
    const { key = "" } = readClaim(name) ?? {};
    if (!isWritingKey(key)) continue;
    const state = await readState(join(folder, name));
    if (state !== undefined && isRunningHere(state.text) === false) keys.add(key);
  }
  return keys;
}

/** True if a claim's process runs on this machine; `undefined` where nobody here can tell. */
function isRunningHere(text: string): boolean | undefined {
  // A claim names no holder while it is being written, on a full disk, or where this module never wrote it.
  const holder = parseJson(text);
  const host = hostName();
  // Two machines whose names may not be read have none in common.
  if (!isObject(holder) || host === undefined || holder.host !== host) return undefined;
  if (holder.namespace !== processNamespace()) return undefined;
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
