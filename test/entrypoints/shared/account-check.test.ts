import { describe, expect, test } from "vitest";
import type { ErrorCode, ErrorRecord } from "../../../core/mod.ts";
import {
  addressProblem,
  type CheckOutcome,
  checkOutcomeOf,
  isPlain,
  notAllowed,
  tokenProblem,
  withScheme,
} from "../../../entrypoints/shared/account-check.ts";
import { FAULT } from "../../../entrypoints/shared/fault.ts";
import type { CheckResponse } from "../../../entrypoints/shared/messages.ts";

const address = "https://video.example/base";

const failed = (code: ErrorCode, more: Partial<ErrorRecord> = {}): ErrorRecord => {
  return { name: "ServiceError", code, message: "Cannot: why", retryable: false, ...more };
};
const refused = (code: ErrorCode, more?: Partial<ErrorRecord>): CheckResponse => ({
  error: failed(code, more),
});
type Check = Extract<CheckResponse, { check: object }>["check"];
const checked = (more: Partial<Check> = {}): CheckResponse => ({
  check: { token: "accepted", paths: {}, endsStreams: true, ...more },
});

describe("the service answers to the end of a stream that nobody has", () => {
  test("the stream is unknown: the account is connected", () => {
    expect(checkOutcomeOf(address, checked())).toEqual({ tone: "good", text: "Connected" });
    const { tone, text } = checkOutcomeOf(address, checked({ endsStreams: false }));
    expect({ tone, text }).toMatchObject({
      tone: "warn",
      text: expect.stringMatching(/^The token is right\./),
    });
  });

  test("unauthorized: the token isn't right, and another one helps", () => {
    const quote = "[hidden: it repeats a secret]";
    const outcome = checkOutcomeOf(address, refused("unauthorized", { details: [quote] }));
    expect(outcome).toMatchObject({ tone: "bad", quote, field: "token" });
    expect(outcome.text).toMatch(/doesn't accept the token/);
  });

  test.each([
    ["forbidden", "account is suspended"],
    ["origin-refused", "access forbidden for CORS-enabled API key with restricted access"],
  ] as const)("%s: a token that may not end streams may still upload", (code, sentence) => {
    const outcome = checkOutcomeOf(address, refused(code, { details: [sentence] }));
    expect(outcome).toMatchObject({ tone: "warn", quote: sentence });
    expect(outcome.text).toMatch(/may not end streams.*Uploads may still work/);
  });

  test.each([
    ["credential disallows CORS access from origin chrome-extension://x", /Connect again/, undefined],
    ["origin not allowed", /may be restricted/, "token"],
  ])("a refused origin is not taken for a wrong token: %s", (sentence, words, field) => {
    const outcome = checkOutcomeOf(address, refused("origin-refused", { details: [sentence] }));
    expect(outcome).toMatchObject({ tone: "bad", text: expect.stringMatching(words) });
    expect(outcome.field).toBe(field);
  });

  test.each<[CheckResponse | null, RegExp]>([
    [refused("rate-limited"), /wait a moment/],
    [refused("service-error", { httpStatus: 500 }), /a problem now/],
    [refused("rejected", { httpStatus: 405 }), /status 405/],
    [checked({ token: "unknown", endsStreams: false }), /no call that ends streams was found/],
    [checked({ token: "unknown", error: { ...failed("service-error") } }), /a problem now/],
    [{ error: FAULT }, /inside Upcut/],
    [null, /inside Upcut/],
  ])("%j says nothing of the token, which is told", (response, why) => {
    const { tone, text } = checkOutcomeOf(address, response);
    expect(tone).toBe("warn");
    expect(text).toMatch(/^The token could not be checked: /);
    expect(text).toMatch(why);
  });

  test.each<[ErrorCode, RegExp, CheckOutcome["field"]]>([
    ["wrong-address", /not as a video service/, "address"],
    ["unexpected-answer", /not as a video service/, "address"],
    ["redirected", /another address/, "address"],
    ["unreachable", /^No answer from video\.example/, undefined],
    ["terminate-unknown", /^No answer from video\.example/, undefined],
  ])("%s: the account is not connected", (code, words, field) => {
    const outcome = checkOutcomeOf(address, refused(code));
    expect(outcome).toMatchObject({ tone: "bad", text: expect.stringMatching(words) });
    expect(outcome.field).toBe(field);
  });

  test("its words are quoted without what turns their direction around", () => {
    expect(checkOutcomeOf(address, refused("forbidden", { details: ["not \u202Eallowed"] })).quote).toBe(
      "not allowed",
    );
  });
});

test("a host that the browser doesn't allow is named", () => {
  const response = { missing: { permission: "host", origin: "https://video.example" } } as const;
  expect(checkOutcomeOf(address, response)).toEqual(notAllowed(address));
  expect(notAllowed(address).text).toMatch(/doesn't let Upcut reach video\.example/);
});

test.each([
  ["video.example", "https://video.example"],
  [" video.example:8443/base ", "https://video.example:8443/base"],
  ["localhost:4000", "http://localhost:4000"],
  ["127.0.0.1:4000", "http://127.0.0.1:4000"],
  ["LocalHost:4000", "http://LocalHost:4000"],
  ["ftp://video.example", "ftp://video.example"],
  ["no address", "no address"],
])("withScheme() makes of %j the address %j", (text, address) => {
  expect(withScheme(text)).toBe(address);
});

test("isPlain() warns of addresses that send the token in the clear", () => {
  expect(["http://video.example", "http://127.0.0.1.example"].map(isPlain)).toEqual([true, true]);
  expect(["https://video.example", "http://localhost:4000", "http://[::1]:1", "x"].filter(isPlain)).toEqual(
    [],
  );
  const thisComputer = ["video.localhost", "localhost.", "0.0.0.0", "[::]", "[::ffff:7f00:1]"];
  expect(thisComputer.map((host) => `http://${host}:4000`).filter(isPlain)).toEqual([]);
});

test.each([
  ["", /^Enter the address/],
  ["nonsense", /^This is not an address\. Enter one such as/],
  ["ftp://video.example", /^This address begins with ftp:/],
  ["https://user:pass@video.example", /^This address holds a user name or password/],
  ["https://video.example/?key=1", /^Leave out everything from the \?/],
])("addressProblem() of %j is for a person", (address, words) => {
  expect(addressProblem(address)).toMatch(words);
  expect(addressProblem(address)).not.toMatch(/baseUrl|create a client/);
});

test("tokenProblem() never repeats the token", () => {
  expect(tokenProblem("abc 123")).toBe("The token contains a space or a line break. Paste it again.");
  expect(tokenProblem("Bearer ")).toBe("The token is empty. Paste it again.");
  expect(tokenProblem(" ")).toBe("Paste the token of your account.");
});
