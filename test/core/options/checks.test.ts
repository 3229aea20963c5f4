/** What the checks of options take and refuse, at each of their bounds. */
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import type { ClientOptions } from "../../../core/client.ts";
import { isUpcutError } from "../../../core/errors/errors.ts";
import { type HlsOptions, openHls } from "../../../core/hls/mod.ts";
import { memoryJournal } from "../../../core/journal/memory.ts";
import { journal } from "../../../core/journal/terms.ts";
import { createClient, discard, openUrl, type UploadOptions, type UrlOptions } from "../../../core/mod.ts";
import {
  abortSignal,
  amounts,
  below,
  callback,
  flag,
  headers,
  milliseconds,
  oneOf,
  readOptions,
  text,
} from "../../../core/options/checks.ts";
import { REQUEST_FIELD_NAMES } from "../../../core/service/request-fields.ts";
import { DEFAULT_RETRY, DEFAULT_TIMEOUTS } from "../../../core/transfer/request.ts";
import { readUploadOptions } from "../../../core/upload/options.ts";
import { caught } from "../../support/caught.ts";

function problemOf(schema: v.GenericSchema, value: unknown): string | undefined {
  try {
    readOptions("try", v.strictObject({ option: schema }), { option: value });
    return undefined;
  } catch (error) {
    if (!isUpcutError(error) || error.code !== "invalid-option") throw error;
    return error.message;
  }
}

const retry = amounts({ attempts: 3, delay: 100 });
const short = amounts({ attempts: 3 }, ["attempts"], { decide: v.optional(callback()) });
const { reserve: _, ...fourMethods } = { ...memoryJournal(), reserve: undefined };

test.each<[string, v.GenericSchema, unknown[]]>([
  ["flag", flag, [true, false]],
  ["text", text, ["a", " a "]],
  ["abortSignal", abortSignal, [new AbortController().signal]],
  ["callback", callback(), [() => {}]],
  ["milliseconds", milliseconds, [0.1, 1, 2 ** 31 - 1]],
  ["amounts", retry, [undefined, {}, { attempts: 0 }, { delay: 2 ** 31 - 1 }]],
  ["oneOf", oneOf(["a", "b", "c"]), ["a", "b", "c"]],
  ["headers", headers, [{}, { "X-a!#$%&'*+.^`|~-_9": "" }, { a: "\t ~\u0080\u00ff" }]],
  ["journal", journal, [memoryJournal(), fourMethods, { ...fourMethods, reserve: () => {} }]],
])("%s takes what it should", (_, schema, values) => {
  for (const value of values) expect([value, problemOf(schema, value)]).toEqual([value, undefined]);
});

test.each<[string, v.GenericSchema, unknown, string]>([
  [
    "a longest text",
    v.pipe(v.string(), v.maxLength(2)),
    "abc",
    'option is "abc", expected at most 2 characters, not 3',
  ],
  [
    "a rule nobody has worded",
    v.pipe(v.number(), v.multipleOf(2)),
    3,
    "option is 3, expected Invalid multiple: Expected %2 but received 3",
  ],
  ["flag", flag, 1, "option is 1, expected true or false"],
  ["text", text, " ", 'option is " ", expected a text that isn\'t blank'],
  ["abortSignal", abortSignal, {}, "option is an object, expected an AbortSignal"],
  ["callback", callback(), "a", 'option is "a", expected a function'],
  ["milliseconds", milliseconds, 0, "option is 0, expected milliseconds above 0 and below 2 ** 31"],
  ["milliseconds", milliseconds, 2 ** 31, "expected milliseconds above 0 and below 2 ** 31"],
  ["milliseconds", milliseconds, Number.NaN, "option is NaN, expected milliseconds"],
  ["amounts", retry, null, "option is null, expected an object"],
  ["amounts", short, true, "option is true, expected a number or an object"],
  ["amounts", short, -1, "option.attempts is -1, expected a number from 0 to below 2 ** 31"],
  ["amounts", short, { attemps: 1 }, 'there is no option "option.attemps". Did you mean attempts?'],
  ["amounts", short, { decide: 1 }, "option.decide is 1, expected a function"],
  ["amounts", retry, { attempts: -1 }, "option.attempts is -1, expected a number from 0 to below 2 ** 31"],
  ["amounts", retry, { delay: 2 ** 31 }, "option.delay is 2147483648, expected a number"],
  ["amounts", retry, { delay: "1" }, 'option.delay is "1", expected a number from 0 to below 2 ** 31'],
  ["amounts", retry, { dellay: 1 }, 'there is no option "option.dellay". Did you mean delay?'],
  ["oneOf", oneOf(["a", "b", "c"]), "d", 'option is "d", expected "a", "b" or "c"'],
  ["headers", headers, [], "option is an empty list, expected an object of header names and values"],
  ["headers", headers, { "": "a" }, 'option holds "", which is not a valid header'],
  ["headers", headers, { a: "b", "c d": "e" }, 'option holds "c d", which is not a valid header'],
  ["headers", headers, { a: "b\r\nc" }, 'option holds "a", which is not a valid header'],
  ["headers", headers, { a: "\u007f" }, 'option holds "a", which is not a valid header'],
  ["headers", headers, { a: "\u0100" }, 'option holds "a", which is not a valid header'],
  ["journal", journal, 7, "option is 7, expected a journal; it has no get()"],
  ["journal", journal, { ...fourMethods, set: 7 }, "expected a journal; it has no set()"],
  ["journal", journal, { ...fourMethods, delete: 7 }, "expected a journal; it has no delete()"],
  ["journal", journal, { ...fourMethods, claim: 7 }, "expected a journal; it has no claim()"],
  ["journal", journal, { ...fourMethods, reserve: 7 }, "expected a journal; it has no reserve()"],
])("%s refuses %o", (_, schema, value, words) => expect(problemOf(schema, value)).toContain(words));

describe("readOptions()", () => {
  /** What is read, or the message of the refusal. */
  const read = (schema: Parameters<typeof readOptions>[1], given: unknown, advice?: string) => {
    try {
      return readOptions("try", schema, given, advice);
    } catch (error) {
      return isUpcutError(error) ? error.message : error;
    }
  };
  const messageOf = (names: string[], given: unknown, advice?: string) =>
    read(v.strictObject(Object.fromEntries(names.map((name) => [name, v.optional(text)]))), given, advice);

  test("gives back what was given", () => {
    expect(messageOf(["a", "b"], { a: "c" })).toEqual({ a: "c" });
  });

  test("names the options where there are few, and says what to do", () => {
    expect(messageOf(["a"], null)).toBe("Cannot try: options is null, expected an object");
    const unknown = 'Cannot try: there is no option "x"';
    expect(messageOf(["a", "b", "c"], { x: 1 })).toBe(`${unknown}, only a and b and c`);
    expect(messageOf(["a", "b", "c", "d"], { x: 1 })).toBe(unknown);
    expect(messageOf(["a"], { x: 1 }, ". Leave it out")).toBe(`${unknown}, only a. Leave it out`);
  });

  test.each([
    ["onprogress", "onProgress"],
    ["chunk_size", "chunkSize"],
    ["baseURL", "baseUrl"],
    ["bandwith", "bandwidth"],
    ["atempts", "attempts"],
  ])("asks for %s whether %s was meant", (given, meant) => {
    const names = ["baseUrl", "bandwidth", "onProgress", "chunkSize", "attempts"];
    const unknown = `Cannot try: there is no option "${given}"`;
    expect(messageOf(names, { [given]: 1 }, ". Leave it out")).toBe(`${unknown}. Did you mean ${meant}?`);
  });

  test.each(["x", "color", "constructor", "a".repeat(10_000)])("takes %s for no option's name", (given) => {
    const names = ["baseUrl", "bandwidth", "size", "type"];
    expect(messageOf(names, { [given]: 1 })).not.toContain("mean");
  });

  test("fills in the amounts that are absent", () => {
    expect(readOptions("try", v.strictObject({ retry }), {})).toEqual({ retry: { attempts: 3, delay: 100 } });
    expect(readOptions("try", v.strictObject({ retry }), { retry: { delay: 0 } })).toEqual({
      retry: { attempts: 3, delay: 0 },
    });
  });

  test("names the place of a field below another", () => {
    expect([below("", "a"), below("a", "b"), below("a", 0), below("", 1)]).toEqual([
      "a",
      "a.b",
      "a[0]",
      "[1]",
    ]);
    const schema = v.strictObject({ list: v.array(v.looseObject({ number: v.number(), word: v.string() })) });
    const cases: [unknown, string][] = [
      [{}, "list is an object, expected a list"],
      [[{ number: 1, word: "a" }, 7], "list[1] is 7, expected an object"],
      [[{ number: "1", word: "a" }], 'list[0].number is "1", expected a number'],
      [[{ number: 1, word: 2 }], "list[0].word is 2, expected a string"],
    ];
    for (const [list, message] of cases) expect(read(schema, { list })).toBe(`Cannot try: ${message}`);
  });

  test("gives no advice for an unknown name below another", () => {
    const schema = v.strictObject({
      retry: v.optional(v.strictObject({ attempts: v.optional(v.number()) })),
    });
    const message = read(schema, { retry: { attemps: 3 } }, ". Leave it out");
    expect(message).toBe('Cannot try: there is no option "retry.attemps"');
  });
});

type NoneOf<Options> = { [Name in keyof Options]-?: undefined };

test.each([3, 0])("retry: %s stands for its attempts, and false for none", (attempts) => {
  const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "a-token" });
  const { retry } = readUploadOptions(client, { retry: attempts || false });
  expect(retry).toEqual({ ...DEFAULT_RETRY, attempts });
});

test("timeout: 5000 stands for the wait for a byte and for an answer", () => {
  const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "a-token" });
  const { timeout } = readUploadOptions(client, { timeout: 5_000 });
  expect(timeout).toEqual({ ...DEFAULT_TIMEOUTS, stall: 5_000, answer: 5_000 });
});

test("an option that is undefined is one that isn't given, for the compiler too", async () => {
  const reading = { fetch: undefined, signal: undefined, headers: undefined, credentials: undefined };
  const hls: NoneOf<HlsOptions> = {
    ...reading,
    timeout: undefined,
    ...named("quality", "language", "live", "filename", "onLeftOut", "onProgress"),
  };
  const hooks = named("onRequest", "onResponse");
  const source = named("filename", "type", "size");
  const retry: NoneOf<object & UploadOptions["retry"]> = named(
    "attempts",
    "minDelay",
    "maxDelay",
    "shouldRetry",
  );
  const common = { ...source, ...hooks, ...named("journal", "signal") };
  const requested = { ...named(...REQUEST_FIELD_NAMES), ...named("fields", "method") };
  const sending = named("resume", "once", "verify", "onProgress", "chunkSize", "bandwidth");
  const none: NoneOf<UploadOptions> = {
    ...common,
    ...requested,
    ...sending,
    ...named("retry", "timeout", "headers"),
  };
  const timeout: NoneOf<object & UploadOptions["timeout"]> = named("stall", "answer", "settle", "verify");
  const client = createClient({
    baseUrl: "http://127.0.0.1:9",
    token: "a-token",
    ...hooks,
    ...named("account", "paths", "fetch", "timeout", "uploadAuthorization", "headers"),
  } satisfies NoneOf<Omit<ClientOptions, "baseUrl" | "token">> & ClientOptions);
  const given: UploadOptions = none;
  expect(readUploadOptions(client, given)).toMatchObject({ method: "auto", resume: true, once: false });
  const nested: UploadOptions = { retry, timeout };
  expect(readUploadOptions(client, nested).retry).toEqual(DEFAULT_RETRY);
  const limits = named("retry", "timeout", "headers");
  const discarding: NoneOf<NonNullable<Parameters<typeof discard>[2]>> = {
    ...hooks,
    ...limits,
    ...named("journal", "signal", "which"),
  };
  const blob = new File(["a"], "a.mp4");
  expect(await discard(client, blob, discarding)).toMatchObject({ ended: 0 });
  const port = new URL("http://127.0.0.1:9");
  expect(
    openUrl(port, { ...named("headers", "credentials", "fetch") } satisfies NoneOf<UrlOptions>),
  ).toBeDefined();
  expect(await caught(openHls(port, hls))).toMatchObject({ code: "source-unreadable" });
});

function named<const Name extends string>(...names: readonly Name[]): { [Key in Name]: undefined } {
  return Object.fromEntries(names.map((name) => [name, undefined])) as { [Key in Name]: undefined };
}
