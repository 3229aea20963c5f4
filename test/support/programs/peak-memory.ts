/** The most memory that a process took. */
import { readFile } from "node:fs/promises";

/** Most memory a process has held so far, in MiB. */
export async function peakMemory(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

/** The same at the end of some work, of a process that may be gone by then. */
export async function peakDuring(pid: number | undefined, work: Promise<unknown>): Promise<number> {
  let peak = 0;
  const timer = setInterval(async () => {
    peak = Math.max(peak, await peakMemory(pid));
  }, 20);
  await work;
  clearInterval(timer);
  return Math.round(Math.max(peak, await peakMemory(pid)));
}
