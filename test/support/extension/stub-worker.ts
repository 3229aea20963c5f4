/** An extension API for modules of the worker: it stores, notes each call, and answers as the test has it. */
import { expect, vi } from "vitest";

type Listener = (...given: never[]) => unknown;

export interface StubbedWorker {
  /** Each by its name, such as "windows.create", with what was given; those of the storage are left out. */
  calls: [name: string, ...given: unknown[]][];
  stored: Record<"local" | "session" | "managed", Record<string, unknown>>;
  /** By the name of a call, what it gives, or a function that does. @default nothing */
  answers: Record<string, unknown>;
  /** Has an event happen, such as "alarms.onAlarm", and gives what its listeners return. */
  fire(event: string, ...given: unknown[]): unknown[];
}

export function stubWorker(answers: StubbedWorker["answers"] = {}): StubbedWorker {
  const calls: StubbedWorker["calls"] = [];
  const stored: StubbedWorker["stored"] = { local: {}, session: {}, managed: {} };
  const listeners = new Map<string, Set<Listener>>();
  const member = (name: string) => {
    if (/\.on[A-Z]/.test(name)) {
      const own = listeners.get(name) ?? new Set<Listener>();
      listeners.set(name, own);
      return {
        addListener: (listener: Listener) => void own.add(listener),
        removeListener: (listener: Listener) => void own.delete(listener),
      };
    }
    return (...given: unknown[]) => {
      calls.push([name, ...given]);
      const answer = answers[name];
      return typeof answer === "function" ? answer(...given) : Promise.resolve(answer);
    };
  };
  const space = (of: string, own: object = {}) =>
    new Proxy(own, { get: (_, name: string) => Reflect.get(own, name) ?? member(`${of}.${name}`) });
  const area = (items: Record<string, unknown>) =>
    space("storage", {
      get: async (keys: string | string[]) =>
        structuredClone(Object.fromEntries([keys].flat().map((key) => [key, items[key]]))),
      set: async (changes: object) => void Object.assign(items, structuredClone(changes)),
      remove: async (key: string) => void delete items[key],
    });
  const own: Record<string, object> = {
    i18n: (globalThis as unknown as { chrome: { i18n: object } }).chrome.i18n,
    storage: space("storage", {
      local: area(stored.local),
      session: area(stored.session),
      managed: area(stored.managed),
    }),
    runtime: space("runtime", {
      id: "upcut",
      getURL: (path: string) => `chrome-extension://upcut/${path}`,
    }),
    tabs: space("tabs", { TAB_ID_NONE: -1 }),
  };
  vi.stubGlobal("chrome", new Proxy(own, { get: (_, name: string) => own[name] ?? space(name) }));
  const fire = (event: string, ...given: unknown[]) =>
    [...(listeners.get(event) ?? [])].map((listener) => listener(...(given as never[])));
  return { calls, stored, answers, fire };
}

/** Takes the note of the popup away, and waits until the search for the popup ends by that: it would go on in later tests. */
export async function endSearch({ session }: StubbedWorker["stored"]): Promise<void> {
  if (session.dialog === undefined) return;
  const read = vi.fn();
  Object.defineProperty(session, "dialog", { get: read, configurable: true, enumerable: true });
  await expect.poll(() => read.mock.calls.length).toBeGreaterThan(0);
}
