/** What the tests of a file or a group have open: servers, browsers, folders. */
import { afterAll, beforeAll } from "vitest";

interface Opened {
  close?(): unknown;
  stop?(): unknown;
  remove?(): unknown;
}

/** Opens it before the first test, and ends it after the last one. Its properties are there once the first begins. */
export function useOpened<Each extends Opened>(open: () => Promise<Each>): Each {
  let opened: Each | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => (opened?.close ?? opened?.stop ?? opened?.remove)?.());
  return new Proxy({} as Each, {
    get: (_, name) => Reflect.get(opened ?? {}, name),
    set: (_, name, value) => Reflect.set(opened ?? {}, name, value),
    // Where expect() looks for its properties.
    getPrototypeOf: () => opened ?? null,
  });
}
