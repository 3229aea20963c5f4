/** Runs a program and reads what it took, as the kernel counts it: so for every program, whatever it tells itself. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** What a whole process took, its start included. */
export interface Taken {
  /** CPU seconds, user and system, of all its threads. */
  cpu: number;
  /** Most memory it held, in MiB. */
  peak: number;
  /** What it printed. */
  output: string;
}

const MEMORY_EVERY = 10;

/** Runs a command to its end. */
export async function measure(
  command: readonly string[],
  environment: Record<string, string> = {},
): Promise<Taken> {
  // Bash reads the usage of its child from the kernel; nothing else here can.
  const timed = ["-c", 'TIMEFORMAT="%U %S"; time "$@"', "bash", ...command];
  const child = spawn("bash", timed, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  let running = true;
  const ended = once(child, "close").then(([code]) => {
    running = false;
    return code as number | null;
  });
  let peak = 0;
  let program: string | undefined;
  while (running) {
    program ??=
      (await read(`/proc/${child.pid}/task/${child.pid}/children`)).trim().split(" ")[0] || undefined;
    if (program !== undefined) peak = Math.max(peak, highWater(await read(`/proc/${program}/status`)));
    await Promise.race([delay(MEMORY_EVERY), ended]);
  }
  const code = await ended;
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${errors}${output}`);
  const [user = 0, system = 0] = (errors.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return { cpu: user + system, peak, output };
}

/** The most a process has ever held, in MiB: unlike a parent's own count it leaves out what it was started from. */
function highWater(status: string): number {
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}

async function read(path: string): Promise<string> {
  return await readFile(path, "utf8").catch(() => "");
}
