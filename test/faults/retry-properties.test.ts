import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_RETRY, delayBefore, Interruption } from "../../core/retry.ts";
import { persist } from "../../core/transfer/persist.ts";

const milliseconds = fc.double({ min: 0, max: 1e9, noNaN: true });
const policies = fc.record({
  attempts: fc.nat({ max: 50 }),
  minDelay: milliseconds,
  maxDelay: milliseconds,
  maxRetryAfter: milliseconds,
});
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const attempts = fc.oneof(
  fc.integer({ min: 1, max: 60 }),
  fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
);
const seconds = fc.double({ min: 0, max: 1e9, noNaN: true });

test("a wait is never negative, never above its doubling bound, and never above the longest", () => {
  fc.assert(
    fc.property(policies, attempts, random, (policy, attempt, chance) => {
      const wait = delayBefore(attempt, policy, undefined, chance) ?? Number.NaN;
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThanOrEqual(policy.maxDelay);
      // Beyond this the doubling is beyond what a number holds.
      if (attempt < 60) expect(wait).toBeLessThanOrEqual(policy.minDelay * 2 ** (attempt - 1));
    }),
  );
});

test("what a service asks for is waited for, or ends the upload, and is never cut short", () => {
  fc.assert(
    fc.property(policies, attempts, seconds, random, (policy, attempt, asked, chance) => {
      const wait = delayBefore(attempt, policy, asked, chance);
      if (asked * 1000 > policy.maxRetryAfter) {
        expect(wait).toBeUndefined();
        return;
      }
      expect(wait).toBeGreaterThanOrEqual(asked * 1000);
      expect(wait).toBeLessThanOrEqual(Math.max(policy.maxDelay, policy.maxRetryAfter));
    }),
  );
});

test("by default an upload that gets nowhere waits three minutes at most in all", () => {
  const chances = fc.array(random, { minLength: DEFAULT_RETRY.attempts, maxLength: DEFAULT_RETRY.attempts });
  fc.assert(
    fc.property(chances, (all) => {
      const waits = all.map(
        (chance, at) => delayBefore(at + 1, DEFAULT_RETRY, undefined, chance) ?? Number.NaN,
      );
      expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(3 * 60_000);
    }),
  );
});

test("the loop gives up after just as many fruitless attempts in a row as allowed, whatever came before", async () => {
  const outcomes = fc.array(fc.nat({ max: 3 }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 6 }), outcomes, async (allowed, steps) => {
      let acknowledged = 0;
      let at = 0;
      let fruitless = 0;
      const attempt = async () => {
        // Beyond the list nothing moves any more; 0 moves nothing, 3 goes back.
        const move = [0, 1, 2, -1][steps[at++] ?? 0] ?? 0;
        const before = furthest;
        acknowledged = Math.max(0, acknowledged + move);
        furthest = Math.max(furthest, acknowledged);
        fruitless = furthest > before ? 1 : fruitless + 1;
        expect(fruitless).toBeLessThanOrEqual(allowed + 1);
        throw new Interruption("connection", "the connection failed");
      };
      let furthest = 0;
      const loop = persist(attempt, {
        retry: { ...DEFAULT_RETRY, attempts: allowed, minDelay: 0 },
        signal: new AbortController().signal,
        acknowledged: () => acknowledged,
        onWait() {},
      });
      await expect(loop).rejects.toMatchObject({ code: "interrupted", retryable: true });
      expect(fruitless).toBe(allowed + 1);
    }),
    { numRuns: 60 },
  );
});
