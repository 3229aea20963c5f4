/** Attempts of a transfer, and what each of them changes for the next. */
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { UploadError } from "../../../core/errors/errors.ts";
import { ProgressMeter } from "../../../core/progress/progress.ts";
import { type RetryLoop, retryUntilDone } from "../../../core/transfer/attempts.ts";
import { Interruption } from "../../../core/transfer/interruption.ts";
import { DEFAULT_RETRY, type RetryAnswer } from "../../../core/transfer/request.ts";
import { MiB } from "../../support/content.ts";

const KiB = 1024;
const AT_ONCE = { ...DEFAULT_RETRY, attempts: 3, minDelay: 0, maxDelay: 0, outageDelay: 0 };
const broken = () => new Interruption("connection", "the connection failed");
const busy = (retryAfter?: number) =>
  new Interruption("http-status", "the upload host answered 503", { httpStatus: 503, retryAfter });

/** Runs attempts of which each moves some bytes, or hands some over, and then fails. */
async function run(
  attempt: (number: number, moved: (bytes: number) => void, handed: (bytes: number) => void) => void,
  more: Partial<RetryLoop> = {},
) {
  let attempts = 0;
  const waits: [string | undefined, number | undefined][] = [];
  const meter = new ProgressMeter(undefined, ({ state, waiting }) => {
    if (state === "waiting") waits.push([waiting?.reason, waiting?.attempt]);
  });
  const done = retryUntilDone(
    async () =>
      attempt(
        ++attempts,
        (bytes) => {
          meter.acknowledged += bytes;
        },
        (bytes) => {
          meter.sent += bytes;
        },
      ),
    {
      purpose: "upload",
      retry: AT_ONCE,
      signal: new AbortController().signal,
      meter,
      ...more,
    },
  );
  const error = await done.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, attempts, waits };
}

describe("retryUntilDone()", () => {
  test("repeats what was interrupted until it is done, and counts the attempts", async () => {
    const { error, attempts, waits } = await run((number) => {
      if (number < 3) throw busy();
    });
    expect([error, attempts]).toEqual([undefined, 3]);
    expect(waits).toEqual([
      ["http-status", 1],
      ["http-status", 2],
    ]);
  });

  test("ends with anything but an interruption at once", async () => {
    for (const failure of [
      new UploadError("source-changed", "Cannot read the video"),
      new TypeError("own"),
    ]) {
      const { error, attempts } = await run(() => {
        throw failure;
      });
      expect(error).toBe(failure);
      expect(attempts).toBe(1);
    }
  });

  test("ends after so many attempts without progress, with what is known of the last", async () => {
    const { error, attempts } = await run(() => {
      throw busy(7);
    });
    expect(attempts).toBe(4);
    expect(error).toMatchObject({ code: "interrupted", retryable: true, httpStatus: 503, retryAfter: 7 });
    expect((error as Error).message).toBe(
      "Cannot upload: the upload host answered 503; stopped after 4 attempts without progress",
    );
  });

  test("says so in words where there was one attempt alone", async () => {
    const fail = () => {
      throw busy();
    };
    const { error } = await run(fail, { retry: { ...AT_ONCE, attempts: 0 } });
    expect((error as Error).message).toContain("stopped after 1 attempt without progress");
  });

  test("ends with the error that an interruption brings, where it brings one", async () => {
    const gone = new UploadError("upload-gone", "Cannot upload: the upload host answered 404");
    const { error } = await run(() => {
      throw new Interruption("not-found", "the upload host answered 404", { error: gone });
    });
    expect(error).toBe(gone);
  });

  test("a part that was moved resets the budget, in one attempt or in several", async () => {
    for (const bytes of [8 * MiB, 4 * MiB]) {
      const { error, attempts } = await run((number, moved) => {
        moved(bytes);
        if (number < 60) throw busy();
      });
      expect([error, attempts]).toEqual([undefined, 60]);
    }
  });

  test.each([1, 64 * KiB, MiB])("%d bytes in each attempt are no progress", async (bytes) => {
    const { error, attempts } = await run((_, moved) => {
      moved(bytes);
      throw busy();
    });
    expect(error).toMatchObject({ code: "interrupted" });
    expect(attempts).toBe(4);
  });

  test("takes bytes that a service had before for no progress", async () => {
    const { error, attempts } = await run((number, moved) => {
      moved(number % 2 === 0 ? -8 * MiB : 8 * MiB);
      throw busy();
    });
    expect(error).toMatchObject({ code: "interrupted" });
    expect(attempts).toBe(4);
  });

  test("ends where the service asks to wait for longer than is allowed", async () => {
    const { error, attempts } = await run(() => {
      throw busy(AT_ONCE.maxRetryAfter + 1);
    });
    expect(attempts).toBe(1);
    expect((error as Error).message).toContain("stopped since the service asks to wait 301 s");
  });

  test("says what may help where the connection broke in the middle of the bytes each time", async () => {
    const hint = { hintWhenAlwaysBroken: () => "Try the other method" };
    const endOf = async (handed: number, failure: () => Error) => {
      const { error } = await run((_, __, hand) => {
        hand(handed);
        throw failure();
      }, hint);
      return (error as Error).message;
    };
    expect(await endOf(1, broken)).toContain("without progress. Try the other method");
    expect(await endOf(0, broken)).not.toContain("Try the other method");
    expect(await endOf(1, busy)).not.toContain("Try the other method");
  });

  test("doesn't count each look for a host or an upload that is away, but each connection that broke midway", async () => {
    // The waits that are counted double from here; within one, the host is looked for again and again.
    const retry = { ...AT_ONCE, minDelay: 100, maxDelay: 100, outageDelay: 5 };
    const counts = async (handed: number, failure: () => Error) => {
      const attempt: Parameters<typeof run>[0] = (_, __, hand) => {
        hand(handed);
        throw failure();
      };
      return (await run(attempt, { retry })).waits.map(([, number]) => number);
    };
    const missing = () => new Interruption("not-found", "the upload host answered 404");
    for (const away of [await counts(0, broken), await counts(1, missing)])
      expect(away.length).toBeGreaterThan(new Set(away).size);
    expect(await counts(1, broken)).toEqual([1, 2, 3]);
    expect(await counts(0, busy)).toEqual([1, 2, 3]);
  });

  test("ends with the reason of its signal, in an attempt and in a wait", async () => {
    const reason = new Error("enough");
    for (const endsInWait of [false, true]) {
      const stop = new AbortController();
      const end = () => stop.abort(reason);
      const { error, attempts } = await run(
        () => {
          if (!endsInWait) end();
          throw busy();
        },
        { signal: stop.signal, ...(endsInWait && { meter: { acknowledged: 0, sent: 0, enter: end } }) },
      );
      expect([error, attempts]).toEqual([reason, 1]);
    }
  });
});

test("retryUntilDone() tries nothing while the machine is offline, however long that is", async () => {
  vi.useFakeTimers();
  const window = new EventTarget();
  for (const name of ["addEventListener", "removeEventListener"] as const)
    vi.stubGlobal(name, window[name].bind(window));
  vi.stubGlobal("navigator", { onLine: false });
  let tries = 0;
  const running = run((number) => {
    tries = number;
    if (number === 1) throw broken();
  });
  await vi.advanceTimersByTimeAsync(24 * 3_600_000);
  expect(tries).toBe(1);
  window.dispatchEvent(new Event("online"));
  expect(await running).toMatchObject({ error: undefined, attempts: 2 });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A host that is away until the given moment; a try takes 5 ms. Tells when and how the loop ended. */
async function throughOutage(until: number): Promise<{ end: number; outcome: unknown }> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"], now: 0 });
  const attempt = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (Date.now() < until) throw broken();
  };
  let ended: { end: number; outcome: unknown } | undefined;
  const loop = retryUntilDone(attempt, {
    purpose: "upload",
    retry: DEFAULT_RETRY,
    signal: new AbortController().signal,
    meter: { acknowledged: 0, sent: 0, enter() {} },
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
    fc.asyncProperty(fc.nat({ max: 5.8 * 60_000 }), async (until) => {
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

/** The milliseconds until the second attempt, and what the loop ended with. */
async function decided(answer: RetryAnswer, fail: () => Interruption, more: Partial<RetryLoop> = {}) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"], now: 0 });
  const running = run(
    (number) => {
      if (number === 1) throw fail();
    },
    { retry: { ...DEFAULT_RETRY, shouldRetry: () => answer }, ...more },
  );
  await vi.runAllTimersAsync();
  const { error, attempts } = await running;
  return { error, attempts, waited: Date.now() };
}

const unanswering = () => new Interruption("connection", "refused", { neverAnswered: "a host" });

test.each<[string, () => Interruption, Partial<RetryLoop>]>([
  ["a failing host", () => busy(), {}],
  ["a host that asks for more", () => busy(600_000), {}],
  ["a host that can't be reached", broken, {}],
  ["a host that has never answered", unanswering, { isNew: true }],
])("retryUntilDone() waits for as long as shouldRetry says, after %s", async (_, fail, more) => {
  expect(await decided(7_000, fail, more)).toEqual({ error: undefined, attempts: 2, waited: 7_000 });
  expect((await decided(0, fail, more)).waited).toBe(0);
});

test("retryUntilDone() tries no more often than it may, where shouldRetry names a short wait in an outage", async () => {
  const retry = { ...DEFAULT_RETRY, attempts: 3, shouldRetry: () => 0 };
  const { error, attempts } = await run(
    () => {
      throw broken();
    },
    { retry },
  );
  expect({ error, attempts }).toMatchObject({ error: { code: "interrupted" }, attempts: 4 });
});

test("retryUntilDone() waits for as long as the host asks where shouldRetry says true", async () => {
  const long = DEFAULT_RETRY.maxRetryAfter + 60_000;
  const { error, waited } = await decided(true, () => busy(long));
  expect([error, waited]).toEqual([undefined, long]);
  expect((await decided(undefined, () => busy(long))).attempts).toBe(1);
  expect((await decided(Number.NaN, () => busy(long))).attempts).toBe(1);
});
