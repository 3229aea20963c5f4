/** A Redis for tests: on a free port, with a folder of its own, that can be killed and started again. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "../support/hosts/free-port.ts";
import { scratchFolder } from "../support/scratch.ts";
import { findRedis } from "./install.ts";

export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

/** Starts a Redis that writes each change to its disk. */
export async function startRedis(flags: string[] = []) {
  const { path, libraries } = await findRedis();
  // The folder holds journals.
  const folder = await scratchFolder("redis-journal");
  const port = await freePort();
  let child: ChildProcess | undefined;

  /** Starts it again, with what it had written to its disk. */
  async function start(): Promise<void> {
    const own = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder.path, "--save", ""];
    const kept = "--appendonly yes --appendfsync everysec --maxmemory-policy noeviction".split(" ");
    const started = spawn(path, [...own, ...kept, ...flags], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...(libraries !== "" && { LD_LIBRARY_PATH: libraries }) },
    });
    child = started;
    let output = "";
    await new Promise<void>((resolve, reject) => {
      started.once("exit", () => reject(new Error(`Cannot start ${path}:\n${output}`)));
      started.stdout.on("data", (bytes: Uint8Array) => {
        output += Buffer.from(bytes).toString();
        // Redis says so once it has loaded its file.
        if (output.includes("Ready to accept connections")) resolve();
      });
    });
  }

  /** Kills it at once, as a crash does. */
  async function kill(): Promise<void> {
    if (child === undefined) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    child = undefined;
  }

  await start();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    start,
    kill,
    async stop() {
      await kill();
      await folder.remove();
    },
  };
}
