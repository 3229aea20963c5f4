/**
 * A journal in Redis: uploads of many processes and machines, any of which resumes what another one left.
 *
 * @example Upload from an address, resumable by any machine
 * ```ts
 * import { createClient, upload } from "@upcut/core";
 * import { redisJournal } from "@upcut/core/redis";
 *
 * const client = createClient({ baseUrl: "https://video.example", token: "<API_KEY>" });
 * // new Redis("rediss://…") of ioredis, createClient({ url }) of node-redis once connected, new RedisClient("rediss://…") of Bun
 * const send = async (redis: Parameters<typeof redisJournal>[0], address: string) =>
 *   await upload(client, new URL(address), { journal: redisJournal(redis) });
 * console.log(typeof send); // "function"
 * ```
 *
 * @module
 */

import * as v from "valibot";
import type { Journal } from "../journal/journal.ts";
import { inPlace } from "../journal/store.ts";
import {
  isDoneKey,
  type JournalOptions,
  LONGEST_RESERVED,
  leaseTimeoutCheck,
  lifetimeChecks,
  RESERVED_SIZE,
  takeReserved,
  writingKey,
} from "../journal/terms.ts";
import { readOptions, text } from "../options/checks.ts";
import { failed } from "./commands.ts";
import { namesIn, sendThrough } from "./redis-commands.ts";
import { sharedJournal } from "./shared-journal.ts";

/** Writes or deletes an entry, unless the lease that it is done under is another's by now. */
const WRITE = `
if ARGV[1] ~= '' and redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`;

const HOLD = `
local held = redis.call('GET', KEYS[1])
if held ~= ARGV[1] and (held or ARGV[3] == 'renew') then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

const journalOptions = v.strictObject({
  prefix: v.optional(text, "upcut:"),
  ...lifetimeChecks,
  leaseTimeout: leaseTimeoutCheck(5_000),
});

/**
 * A journal in one Redis (from version 6) that processes and machines share, through the client that the caller has:
 * ioredis, node-redis or Bun's own, in any runtime. It sends `EVAL`, `GET`, `SET`, `DEL` and `SCAN`, needs no module, and never
 * closes the client.
 *
 * A claim is a lease with a token, taken and renewed by a script. Redis compares the token with each write made under it, so
 * that one who lost the lease changes nothing any more; and an upload whose lease is lost, or can't be renewed in time, sends
 * no further byte and ends in `in-progress`. The upload host knows nothing of leases.
 *
 * A command is tried for 5 s, so that a lost connection or a restart of Redis is not noticed by an upload. Before a location
 * is asked for, the note of it must stand in Redis: else the call ends in `journal-failed`, and nothing was asked. A note
 * that a killed process left ends the next call in `asset-unknown`.
 *
 * The journal keeps what Redis keeps: run it with `appendonly yes` and `maxmemory-policy noeviction`, on one server, not as a
 * cluster. With `appendfsync everysec` a power cut, and with replicas a failover, may lose the note of an asset just made.
 *
 * Entries hold upload locations, which are secrets: whoever can read this Redis can send to them. Use TLS, a password and,
 * where others use the same Redis, an ACL for the prefix.
 *
 * @param client of ioredis (`call()`), Bun (`send()`) or node-redis (`sendCommand()`), which the caller connects, watches for
 * errors and closes
 * @param options for how long; and `prefix`, what the names of its keys begin with, "upcut:" by default. Journals of one prefix
 * share their entries
 * @returns the journal, for `upload()`, `uploadAll()` and `discard()`
 * @throws {InputError} `invalid-option`
 * @example Workers that are seen to be gone after ten seconds
 * ```ts
 * import { redisJournal } from "@upcut/core/redis";
 *
 * const open = (redis: Parameters<typeof redisJournal>[0]) =>
 *   redisJournal(redis, { prefix: "videos:", leaseTimeout: 10_000 });
 * console.log(typeof open); // "function"
 * ```
 */
export function redisJournal(
  client:
    | { call(command: string, ...args: string[]): Promise<unknown> }
    | { send(command: string, args: string[]): Promise<unknown> }
    | { sendCommand(command: string[]): Promise<unknown> },
  options: JournalOptions & { prefix?: string | undefined } = {},
): Required<Journal> {
  const { prefix, ...terms } = readOptions("open a journal", journalOptions, options);
  const send = sendThrough(client);
  const entryName = (key: string) => `${prefix}entry:${key}`;
  const leaseName = (key: string) => `${prefix}lease:${key}`;
  const reserved = new Map<string, string>();

  /** A script is carried out whole or not at all, and nothing else meanwhile. */
  const run = async (script: string, keys: string[], args: string[], within?: number) =>
    Number(await send(["EVAL", script, `${keys.length}`, ...keys, ...args], within)) === 1;

  const journal = sharedJournal(
    {
      hold: (key, token, timeout, { within, onlyRenews } = {}) =>
        run(HOLD, [leaseName(key)], [token, `${timeout}`, onlyRenews ? "renew" : "take"], within),
      release: async (key, token) => void (await run(RELEASE, [leaseName(key)], [token])),
      async get(key) {
        const entry = await send(["GET", entryName(key)]);
        if (entry === null || entry === undefined || typeof entry === "string") return entry ?? undefined;
        throw failed("the client gives no texts. Let it give strings, not buffers");
      },
      async write(key, entry, fence, lifetime) {
        const room = entry === undefined ? undefined : takeReserved(reserved, key);
        // Before the script, which Redis refuses as a whole where its memory is full.
        if (room !== undefined) await send(["DEL", room]);
        const names = [entryName(key), leaseName(writingKey(key))];
        return await run(WRITE, names, [fence, entry ?? "", `${lifetime}`]);
      },
      async *entries() {
        const beginning = entryName("");
        for (const name of await namesIn(send, beginning)) {
          const entry = isDoneKey(name) ? undefined : await send(["GET", name]);
          if (typeof entry === "string") yield [name.slice(beginning.length), entry];
        }
      },
      async reserve(key) {
        const room = `${prefix}room:${key}:${crypto.randomUUID()}`;
        await send(["SET", room, " ".repeat(RESERVED_SIZE), "PX", `${LONGEST_RESERVED}`]);
        reserved.set(room, key);
        return async () => {
          reserved.delete(room);
          // An entry that can't be removed now goes by itself.
          await send(["DEL", room]).catch(() => {});
        };
      },
    },
    terms,
  );
  return inPlace(journal, `redis ${prefix}`);
}
