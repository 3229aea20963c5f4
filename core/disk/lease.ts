/**
 * Leases of a journal in a folder: a key belongs to one process until it ends or gives the key back.
 *
 * @module
 */

import { readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { codeOf } from "../error-code.ts";
import { isObject } from "../is-object.ts";

/** A lease whose holder gave no sign for this long is free, wherever its process ran. */
export const LEASE_TIMEOUT: number = 30_000;
const HEARTBEAT_INTERVAL = 5_000;

/**
 * Leases are files numbered in generations, made exclusively: whoever finds the newest one abandoned makes the next
 * one, and only one process can. Two that still meet both step back.
 */
export async function lease(folder: string, key: string): Promise<(() => Promise<void>) | undefined> {
  const before = await leasesOf(folder, key);
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
  const others = (await leasesOf(folder, key)).filter((each) => each.name !== name);
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

interface LeaseFile {
  name: string;
  generation: number;
}

async function leasesOf(folder: string, key: string): Promise<LeaseFile[]> {
  const leases: LeaseFile[] = [];
  for (const name of await readdir(folder)) {
    const number = name.startsWith(`${key}.`)
      ? /^(\d+)\.claim$/.exec(name.slice(key.length + 1))?.[1]
      : undefined;
    if (number !== undefined) leases.push({ name, generation: Number(number) });
  }
  return leases.sort((a, b) => a.generation - b.generation);
}

async function someAlive(folder: string, leases: LeaseFile[]): Promise<boolean> {
  for (const { name } of leases) if (await isAlive(join(folder, name))) return true;
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
