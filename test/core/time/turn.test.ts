import { afterEach, expect, test, vi } from "vitest";
import { takeTurns } from "../../../core/time/turn.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each<[string, string[], string[]]>([
  ["by the runtime's own call", [], ["setImmediate", "setImmediate"]],
  ["by a message", ["setImmediate"], []],
  ["by a timer", ["setImmediate", "MessageChannel"], ["setTimeout", "setTimeout"]],
])("others have their turn after so many pieces, %s", async (_, missing, expected) => {
  const ways: string[] = [];
  for (const name of ["setImmediate", "setTimeout"] as const) {
    const own = globalThis[name] as (run: () => void, time?: number) => unknown;
    vi.stubGlobal(name, (run: () => void, time?: number) => {
      ways.push(name);
      return own(run, time);
    });
  }
  for (const name of missing) vi.stubGlobal(name, undefined);
  const turn = takeTurns(3);
  expect([turn(), turn()]).toEqual([undefined, undefined]);
  const third = turn();
  expect(third).toBeInstanceOf(Promise);
  await third;
  expect([turn(), turn()]).toEqual([undefined, undefined]);
  expect(turn()).toBeInstanceOf(Promise);
  expect(ways).toEqual(expected);
});
