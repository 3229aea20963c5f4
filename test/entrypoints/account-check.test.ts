import { describe, expect, test } from "vitest";
import type { ErrorCode, ErrorRecord } from "../../core/mod.ts";
import {
  answerLines,
  type CheckLine,
  firstLines,
  permissionLines,
  toneOf,
} from "../../entrypoints/options/account-check.ts";
import { faultOf } from "../../entrypoints/shared/fault.ts";
import type { CheckResponse } from "../../entrypoints/shared/messages.ts";

const address = "https://video.example/base";

const refused = (code: ErrorCode, more: Partial<ErrorRecord> = {}): CheckResponse => ({
  error: { name: "ServiceError", code, message: "Cannot: why", retryable: false, ...more },
});
const linesAfter = (response: CheckResponse | null) => {
  const { service, token } = answerLines(address, response);
  return { service, token };
};
const toneAfter = (response: CheckResponse | null) =>
  toneOf({ ...firstLines(address), ...permissionLines(address, true), ...linesAfter(response) });

test.each<[string, CheckLine["tone"], RegExp]>([
  ["https://video.example", "good", /https/],
  ["http://127.0.0.1:8787", "good", /this computer/],
  ["http://video.example", "warn", /anyone on the way can read/],
])("the address %s is called %s", (given, tone, words) => {
  const { address: line } = firstLines(given);
  expect(line.tone).toBe(tone);
  expect(line.text).toMatch(words);
});

test("without permission the service is not asked", () => {
  const lines = { ...firstLines(address), ...permissionLines(address, false) };
  expect([lines.permission.tone, lines.service.tone, lines.token.tone]).toEqual(["bad", "open", "open"]);
  expect(toneOf(lines)).toBe("bad");
});

describe("what the service answers to the end of a stream that nobody has", () => {
  test("the stream is unknown: the token is right", () => {
    const { service, token } = linesAfter(refused("not-found", { details: ["stream not found"] }));
    expect(service).toEqual({ tone: "good", text: "video.example answers." });
    expect(token).toEqual({ tone: "good", text: "The service accepts the token." });
    expect(toneAfter(refused("not-found"))).toBe("good");
  });

  test("unauthorized: the token isn't right, and another one helps", () => {
    const quote = "[hidden: it repeats a secret]";
    const response = refused("unauthorized", { details: [quote] });
    const { service, token } = linesAfter(response);
    expect(service.tone).toBe("good");
    expect(token).toMatchObject({ tone: "bad", quote, next: { field: "token" } });
    expect(token.text).toMatch(/doesn't accept the token/);
    expect(toneAfter(response)).toBe("bad");
  });

  test.each([
    ["forbidden", "account is suspended"],
    ["origin-refused", "access forbidden for CORS-enabled API key with restricted access"],
  ] as const)("%s: a token that may not end streams may still upload", (code, sentence) => {
    const response = refused(code, { details: [sentence] });
    const { token } = linesAfter(response);
    expect(token).toMatchObject({ tone: "warn", quote: sentence, next: { field: "token" } });
    expect(token.text).toMatch(/may not end streams.*Uploads may still work/);
    expect(toneAfter(response)).toBe("warn");
  });

  test.each([
    ["credential disallows CORS access from origin chrome-extension://x", /Save the address/, "again"],
    ["origin not allowed", /may be restricted/, { field: "token" }],
  ])("a refused origin is not taken for a wrong token: %s", (sentence, words, next) => {
    const { token } = linesAfter(refused("origin-refused", { details: [sentence] }));
    expect(token).toMatchObject({ tone: "bad", text: expect.stringMatching(words), next });
  });

  test.each<[CheckResponse | null, RegExp]>([
    [refused("rate-limited"), /wait a moment/],
    [refused("service-error", { httpStatus: 500 }), /a problem now/],
    [refused("rejected", { httpStatus: 405 }), /status 405/],
    [{ ended: true }, /as if that stream had been there/],
    [{ error: faultOf("end the session") }, /inside Upcut/],
    [null, /inside Upcut/],
  ])("%j says nothing of the token, which is told", (response, why) => {
    const { token } = linesAfter(response);
    expect(token).toMatchObject({ tone: "warn", next: "again" });
    expect(token.text).toMatch(/^The token could not be checked: /);
    expect(token.text).toMatch(why);
    expect(toneAfter(response)).toBe("warn");
  });

  test.each<[ErrorCode, RegExp, CheckLine["next"]]>([
    ["wrong-address", /not as a video service/, { field: "address" }],
    ["unexpected-answer", /not as a video service/, { field: "address" }],
    ["redirected", /another address/, { field: "address" }],
    ["unreachable", /^No answer from video\.example/, "again"],
    ["terminate-unknown", /^No answer from video\.example/, "again"],
  ])("%s: the token stays unchecked", (code, words, next) => {
    const { service, token } = linesAfter(refused(code));
    expect(service).toMatchObject({ tone: "bad", text: expect.stringMatching(words), next });
    expect(token.tone).toBe("open");
    expect(toneAfter(refused(code))).toBe("bad");
  });

  test("a service that has the call at another path is offered there", () => {
    const path = "/api/stream/{id}/terminate";
    const { service } = linesAfter({ ...refused("wrong-address"), path });
    expect(service).toMatchObject({ tone: "bad", next: { path } });
    expect(service.text).toContain(path);
  });

  test("the service's words are quoted without what turns their direction around", () => {
    const { token } = linesAfter(refused("forbidden", { details: ["not \u202Eallowed"] }));
    expect(token.quote).toBe("not allowed");
  });
});
