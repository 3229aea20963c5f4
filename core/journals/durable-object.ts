/**
 * A journal in a Durable Object: uploads of many workers at the edge, any of which resumes what another one left.
 *
 * The worker says `export { JournalObject } from "@upcut/core/journals/durable-object"`, and binds that class with SQLite
 * storage (`new_sqlite_classes`).
 *
 * @example A worker that uploads from addresses
 * ```ts
 * import { createClient, upload } from "@upcut/core";
 * import { durableObjectJournal, type JournalNamespace } from "@upcut/core/journals/durable-object";
 *
 * const worker = {
 *   async fetch(request: Request, env: { JOURNAL: JournalNamespace; TOKEN: string }): Promise<Response> {
 *     const client = createClient({ baseUrl: "https://video.example", token: env.TOKEN });
 *     const { asset } = await upload(client, new URL(await request.text()), {
 *       journal: durableObjectJournal(env.JOURNAL),
 *     });
 *     return Response.json({ asset: asset.id });
 *   },
 * };
 * console.log(typeof worker.fetch); // "function"
 * ```
 *
 * @module
 */

import * as v from "valibot";
import { hasMembers } from "../is-object.ts";
import type { JournalEntry } from "../journal/journal.ts";
import { type ListableJournal, type UnfinishedUpload, unfinishedUploads } from "../journal/listing.ts";
import {
  age,
  DEFAULT_AGE,
  DEFAULT_KEPT_DONE,
  DEFAULT_LEASE_TIMEOUT,
  LONGEST_AGE,
  leaseTime,
  lifetimeOf,
} from "../journal/terms.ts";
import { readOptions, refusedOption, text } from "../options.ts";
import { claimsIn } from "./claims.ts";
import { parseEntry, parseOrUndefined, tryUntilDone } from "./commands.ts";
import type { JournalAnswers, JournalCommand } from "./journal-object.ts";

export {
  JournalObject,
  type JournalObjectState,
  type JournalObjectStorage,
} from "./journal-object.ts";
export type { ListableJournal, UnfinishedUpload };

/** The binding of a worker to its Durable Objects: the runtime's `DurableObjectNamespace` is one. */
export interface JournalNamespace {
  /** The id of the object of a name. */
  idFromName(name: string): object;
  /** The way to an object. */
  get(id: never): { fetch(address: string, init: { method: string; body: string }): Promise<JournalReply> };
}

/** The used members of an object's answer. */
export interface JournalReply {
  /** The HTTP status. */
  readonly status: number;
  /** Reads the body. */
  text(): Promise<string>;
}

/** Which object keeps a journal, how long it remembers, and how long it lets a key be held without a sign of life. */
export interface DurableObjectJournalOptions {
  /** Name of the object. Journals of one name share their entries. @default "upcut" */
  name?: string | undefined;
  /** Milliseconds until an entry is forgotten after it was last written. @default 604800000 (7 days) */
  maxAge?: number | undefined;
  /**
   * Milliseconds for which a finished upload is remembered for `once`, without a location.
   * @default 7776000000 (90 days)
   */
  keepDoneFor?: number | undefined;
  /**
   * Milliseconds after which a claim is free whose holder gave no sign of life, from 5000. A holder that can't reach the
   * object steps aside two seconds before. The same for all that share the name.
   * @default 30000
   */
  leaseTimeout?: number | undefined;
}

const LEAST_LEASE_TIMEOUT = 5_000;
/** A Durable Object has no address of its own, but a request needs one. */
const ADDRESS = "https://journal.invalid/";

const journalOptions = v.strictObject({
  name: v.optional(text, "upcut"),
  maxAge: v.optional(age, DEFAULT_AGE),
  keepDoneFor: v.optional(age, DEFAULT_KEPT_DONE),
  leaseTimeout: v.optional(leaseTime(LEAST_LEASE_TIMEOUT), DEFAULT_LEASE_TIMEOUT),
});

/**
 * A journal in a Durable Object of the class `JournalObject`, which the worker exports and binds. Workers, Workflows and other
 * objects share it.
 *
 * A claim is a lease with a token, taken and renewed at the object. It compares the token with each write made under it, so
 * that one who lost the lease changes nothing any more; and an upload whose lease is lost, or can't be renewed in time, sends
 * no further byte and ends in `in-progress`. The upload host knows nothing of leases.
 *
 * A command is tried for 5 s, so that an object that is moved or restarted is not noticed by an upload. Before a location is
 * asked for, the note of it must stand in the object: else the call ends in `journal-failed`, and nothing was asked. A note
 * that a worker left which ended meanwhile ends the next call in `asset-unknown`.
 *
 * An upload sends about one command a second. One object answers some hundred of them: for more uploads at a time give each
 * source an object of its own by `name`, then `list()` tells of that one alone.
 *
 * Entries hold upload locations, which are secrets: let nothing that is reached from outside pass requests on to the object.
 *
 * @param namespace the binding to the class
 * @param options which object, and for how long
 * @returns the journal, for `upload()`, `uploadAll()` and `discard()`
 * @throws {InputError} `invalid-option`
 * @example An object for each video
 * ```ts
 * import { durableObjectJournal, type JournalNamespace } from "@upcut/core/journals/durable-object";
 *
 * const open = (env: { JOURNAL: JournalNamespace }, key: string) =>
 *   durableObjectJournal(env.JOURNAL, { name: key, leaseTimeout: 10_000 });
 * console.log(typeof open); // "function"
 * ```
 */
export function durableObjectJournal(
  namespace: JournalNamespace,
  options: DurableObjectJournalOptions = {},
): ListableJournal {
  const { name, leaseTimeout, ...lifetimes } = readOptions("open a journal", journalOptions, options);
  const what = "a binding to Durable Objects, with idFromName() and get()";
  if (!isNamespace(namespace)) throw refusedOption("open a journal", "the namespace", namespace, what);

  const send = <Command extends JournalCommand>(
    command: Command,
    timeout?: number,
  ): Promise<JournalAnswers[Command["do"]]> =>
    tryUntilDone(() => ask(namespace, name, command), {
      store: "the Durable Object",
      timeout,
      refusal: (error) => (error instanceof Refusal ? error.message : undefined),
    });

  const claims = claimsIn(
    {
      hold: async (key, token, milliseconds, within) =>
        (await send({ do: "hold", key, token, timeout: milliseconds }, within)).held,
      release: async (key, token) => void (await send({ do: "release", key, token })),
    },
    leaseTimeout,
  );
  const get = async (key: string) => {
    const { entry } = await send({ do: "get", key });
    return entry === undefined ? undefined : parseEntry(entry);
  };
  const write = async (key: string, entry: JournalEntry | undefined) => {
    const { written } = await send({
      do: "write",
      key,
      fence: claims.fenceOf(key),
      maxAge: Math.min(lifetimeOf(key, lifetimes), LONGEST_AGE),
      ...(entry !== undefined && { entry: JSON.stringify(entry) }),
    });
    claims.wrote(key, written);
  };

  return {
    get,
    set: (key, entry) => write(key, entry),
    delete: (key) => write(key, undefined),
    async list() {
      const listed: UnfinishedUpload[] = [];
      for (let after: string | undefined; ; ) {
        const page = await send({ do: "list", ...(after !== undefined && { after }) });
        for (const [key, entry] of page.entries)
          listed.push(...unfinishedUploads(key, parseOrUndefined(entry)));
        after = page.next;
        if (after === undefined) return listed;
      }
    },
    claim: (key) => claims.claim(key),
    async reserve(key) {
      await claims.confirmNote(key, () => get(key));
      // The storage of an object has no room to keep: it takes what comes.
      return async () => {};
    },
  };
}

/** The object doesn't understand: trying again would end in the same. */
class Refusal extends Error {}

async function ask<Command extends JournalCommand>(
  namespace: JournalNamespace,
  name: string,
  command: Command,
): Promise<JournalAnswers[Command["do"]]> {
  // After some failures the way to an object is lost for good, so each command takes a new one.
  const object = namespace.get(namespace.idFromName(name) as never);
  const reply = await object.fetch(ADDRESS, { method: "POST", body: JSON.stringify(command) });
  const body = await reply.text();
  if (reply.status === 200) return JSON.parse(body) as JournalAnswers[Command["do"]];
  if (reply.status < 500)
    throw new Refusal(
      `the Durable Object refuses a command (${reply.status}). Is it a JournalObject of this version?`,
    );
  throw new Error("the object failed");
}

function isNamespace(value: unknown): value is JournalNamespace {
  return hasMembers(value) && typeof value.idFromName === "function" && typeof value.get === "function";
}
