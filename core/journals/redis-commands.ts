/**
 * Commands to Redis through whichever client the caller has: tried again while Redis is away for a moment, and ended in
 * time, since clients keep commands waiting for as long as they have no connection.
 */

import { hasMembers } from "../is-object.ts";
import { refusedOption } from "../options.ts";
import { tryUntilDone } from "./commands.ts";
import type { LeaseStore } from "./lease.ts";

/**
 * A client of Redis: anything with the one call that sends any command. Which one it is, is told by the name of that call.
 *
 * - ioredis: `client.call("GET", "key")`
 * - Bun's own: `client.send("GET", ["key"])`
 * - node-redis, which must be connected: `client.sendCommand(["GET", "key"])`
 */
export type RedisClient =
  | { call(command: string, ...args: string[]): Promise<unknown> }
  | { send(command: string, args: string[]): Promise<unknown> }
  | { sendCommand(command: string[]): Promise<unknown> };

/** Sends a command, and gives what Redis replied. */
export type Send = (command: string[], timeout?: number) => Promise<unknown>;

/** Replies of a Redis that begins, changes its role or is busy. */
const PASSING: ReadonlySet<string> = new Set([
  "LOADING",
  "BUSY",
  "TRYAGAIN",
  "CLUSTERDOWN",
  "MASTERDOWN",
  "READONLY",
]);

/**
 * The way to send commands through a client.
 *
 * Each must be one that may be carried out twice: a connection that was lost doesn't tell whether it was.
 *
 * @throws {InputError} `invalid-option`
 */
export function sendThrough(client: RedisClient): Send {
  const send = senderOf(client);
  const refusal = (error: unknown) => {
    const word = replyWord(error);
    return word === undefined || PASSING.has(word) ? undefined : `Redis refuses a command (${word})`;
  };
  return (command, timeout) => tryUntilDone(() => send(command), { store: "Redis", timeout, refusal });
}

/** Runs a script, which is carried out whole or not at all, and nothing else meanwhile. */
export function sendScript(
  send: Send,
  script: string,
  keys: string[],
  args: string[],
  timeout?: number,
): Promise<unknown> {
  return send(["EVAL", script, `${keys.length}`, ...keys, ...args], timeout);
}

/** Takes or renews. */
const HOLD = `
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** Gives back. */
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/** Leases of keys whose names a function gives. */
export function leasesInRedis(send: Send, nameOf: (key: string) => string): LeaseStore {
  return {
    async hold(key, token, timeout, within) {
      return Number(await sendScript(send, HOLD, [nameOf(key)], [token, `${timeout}`], within)) === 1;
    },
    async release(key, token) {
      await sendScript(send, RELEASE, [nameOf(key)], [token]);
    },
  };
}

function senderOf(client: unknown): (command: string[]) => Promise<unknown> {
  const methods: Record<string, unknown> = hasMembers(client) ? client : {};
  const { call, send, sendCommand } = methods;
  // ioredis has a sendCommand() too, which takes something else.
  if (typeof call === "function") return async (command) => await call.apply(client, command);
  if (typeof send === "function")
    return async ([name, ...args]) => await Reflect.apply(send, client, [name, args]);
  if (typeof sendCommand === "function")
    return async (command) => await Reflect.apply(sendCommand, client, [command]);
  const what = "a client of ioredis, node-redis or Bun, with call(), sendCommand() or send()";
  throw refusedOption("open a journal", "the client", client, what);
}

/** The word that an error reply begins with; `undefined` for a failure of the connection. The rest may show keys. */
function replyWord(error: unknown): string | undefined {
  return error instanceof Error ? /^([A-Z]{2,20}) /.exec(error.message)?.[1] : undefined;
}
