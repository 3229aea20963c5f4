/** The Durable Object behind a journal: entries and leases in its storage, one command at a time. */
import * as v from "valibot";
import { writingKey } from "../journal/terms.ts";
import { dateNow } from "../time/clock.ts";

/** The commands of a journal, each of which may be carried out twice. */
export type JournalCommand =
  | { do: "get"; key: string }
  | { do: "write"; key: string; entry?: string; fence: string; maxAge: number }
  | { do: "list"; after?: string }
  | { do: "hold"; key: string; token: string; timeout: number; onlyRenews?: true }
  | { do: "release"; key: string; token: string };

export interface JournalAnswers {
  get: { entry?: string | undefined };
  write: { written: boolean };
  /** Keys and entries in order, at most so many at a time, and the key after which there may be more. */
  list: { entries: [key: string, entry: string][]; next?: string | undefined };
  hold: { held: boolean };
  release: object;
}

export type JournalObjectState = ConstructorParameters<typeof JournalObject>[0];

const text = v.string();
const milliseconds = v.pipe(v.number(), v.minValue(0));
const writing = { key: text, entry: v.optional(text), fence: text, maxAge: milliseconds };
const holding = { key: text, token: text, timeout: milliseconds, onlyRenews: v.optional(v.literal(true)) };
const command = v.variant("do", [
  v.strictObject({ do: v.literal("get"), key: text }),
  v.strictObject({ do: v.literal("write"), ...writing }),
  v.strictObject({ do: v.literal("list"), after: v.optional(text) }),
  v.strictObject({ do: v.literal("hold"), ...holding }),
  v.strictObject({ do: v.literal("release"), key: text, token: text }),
]) as v.GenericSchema<unknown, JournalCommand>;

const ENTRY = "entry:";
const LEASE = "lease:";
/** Entries of one answer, and keys that are deleted by one call. */
const PAGE = 100;
/** Milliseconds between two looks for what is too old. */
const LEAST_SLEEP = 60_000;

/** Until when it is kept: milliseconds since 1970. */
type Stored = { value: string; until: number };

/**
 * The Durable Object that keeps a journal: export it from the worker, and bind it as a class with SQLite storage, whose values
 * may be as large as entries become (2 MB).
 *
 * Between two waits for its storage nothing else runs in an object, so each command is carried out whole. What is too old is
 * deleted when the object's alarm wakes it.
 *
 * @example The class that a worker exports
 * ```ts
 * import { JournalObject } from "@upcut/core/edge";
 *
 * console.log(typeof JournalObject); // "function"
 * ```
 */
export class JournalObject {
  readonly #storage: JournalObjectState["storage"];

  /**
   * Made by the runtime.
   *
   * @param state what it gives the object, of which the storage is used: keys and values, in SQLite or not
   */
  constructor(state: {
    readonly storage: {
      get(key: string): Promise<unknown>;
      put(key: string, value: unknown): Promise<void>;
      /** Forgets at most 128. */
      delete(keys: string[]): Promise<unknown>;
      /** Keys and values in order. */
      list(options: { prefix: string; startAfter?: string; limit: number }): Promise<Map<string, unknown>>;
      getAlarm(): Promise<number | null>;
      /** When the object is woken next: milliseconds since 1970. */
      setAlarm(time: number): Promise<void>;
    };
  }) {
    this.#storage = state.storage;
  }

  /** Carries out the command that a journal sends. */
  async fetch(request: Request): Promise<Response> {
    const parsed = v.safeParse(command, await request.json().catch(() => undefined));
    // Which one it was stays untold: it may hold locations.
    if (!parsed.success) return new Response("no command of this version", { status: 400 });
    return Response.json(await this.#carryOut(parsed.output));
  }

  /** Deletes what is too old. */
  async alarm(): Promise<void> {
    let next = Number.POSITIVE_INFINITY;
    for (const prefix of [ENTRY, LEASE])
      for (let after: string | undefined = prefix; after !== undefined; ) {
        const page = await this.#page(prefix, after);
        const old = page.filter(([, { until }]) => until <= dateNow()).map(([key]) => key);
        if (old.length > 0) await this.#storage.delete(old);
        for (const [key, { until }] of page) if (!old.includes(key)) next = Math.min(next, until);
        after = page.at(-1)?.[0];
      }
    if (next < Number.POSITIVE_INFINITY) await this.#wakeAt(next);
  }

  async #carryOut(asked: JournalCommand): Promise<JournalAnswers[JournalCommand["do"]]> {
    if (asked.do === "list") {
      const page = await this.#page(ENTRY, ENTRY + (asked.after ?? ""));
      const known = page.filter(([, { until }]) => until > dateNow());
      const entries = known.map(([key, { value }]): [string, string] => [key.slice(ENTRY.length), value]);
      return { entries, next: page.at(-1)?.[0].slice(ENTRY.length) };
    }
    const { key } = asked;
    if (asked.do === "get") return { entry: await this.#read(ENTRY + key) };
    if (asked.do === "write") {
      const { entry, fence, maxAge } = asked;
      const written = fence === "" || (await this.#read(LEASE + writingKey(key))) === fence;
      if (written && entry === undefined) await this.#storage.delete([ENTRY + key]);
      else if (written) await this.#store(ENTRY + key, `${entry}`, maxAge);
      return { written };
    }
    const { token } = asked;
    const holder = await this.#read(LEASE + key);
    const held = holder === token || (holder === undefined && !("onlyRenews" in asked));
    if (held && asked.do === "hold") await this.#store(LEASE + key, token, asked.timeout);
    else if (held) await this.#storage.delete([LEASE + key]);
    return { held };
  }

  async #page(prefix: string, startAfter: string): Promise<[key: string, stored: Stored][]> {
    return [...((await this.#storage.list({ prefix, startAfter, limit: PAGE })) as Map<string, Stored>)];
  }

  async #read(key: string): Promise<string | undefined> {
    const stored = (await this.#storage.get(key)) as Stored | undefined;
    return stored === undefined || stored.until <= dateNow() ? undefined : stored.value;
  }

  async #store(key: string, value: string, lifetime: number): Promise<void> {
    const until = dateNow() + lifetime;
    await this.#storage.put(key, { value, until });
    await this.#wakeAt(until);
  }

  /** Asks for an alarm, unless there is one before. */
  async #wakeAt(time: number): Promise<void> {
    const wanted = Math.max(time, dateNow() + LEAST_SLEEP);
    const known = await this.#storage.getAlarm();
    if (known === null || known > wanted) await this.#storage.setAlarm(wanted);
  }
}
