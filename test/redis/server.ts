/** A Redis for tests: on a free port, with a folder of its own, that can be killed and started again. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { scratchFolder } from "../scratch.ts";
import { findRedis } from "./install.ts";

export interface RedisServer {
  port: number;
  url: string;
  /** Kills it at once, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again, with what it had written to its disk. */
  start(): Promise<void>;
  /** Stops it for good; the folder goes. */
  stop(): Promise<void>;
}

/** Starts a Redis that writes each change to its disk. */
export async function startRedis(flags: string[] = []): Promise<RedisServer> {
  const { path, libraries } = await findRedis();
  // It holds journals.
  const folder = await scratchFolder("redis-journal");
  const port = await freePort();
  let child: ChildProcess | undefined;

  const server: RedisServer = {
    port,
    url: `redis://127.0.0.1:${port}`,
    async start() {
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
          // It says so once it has loaded its file.
          if (output.includes("Ready to accept connections")) resolve();
        });
      });
    },
    async kill() {
      if (child === undefined) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      child = undefined;
    },
    async stop() {
      await server.kill();
      await folder.remove();
    },
  };
  await server.start();
  return server;
}

async function freePort(): Promise<number> {
  return await new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
