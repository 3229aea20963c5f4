/**
 * Commands to Redis through whichever client the caller has: tried again while Redis is away for a moment, and ended in
 * time, since clients keep commands waiting for as long as they have no connection.
 */
import { hasMembers } from "../is-object.ts";
import { refusedOption } from "../options.ts";
import type { LeaseStore } from "./claims.ts";
import { failed, tryUntilDone } from "./commands.ts";

export type Send = (command: string[], timeout?: number) => Promise<unknown>;

/** Replies of a Redis that begins, changes its role or is busy. */
const PASSING = /^(LOADING|BUSY|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|READONLY)$/;

/**
 * The way to send commands through a client.
 *
 * Each must be one that may be carried out twice: a connection that was lost doesn't tell whether it was.
 *
 * @throws {InputError} `invalid-option`
 */
export function sendThrough(client: unknown): Send {
  const send = senderOf(client);
  const refusal = (error: unknown) => {
    const word = replyWord(error);
    return word === undefined || PASSING.test(word) ? undefined : `Redis refuses a command (${word})`;
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

const HOLD = `
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

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

/** Keys that Redis looks at in one step of a list, so that others wait for milliseconds only. */
const KEYS_PER_SCAN = 1_000;

/** The names of all keys that begin so; a key may come twice from Redis. */
export async function namesInRedis(send: Send, beginning: string): Promise<Set<string>> {
  const names = new Set<string>();
  const pattern = `${beginning.replace(/[*?[\]\\]/g, "\\$&")}*`;
  let cursor = "0";
  do {
    const reply = await send(["SCAN", cursor, "MATCH", pattern, "COUNT", `${KEYS_PER_SCAN}`]);
    if (!Array.isArray(reply) || !Array.isArray(reply[1])) throw failed("Redis gave no list of its keys");
    cursor = String(reply[0]);
    for (const name of reply[1]) names.add(String(name));
  } while (cursor !== "0");
  return names;
}

/** Which client it is, is told by the name of the one call that sends any command. */
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
