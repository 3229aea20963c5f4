import { expect, test } from "vitest";
import { namesIn, sendThrough } from "../../../core/journals/redis-commands.ts";
import { caught } from "../../support/caught.ts";

/** A client whose one call notes what it was given. */
function clientOf(name: string, answer: () => unknown = () => "OK") {
  const given: unknown[] = [];
  const client = {
    async [name](...words: unknown[]) {
      if (this !== client) throw new Error("not its own");
      given.push(words);
      return answer();
    },
  };
  return { client, given };
}

test.each([
  ["ioredis", "call", ["GET", "a"]],
  ["Bun", "send", ["GET", ["a"]]],
  ["node-redis", "sendCommand", [["GET", "a"]]],
])("a command goes through a client of %s by its %s()", async (_, name, words) => {
  const { client, given } = clientOf(name);
  expect(await sendThrough(client)(["GET", "a"], 1000)).toBe("OK");
  expect(given).toEqual([words]);
});

test.each([null, {}, { get() {} }, { call: "a" }])("%o is no client", async (client) => {
  const error = await caught(() => sendThrough(client));
  expect(error).toMatchObject({ code: "invalid-option" });
  expect(error.message).toContain("a client of ioredis, node-redis or Bun");
});

test("a refusal is told by its first word alone", async () => {
  const refusing = clientOf("call", () => {
    throw new Error("WRONGTYPE the key secret holds a list");
  });
  const error = await caught(sendThrough(refusing.client)(["GET", "a"], 1000));
  expect(error.message).toContain("Redis refuses a command (WRONGTYPE)");
  expect(error.message).not.toContain("secret");
});

test("names are asked for until the list of keys is at its end, whatever signs they begin with", async () => {
  const replies = [
    ["7", ["a", "b"]],
    ["0", ["b", "c"]],
  ];
  const asked: string[][] = [];
  const names = await namesIn(async (command) => {
    asked.push(command);
    return replies[asked.length - 1];
  }, "up*[");
  expect([...names]).toEqual(["a", "b", "c"]);
  expect(asked).toEqual(
    ["0", "7"].map((cursor) => ["SCAN", cursor, "MATCH", String.raw`up\*\[*`, "COUNT", "1000"]),
  );
  for (const reply of ["OK", ["0", "a"]])
    expect((await caught(namesIn(async () => reply, "up"))).message).toContain("no list of its keys");
});
