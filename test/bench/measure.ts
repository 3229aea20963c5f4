/** Runs a program and reads what it took, as the kernel counts it: so for every program, whatever it tells itself. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** What a whole process took, its start included. */
export interface Taken {
  /** CPU seconds, user and system, of all its threads. */
  cpu: number;
  seconds: number;
  /** Most memory it held, in MiB. */
  peak: number;
  /** What it printed. */
  output: string;
}

/** Runs a command to its end, by GNU time (of Debian's package `time`). */
export async function measure([program = "", ...args]: readonly string[]): Promise<Taken> {
  const timed = ["--format", "%U %S %M", program, ...args];
  const began = performance.now();
  const { stdout, stderr } = await promisify(execFile)("/usr/bin/time", timed, { maxBuffer: 2 ** 26 });
  const seconds = (performance.now() - began) / 1000;
  const [user = 0, system = 0, kilobytes = 0] = (stderr.trim().split("\n").at(-1) ?? "")
    .split(" ")
    .map(Number);
  return { cpu: user + system, seconds, peak: kilobytes / 1024, output: stdout };
}
