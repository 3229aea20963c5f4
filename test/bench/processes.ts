/** What a browser's processes take, all of them together. */
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

const TICKS = 100;

/** The processes whose command names the profile. */
async function processesOf(profile: string): Promise<string[]> {
  const all = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const named = await Promise.all(
    all.map(async (id) => (await read(`/proc/${id}/cmdline`)).includes(profile)),
  );
  return all.filter((_, index) => named[index]);
}

/** CPU seconds they have used so far. */
export async function cpuOf(profile: string): Promise<number> {
  let ticks = 0;
  for (const id of await processesOf(profile)) {
    // The command's name, in brackets, may hold spaces.
    const fields = (await read(`/proc/${id}/stat`)).split(") ")[1]?.split(" ") ?? [];
    ticks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  }
  return ticks / TICKS;
}

/** Memory they hold, in MiB, what they share counted once. */
export async function memoryOf(profile: string): Promise<number> {
  let kilobytes = 0;
  for (const id of await processesOf(profile)) {
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(await read(`/proc/${id}/smaps_rollup`))?.[1] ?? 0);
  }
  return kilobytes / 1024;
}

/** The most memory they hold above what they hold now, while some work lasts. */
export async function growthDuring(profile: string, work: () => Promise<unknown>): Promise<number> {
  const before = await memoryOf(profile);
  let most = before;
  let running = true;
  const working = work().finally(() => {
    running = false;
  });
  while (running) {
    most = Math.max(most, await memoryOf(profile));
    await Promise.race([delay(100), working]);
  }
  await working;
  return most - before;
}

async function read(path: string): Promise<string> {
  return await readFile(path, "utf8").catch(() => "");
}
