/** A Redis for tests: on a free port, with a folder of its own, that can be killed and started again. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { scratchFolder } from "../scratch.ts";
import { findRedis } from "./install.ts";

const START_TIMEOUT = 20_000;

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
      const always = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder.path, "--save", ""];
      const persistence = [
        "--appendonly",
        "yes",
        "--appendfsync",
        "everysec",
        "--maxmemory-policy",
        "noeviction",
      ];
      const started = spawn(path, [...always, ...persistence, ...flags], {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...(libraries !== "" && { LD_LIBRARY_PATH: libraries }) },
      });
      child = started;
      let output = "";
      for (const stream of [started.stdout, started.stderr])
        stream.on("data", (bytes: Uint8Array) => {
          output += Buffer.from(bytes).toString();
        });
      for (const deadline = Date.now() + START_TIMEOUT; !(await answers(port)); ) {
        if (started.exitCode !== null || Date.now() > deadline)
          throw new Error(`Cannot start ${path}:\n${output}`);
        await delay(20);
      }
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

/** Whether it takes commands: while it loads its file it answers with an error. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"));
    socket.once("error", () => resolve(false));
    // A server that is killed may say nothing.
    socket.once("close", () => resolve(false));
    socket.once("data", (bytes) => {
      socket.destroy();
      resolve(`${bytes}`.startsWith("+PONG"));
    });
  });
}

async function freePort(): Promise<number> {
  return await new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
