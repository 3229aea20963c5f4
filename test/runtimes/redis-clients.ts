/** The clients of Redis that tests use: in Node both of its own, in Bun that of Bun, in Deno one of Node's. */
import { Redis } from "ioredis";
import { createClient } from "redis";
import type { redisJournal } from "../../core/journals/redis.ts";

export type RedisClient = Parameters<typeof redisJournal>[0];

/** A client that is connected, and what closes it. */
export interface OpenClient {
  client: RedisClient;
  close(): void;
}

interface BunRedis {
  send(command: string, args: string[]): Promise<unknown>;
  connect(): Promise<void>;
  close(): void;
}

/** A client of ioredis that comes back by itself. */
export function openIoredis(port: number): Redis {
  const client = new Redis(port, "127.0.0.1", { retryStrategy: () => 50, maxRetriesPerRequest: null });
  // Without a listener it prints each lost connection.
  client.on("error", () => {});
  return client;
}

const all = {
  async ioredis(port: number): Promise<OpenClient> {
    const client = openIoredis(port);
    return { client, close: () => client.disconnect() };
  },
  async "node-redis"(port: number): Promise<OpenClient> {
    const socket = { port, host: "127.0.0.1", reconnectStrategy: () => 50 };
    const client = createClient({ socket });
    client.on("error", () => {});
    await client.connect();
    return { client, close: () => client.destroy() };
  },
  async bun(port: number): Promise<OpenClient> {
    const { Bun } = globalThis as unknown as {
      Bun: { RedisClient: new (url: string, options: object) => BunRedis };
    };
    const client = new Bun.RedisClient(`redis://127.0.0.1:${port}`, { maxRetries: 1_000 });
    await client.connect();
    return { client, close: () => client.close() };
  },
};

/** Opens clients by their names, in the runtime that this is called in. */
export function redisClients(): [string, (port: number) => Promise<OpenClient>][] {
  const names =
    "Bun" in globalThis ? ["bun"] : "Deno" in globalThis ? ["ioredis"] : ["ioredis", "node-redis"];
  return Object.entries(all).filter(([name]) => names.includes(name));
}
