/** Durable Objects with the journal in this process, so that tests own their clock; workerd's own hold the same in `.all` tests. */
import type { JournalNamespace } from "../../../core/journals/durable-object.ts";
import { JournalObject, type JournalObjectState } from "../../../core/journals/journal-object.ts";

interface OpenObject {
  object: JournalObject;
  fetch(request: Request): Promise<Response>;
  values: Map<string, unknown>;
  alarm: number | null;
}

export function memoryObjects() {
  const objects = new Map<string, OpenObject>();
  const open = (name: string): OpenObject => {
    const known = objects.get(name);
    if (known !== undefined) return known;
    const values = new Map<string, unknown>();
    const storage: JournalObjectState["storage"] = {
      get: async (key) => structuredClone(values.get(key)),
      put: async (key, value) => void values.set(key, structuredClone(value)),
      async delete(keys) {
        if (keys.length > 128) throw new Error("at most 128 keys are deleted at a time");
        for (const key of keys) values.delete(key);
      },
      async list({ prefix, startAfter = "", limit }) {
        const found = [...values].filter(([key]) => key.startsWith(prefix) && key > startAfter);
        return new Map(structuredClone(found.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, limit)));
      },
      getAlarm: async () => opened.alarm,
      async setAlarm(time) {
        opened.alarm = time;
      },
    };
    // As in the runtime, nothing else runs while an object waits for its storage.
    let turn: Promise<unknown> = Promise.resolve();
    const fetch = (request: Request) => {
      const reply = turn.then(() => opened.object.fetch(request));
      turn = reply.catch(() => {});
      return reply;
    };
    const opened: OpenObject = {
      fetch,
      object: new JournalObject({ storage }),
      values,
      alarm: null,
    };
    objects.set(name, opened);
    return opened;
  };
  return {
    namespace: {
      idFromName: (name) => ({ name }),
      get: ({ name }: { name: string }) => ({
        fetch: (address, init) => open(name).fetch(new Request(address, init)),
      }),
    } satisfies JournalNamespace,
    /** The names of all that an object keeps, and when it is woken. */
    stored: (name: string) => ({ keys: [...open(name).values.keys()].sort(), alarm: open(name).alarm }),
    /** Wakes an object, as its alarm does. */
    async wake(name: string) {
      open(name).alarm = null;
      await open(name).object.alarm();
    },
  };
}
