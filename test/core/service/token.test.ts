import { describe, expect, test } from "vitest";
import { readToken, tokenReader } from "../../../core/service/token.ts";
import { caught } from "../../support/caught.ts";
import { refusalOf } from "../../support/core/refusal.ts";

const SECOND = 1000;
const ASKS_ITSELF = "its function asks the client that asks for it";

describe("tokenReader()", () => {
  test("gives a text as it is, and what a function returns at that time", async () => {
    const used = new Set<string>();
    expect(await tokenReader(" one-token ", used)(SECOND)).toBe("one-token");
    const given = ["token-1", "token-2"];
    const current = tokenReader(async () => given.shift(), used);
    expect([await current(SECOND), await current(SECOND)]).toEqual(["token-1", "token-2"]);
    expect([...used]).toEqual(["one-token", "token-1", "token-2"]);
  });

  test("remembers the last 20 of many", async () => {
    const used = new Set<string>();
    let number = 0;
    const current = tokenReader(() => `token-${++number}`, used);
    for (let count = 0; count < 22; count++) await current(SECOND);
    expect([used.size, [...used][0], [...used].at(-1)]).toEqual([20, "token-3", "token-22"]);
    number = 2;
    await current(SECOND);
    expect([used.size, [...used].at(-1)]).toEqual([20, "token-3"]);
  });

  test.each([
    [7, "token is a number"],
    [7n, "token is a number"],
    [undefined, "token is undefined"],
    [{}, "token is an object"],
  ])("refuses %o", async (given, words) => {
    const error = await caught(() => tokenReader(given, new Set()));
    expect(error).toMatchObject({ code: "invalid-option" });
    expect(error.message).toContain(`${words}, expected a string or a function`);
  });

  test("refuses a function that asks for itself at once", async () => {
    const current: (timeout: number) => Promise<string> = tokenReader(() => {
      let failure: unknown;
      current(SECOND).catch((error: unknown) => {
        failure = error;
      });
      return new Promise((_, reject) => setTimeout(() => reject(failure), 0));
    }, new Set());
    expect((await caught(current(SECOND))).message).toContain(ASKS_ITSELF);
  });

  test("lets 10,000 calls wait for a token at the same time, which no more may join", async () => {
    let give = (_: string) => {};
    const token = new Promise<string>((resolve) => {
      give = resolve;
    });
    const current = tokenReader(() => token, new Set());
    const waiting = Array.from({ length: 10_000 }, () => current(60 * SECOND));
    expect((await caught(current(SECOND))).message).toContain(ASKS_ITSELF);
    give("a-token");
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["a-token"]));
    expect(await current(SECOND)).toBe("a-token");
  });

  test("ends where no token comes in time, and where the function fails", async () => {
    const late = await caught(tokenReader(() => new Promise(() => {}), new Set())(20));
    expect(late).toMatchObject({ code: "unreachable", retryable: true });
    const failing = tokenReader(() => {
      throw new TypeError("with a secret");
    }, new Set());
    const error = await caught(failing(SECOND));
    expect(error).toMatchObject({ code: "invalid-option" });
    expect(error.message).toContain("its function failed");
    expect(error.message).not.toContain("with a secret");
    // A function that failed may be asked again.
    expect((await caught(failing(SECOND))).message).toBe(error.message);
  });
});

describe("readToken()", () => {
  test.each([
    ["abc", "abc"],
    ["  abc\n", "abc"],
    ["Bearer abc", "abc"],
    ["bearer \t abc ", "abc"],
    [" BEARER  abc", "abc"],
    ["abcBearer", "abcBearer"],
    ["Bearerabc", "Bearerabc"],
    ["!~", "!~"],
  ])("makes of %j %j", (token, clean) => expect(readToken(token)).toBe(clean));

  test.each<[unknown, string]>([
    [7, "it is not a string"],
    ["", "it is empty"],
    [" ", "it is empty"],
    ["Bearer", "it is empty"],
    ["a\u0000b", "it holds a control character or a line break"],
    ["a\nb", "it holds a control character or a line break"],
    ["a\u007fb", "it holds a control character or a line break"],
    ["a\u009fb", "it holds a control character or a line break"],
    ["a b", "it holds white space"],
    ["a\u00a0b", "it holds white space"],
    ["aéb", "it holds a character that no header can carry"],
    ["a\u00a1b", "it holds a character that no header can carry"],
  ])("refuses %j", (token, words) => expect(refusalOf(() => readToken(token))).toContain(words));
});
