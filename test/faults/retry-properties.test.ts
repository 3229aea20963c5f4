import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { Interruption } from "../../core/transfer/interruption.ts";
import { boundBefore, DEFAULT_RETRY, delayBefore, retryUntilDone } from "../../core/transfer/retry.ts";

const milliseconds = fc.double({ min: 0, max: 1e9, noNaN: true });
const policies = fc.record({
  attempts: fc.nat({ max: 50 }),
  minDelay: milliseconds,
  maxDelay: milliseconds,
  outageDelay: milliseconds,
  maxRetryAfter: milliseconds,
});
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
test("a line that breaks again and again after progress costs a tenth of its time at most", () => {
  fc.assert(
    fc.property(policies, fc.array(fc.tuple(milliseconds, random)), (policy, breaks) => {
      let held = 0;
      let waited = 0;
      for (const [time, chance] of breaks) {
        held += time;
        waited += delayBefore(1, policy, undefined, chance, time) ?? Number.NaN;
      }
      expect(waited).toBeLessThanOrEqual(held / 10 + 1e-3);
    }),
  );
});

/** Six minutes: the waits before 18 attempts at their longest. */
const OUTAGE = Array.from({ length: DEFAULT_RETRY.attempts }, (_, at) =>
  boundBefore(at + 1, DEFAULT_RETRY),
).reduce((sum, wait) => sum + wait, 0);

test("by default a failing service is waited for three minutes on average, and six at most", () => {
  const chances = fc.array(random, { minLength: DEFAULT_RETRY.attempts, maxLength: DEFAULT_RETRY.attempts });
  const inAll = (all: number[]) =>
    all
      .map((chance, at) => delayBefore(at + 1, DEFAULT_RETRY, undefined, chance) ?? Number.NaN)
      .reduce((sum, wait) => sum + wait, 0);
  fc.assert(fc.property(chances, (all) => void expect(inAll(all)).toBeLessThan(6 * 60_000)));
  const minutes = inAll(Array.from({ length: DEFAULT_RETRY.attempts }, () => 0.5)) / 60_000;
  expect(minutes).toBeGreaterThan(2.8);
  expect(minutes).toBeLessThan(3.2);
});

afterEach(() => void vi.useRealTimers());

/** A host that is away until the given moment; a try takes 5 ms. Tells when and how the loop ended. */
async function throughOutage(until: number): Promise<{ end: number; outcome: unknown }> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: 0 });
  const attempt = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (Date.now() < until) throw new Interruption("connection", "the connection failed");
  };
  let ended: { end: number; outcome: unknown } | undefined;
  const loop = retryUntilDone(attempt, {
    purpose: "upload",
    retry: DEFAULT_RETRY,
    signal: new AbortController().signal,
    acknowledged: () => 0,
    handedOver: () => 0,
    onWait() {},
  });
  const end = (outcome: unknown) => {
    ended = { end: Date.now(), outcome };
  };
  void loop.then(end, end);
  while (ended === undefined) await vi.advanceTimersToNextTimerAsync();
  return ended;
}

test("retryUntilDone() resumes within a few seconds after an outage, however long that was", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: OUTAGE - 1000 }), async (until) => {
      const { end, outcome } = await throughOutage(until);
      expect(outcome).toBeUndefined();
      expect(end - until).toBeLessThanOrEqual(DEFAULT_RETRY.outageDelay + 10);
    }),
    { numRuns: 40 },
  );
});

test("retryUntilDone() gives up after six minutes of an outage that doesn't end", async () => {
  const { end, outcome } = await throughOutage(Number.POSITIVE_INFINITY);
  expect(outcome).toMatchObject({ code: "interrupted", retryable: true });
  expect(end / 60_000).toBeGreaterThan(5.8);
  expect(end / 60_000).toBeLessThan(6.2);
});
