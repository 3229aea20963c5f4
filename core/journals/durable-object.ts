/** A journal in a Durable Object: uploads of many workers at the edge, any of which resumes what another one left. */
import * as v from "valibot";
import type { Journal } from "../journal/journal.ts";
import { inPlace } from "../journal/store.ts";
import { type JournalOptions, leaseTimeoutCheck, lifetimeChecks } from "../journal/terms.ts";
import { readOptions, refusedOption, text } from "../options/checks.ts";
import { hasMembers } from "../text/is-object.ts";
import { failed, tryUntilDone } from "./commands.ts";
import type { JournalAnswers, JournalCommand } from "./journal-object.ts";
import { sharedJournal } from "./shared-journal.ts";

/** A Durable Object has no address of its own, but a request needs one. */
const ADDRESS = "https://journal.invalid/";

const journalOptions = v.strictObject({
  name: v.optional(text, "upcut"),
  ...lifetimeChecks,
  leaseTimeout: leaseTimeoutCheck(5_000),
});

/**
 * A journal in a Durable Object of the class `JournalObject`, which the worker exports and binds. Workers, Workflows and other
 * objects share it.
 *
 * Leases, and what is noted before a location is asked for, are as in a journal in Redis (`redisJournal()`). A command is tried
 * for 5 s, so that an object that is moved or restarted is not noticed by an upload.
 *
 * An upload sends about one command a second, and one object answers some hundred of them: for more uploads at a time give
 * each source an object of its own by `name`, then `list()` tells of that one alone.
 *
 * Entries hold upload locations, which are secrets: let nothing that is reached from outside pass requests on to the object.
 *
 * @param namespace the binding to the class: a `DurableObjectNamespace`
 * @param options for how long; and `name`, that of the object, "upcut" by default. Journals of one name share their entries
 * @returns the journal, for `upload()`, `uploadAll()` and `discard()`
 * @throws {InputError} `invalid-option`
 * @example An object for each video
 * ```ts
 * import { durableObjectJournal } from "@upcut/core/edge";
 *
 * const open = (binding: Parameters<typeof durableObjectJournal>[0], key: string) =>
 *   durableObjectJournal(binding, { name: key, leaseTimeout: 10_000 });
 * console.log(typeof open); // "function"
 * ```
 */
export function durableObjectJournal(
  namespace: {
    /** The id of the object of a name. */
    idFromName(name: string): object;
    /** The way to an object. */
    get(id: never): {
      fetch(
        address: string,
        init: { method: string; body: string },
      ): Promise<{ readonly status: number; text(): Promise<string> }>;
    };
  },
  options: JournalOptions & { name?: string | undefined } = {},
): Required<Journal> {
  const { name, ...terms } = readOptions("open a journal", journalOptions, options);
  const what = "a binding to Durable Objects, with idFromName() and get()";
  const isBound = hasMembers(namespace) && typeof namespace.idFromName === "function";
  if (!isBound || typeof namespace.get !== "function")
    throw refusedOption("open a journal", "the namespace", namespace, what);

  const send = <Command extends JournalCommand>(
    command: Command,
    timeout?: number,
  ): Promise<JournalAnswers[Command["do"]]> =>
    tryUntilDone(() => ask(namespace, name, command), "the Durable Object", timeout);

  // The storage of an object has no room to keep: it takes what comes.
  const journal = sharedJournal(
    {
      hold: async (key, token, timeout, { within, onlyRenews } = {}) =>
        (await send({ do: "hold", key, token, timeout, ...(onlyRenews && { onlyRenews }) }, within)).held,
      release: async (key, token) => void (await send({ do: "release", key, token })),
      get: async (key) => (await send({ do: "get", key })).entry,
      write: async (key, entry, fence, maxAge) =>
        (await send({ do: "write", key, fence, maxAge, ...(entry !== undefined && { entry }) })).written,
      async *entries() {
        for (let after: string | undefined = ""; after !== undefined; ) {
          const page: JournalAnswers["list"] = await send({ do: "list", ...(after !== "" && { after }) });
          yield* page.entries;
          after = page.next;
        }
      },
    },
    terms,
  );
  return inPlace(journal, `object ${name}`);
}

export type JournalNamespace = Parameters<typeof durableObjectJournal>[0];

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
  // The object doesn't understand: trying again would end in the same.
  if (reply.status < 500)
    throw failed(
      `the Durable Object refuses a command (${reply.status}). Is it a JournalObject of this version?`,
    );
  throw new Error("the object failed");
}
