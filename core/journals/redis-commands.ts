/**
 * Commands to Redis through whichever client the caller has: tried again while Redis is away for a moment, and ended in
 * time, since clients keep commands waiting for as long as they have no connection.
 */

import { refusedOption } from "../options/checks.ts";
import { isObject } from "../text/is-object.ts";
import { failed, tryUntilDone } from "./commands.ts";

export type Send = (command: string[], within?: number) => Promise<unknown>;

/** Replies of a Redis that begins, changes its role or is busy. */
const PASSING = /^(LOADING|BUSY|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|READONLY)$/;

/** Sends commands, each of which may be carried out twice, through a client. */
export function sendThrough(client: unknown): Send {
  const send = senderOf(client);
  const refuse = (error: unknown): never => {
    // The word that an error reply begins with, which a failure of the connection has not. The rest may show keys.
    const word = error instanceof Error ? /^([A-Z]{2,20}) /.exec(error.message)?.[1] : undefined;
    throw word === undefined || PASSING.test(word) ? error : failed(`Redis refuses a command (${word})`);
  };
  return (command, timeout) => tryUntilDone(() => send(command).catch(refuse), "Redis", timeout);
}

/** Which client it is, is told by the name of the one call that sends any command. */
function senderOf(client: unknown): (command: string[]) => Promise<unknown> {
  const methods: Record<string, unknown> = isObject(client) ? client : {};
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

/** Keys that Redis looks at in one step of a list, so that others wait for milliseconds only. */
const KEYS_PER_SCAN = 1_000;

/** The names of all keys that begin so; a key may come twice from Redis. */
export async function namesIn(send: Send, beginning: string): Promise<Set<string>> {
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
