import { expect, test } from "vitest";
import type { ErrorCode, ErrorRecord } from "../../../core/mod.ts";
import { FAULT } from "../../../entrypoints/shared/fault.ts";
import { outcomeOf, waitText } from "../../../entrypoints/shared/terminate-outcome.ts";

const record = (code: ErrorCode, more: Partial<ErrorRecord> = {}): { error: ErrorRecord } => ({
  error: {
    name: "ServiceError",
    code,
    message: "Cannot terminate the stream session: why",
    retryable: false,
    ...more,
  },
});

const unknown = {
  tone: "warn",
  title: "It is not known whether the stream ended",
  detail: expect.any(String),
  next: "again",
  isUnknown: true,
};

test.each([undefined, null, {} as { ended: true }, { error: undefined } as unknown as { ended: true }])(
  "no answer is never taken for an end: %j",
  (answer) => {
    expect(outcomeOf(answer)).toEqual(unknown);
  },
);

test("an end and a lost answer are told apart", () => {
  expect(outcomeOf({ ended: true })).toMatchObject({ title: "Ended, if it was live", next: "close" });
  expect(outcomeOf(record("terminate-unknown"))).toEqual(unknown);
  expect(outcomeOf(record("invalid-option"))).toEqual(outcomeOf({ missing: "settings" }));
});

test("a fault of the extension is not laid on the service", () => {
  const { title } = outcomeOf({ error: FAULT });
  expect(title).toMatch(/inside Upcut/);
  expect(outcomeOf(record("service-error")).title).not.toBe(title);
});

test("a refused id is told with the status of the answer, where there was one", () => {
  const { detail } = outcomeOf(record("rejected", { httpStatus: 422 }));
  expect(detail).toMatch(/\b422\b/);
  expect(outcomeOf(record("rejected"))).not.toHaveProperty("detail");
});

test.each<[ErrorCode, string, boolean?]>([
  ["unauthorized", "options"],
  ["forbidden", "options"],
  ["wrong-address", "options"],
  ["redirected", "options"],
  ["unexpected-answer", "options", true],
  ["not-found", "id"],
  ["invalid-id", "id"],
  ["rejected", "id"],
  ["unreachable", "again"],
  ["rate-limited", "again"],
  ["service-error", "again", true],
  ["terminate-unknown", "again", true],
  ["journal-failed", "again"],
])("after %s the next step is %s, and what became of it is unknown: %s", (code, next, isUnknown) => {
  expect(outcomeOf(record(code))).toMatchObject({ next, title: expect.stringMatching(/\w/) });
  // What isn't known is no failure.
  if (isUnknown) expect(outcomeOf(record(code)).tone).toBe("warn");
  if (code !== "journal-failed") expect(outcomeOf(record(code)).isUnknown).toBe(isUnknown);
});

test("a restricted key is not laid on the browser", () => {
  const refused = (sentence: string) => outcomeOf(record("origin-refused", { details: [sentence] }));
  const page = refused("credential disallows CORS access from origin chrome-extension://x");
  const key = refused("access forbidden for CORS-enabled API key with restricted access");
  const either = refused("origin not allowed");
  expect(page).toMatchObject({ title: "The service refused a request from the browser", next: "options" });
  expect(key).toMatchObject({ title: "This token is restricted and may not end streams", next: "options" });
  expect(key.detail).toMatch(/not ended.*without that restriction/);
  expect(`${either.title} ${either.detail}`).toMatch(/not ended.*(Connect again).*(without)/);
});

test("the service's own sentences are quoted", () => {
  expect(outcomeOf(record("not-found", { details: ["Stream not found", "Really"] })).quote).toBe(
    "Stream not found\nReally",
  );
  expect(outcomeOf(record("not-found", { details: [] }))).not.toHaveProperty("quote");
});

test("after a failed service what became of it is unknown, and the pause that it may want is waited for", () => {
  expect(outcomeOf(record("service-error"))).toMatchObject({
    title: "The service has a problem: it is not known whether the stream ended",
    detail: expect.stringMatching(/comes too soon/),
    next: "again",
    isUnknown: true,
    wait: 5_000,
  });
  expect(outcomeOf(record("service-error", { retryAfter: 30_000 })).wait).toBe(30_000);
});

test("a call that comes too soon doesn't close what an earlier one left open", () => {
  const first = outcomeOf(record("rate-limited"), false);
  expect(first).toMatchObject({ title: "Too soon after the last request", wait: 5_000 });
  expect(first.isUnknown).toBeUndefined();
  const next = outcomeOf(record("rate-limited", { retryAfter: 3_000 }), true);
  expect(next).toMatchObject({
    tone: "warn",
    title: "It is still not known whether the stream ended",
    next: "again",
    isUnknown: true,
    wait: 3_000,
  });
  expect(next.detail).toMatch(/not carried out/);
  expect(outcomeOf({ ended: true }, true)).toEqual(outcomeOf({ ended: true }));
});

test("the pause is what the service asked for, else five seconds", () => {
  expect(outcomeOf(record("rate-limited", { retryAfter: 12_200 })).wait).toBe(12_200);
  expect(outcomeOf(record("rate-limited", { retryAfter: 0 })).wait).toBe(1_000);
  expect(outcomeOf(record("rate-limited")).wait).toBe(5_000);
  expect([5_000, 12_200, 119_000, 125_000].map(waitText)).toEqual([
    "5\u00a0sec",
    "13\u00a0sec",
    "119\u00a0sec",
    "2:05\u00a0min",
  ]);
});

test("a key that is refused from here is told by what the service says of it", () => {
  const said = [
    "CORS is disabled for this API key",
    "access forbidden for CORS-enabled API key with restricted access",
    "origin not allowed",
  ];
  const titles = said.map((each) => outcomeOf(record("origin-refused", { details: [each] })));
  expect(new Set(titles.map(({ detail, title }) => `${title} ${detail}`)).size).toBe(3);
  const { quote, ...plain } = outcomeOf(record("origin-refused", { details: ["no"] }));
  expect(quote).toBe("no");
  expect(outcomeOf(record("origin-refused"))).toEqual(plain);
});
