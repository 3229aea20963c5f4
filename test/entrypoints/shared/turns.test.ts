import { expect, test } from "vitest";
import { createHostTurns } from "../../../entrypoints/shared/turns.ts";

/** Work that has begun, each by its name, and what ends it. */
function startWork(names: [host: string, name: string][]) {
  const inTurn = createHostTurns();
  const ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  const all = names.map(([host, name]) =>
    inTurn(host, () => new Promise<void>((resolve, reject) => void ends.set(name, { resolve, reject }))).then(
      () => `${name} ended`,
      ({ message }: Error) => `${name} ${message}`,
    ),
  );
  return { ends, all, begun: () => [...ends.keys()] };
}

test("work at one host waits for its turn, in its order, and for no other host's", async () => {
  const far: [string, string][] = ["1", "2", "3", "4", "5"].map((each) => ["far", each]);
  const { ends, all, begun } = startWork([...far, ["near", "n"]]);
  expect(begun()).toEqual(["1", "2", "3", "n"]);
  ends.get("2")?.resolve();
  await expect.poll(begun).toEqual(["1", "2", "3", "n", "4"]);
  ends.get("1")?.reject(new Error("failed"));
  await expect.poll(begun).toEqual(["1", "2", "3", "n", "4", "5"]);
  for (const { resolve } of ends.values()) resolve();
  expect(await Promise.all(all)).toEqual(["1 failed", "2 ended", "3 ended", "4 ended", "5 ended", "n ended"]);
});

test("a host has all its places again once its work is over", async () => {
  const inTurn = createHostTurns(1);
  for (const each of [1, 2, 3]) expect(await inTurn("far", async () => each)).toBe(each);
});
