/** One request under its timers, over ways of sending that do what a broken connection makes them do. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Hosts } from "../../../core/hosts/host.ts";
import { guardedRequester } from "../../../core/service/requester.ts";
import type { Slice } from "../../../core/source/source.ts";
import {
  DEFAULT_TIMEOUTS,
  openShowOrigin,
  type RequestContext,
  sendRequest,
} from "../../../core/transfer/request.ts";
import type { TransferAnswer, TransferRequest, Transport } from "../../../core/transfer/transport.ts";
import { caught } from "../../support/caught.ts";

const TIMEOUTS = { stall: 5000, answer: 10_000, settle: 0, verify: 0 };
const answered = (status: number): TransferAnswer => ({ status, header: () => undefined, text: "" });
const never = new Promise<never>(() => {});

function bytes(size: number): Slice {
  return {
    size,
    last: true,
    async *pieces(): AsyncGenerator<Uint8Array, undefined> {
      yield new Uint8Array(size);
    },
  };
}

function transport(send: Transport["send"], more: Partial<Transport> = {}): Transport {
  return { streams: true, repeats: false, reportsProgress: true, send, ...more };
}

const requester = guardedRequester("upload", {
  scope: "a",
  requestUpload: () => Promise.reject(new Error("no location")),
});

/** What a request has in common with others of an upload that has its lease. */
function context(transport: Transport, more: Partial<RequestContext> = {}): RequestContext {
  return {
    requester,
    transport,
    settings: { timeout: TIMEOUTS, hooks: {} },
    signal: new AbortController().signal,
    hosts: new Hosts(),
    showOrigin: openShowOrigin(),
    record: () => ({ method: "resumable", asset: { id: "a" }, mismatches: [] }),
    confirm: async () => {},
    confirmAfterPause: async () => {},
    ...more,
  };
}

function call(body: Slice | undefined) {
  return { method: "PATCH", url: "http://upload.example/", ...(body && { body }) } as const;
}

/** Reads a body to its end, and then reports it, as what sends it does. */
async function readAll({ body, onHandedOver }: TransferRequest): Promise<void> {
  while (body !== undefined && body.left > 0) await body.read();
  onHandedOver(body?.given ?? 0);
}

test("the time limits by default are those that are documented", () => {
  expect(DEFAULT_TIMEOUTS).toEqual({ stall: 30_000, answer: 60_000, settle: 1_000, verify: 3_600_000 });
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  // A timer that is left would keep a script from its end.
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** Sends, and tells how it ended after some time. */
async function outcomeAfter(milliseconds: number, ...how: Parameters<typeof sendRequest>): Promise<unknown> {
  let outcome: unknown = "pending";
  const end = (result: unknown) => {
    outcome = result;
  };
  void sendRequest(...how).then(end, end);
  await vi.advanceTimersByTimeAsync(milliseconds);
  return outcome;
}

describe("sendRequest()", () => {
  test("gives the answer once all bytes have left, and passes on how many did", async () => {
    const handed: number[] = [];
    const way = transport(async (sent) => {
      await readAll(sent);
      return answered(204);
    });
    const onHandedOver = (count: number) => void handed.push(count);
    expect((await sendRequest(context(way), call(bytes(3)), onHandedOver)).status).toBe(204);
    expect(handed).toEqual([3]);
  });

  test("is not begun where the signal was aborted before", async () => {
    let asked = false;
    const way = transport(async () => {
      asked = true;
      return answered(204);
    });
    const reason = new Error("enough");
    const sending = sendRequest(context(way, { signal: AbortSignal.abort(reason) }), call(bytes(1)));
    expect(await caught(sending)).toBe(reason);
    expect(asked).toBe(false);
  });

  test.each([
    ["a body of which no byte leaves", 1, {}, "stalled", 5000],
    ["a request without a body that isn't answered", 0, {}, "unanswered", 10_000],
    ["a byte that is sent without progress", 1, { reportsProgress: false }, "unanswered", 10_000],
    ["a megabyte that is sent without progress", 1_024_000, { reportsProgress: false }, "unanswered", 42_000],
    ["no byte, be there progress or not", 0, { reportsProgress: false }, "unanswered", 10_000],
  ])("ends %s at its time, and not before", async (_, size, more, reason, at) => {
    const way = transport(() => never, more);
    const before = outcomeAfter(at - 1, context(way), call(bytes(size)));
    expect(await before).toBe("pending");
    await vi.advanceTimersByTimeAsync(2);
    expect(await outcomeAfter(at + 1, context(way), call(bytes(size)))).toMatchObject({ reason });
  });

  test("waits for the answer once all bytes have left, and takes one that comes in time", async () => {
    const answeredAfter = (milliseconds: number) =>
      transport(async (sent) => {
        await readAll(sent);
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
        return answered(204);
      });
    expect(await outcomeAfter(9999, context(answeredAfter(9998)), call(bytes(1)))).toMatchObject({
      status: 204,
    });
    expect(await outcomeAfter(10_001, context(answeredAfter(10_001)), call(bytes(1)))).toMatchObject({
      reason: "unanswered",
      message: "no answer within 10 s",
    });
  });

  test("sets no timer for what a broken connection reports late", async () => {
    let report = (_: number) => {};
    const way = transport(async ({ onHandedOver }) => {
      report = onHandedOver;
      throw new Error("broken");
    });
    expect((await caught(sendRequest(context(way), call(bytes(2))))).message).toBe("broken");
    report(1);
  });

  test("doesn't take success for true before all bytes were read, but any refusal", async () => {
    const early = (status: number) =>
      sendRequest(context(transport(async () => answered(status))), call(bytes(1)));
    expect(await caught(early(204))).toMatchObject({ reason: "http-status", httpStatus: 204 });
    expect((await early(413)).status).toBe(413);
    const held = transport(async () => answered(204), { streams: false });
    expect((await sendRequest(context(held), call(bytes(1)))).status).toBe(204);
  });

  test("ends with the failure of the source, also where the connection hangs", async () => {
    const failure = new Error("no disk");
    const pieces = () => ({ next: () => Promise.reject(failure) });
    const way = transport(async (sent) => {
      await readAll(sent).catch(() => {});
      return await never;
    });
    expect(await caught(sendRequest(context(way), call({ ...bytes(1), pieces })))).toBe(failure);
  });

  test.each(["pieces", "fill"])(
    "counts no time in which the source is read by its %s as the line's",
    async (by) => {
      const wait = () => new Promise((resolve) => setTimeout(resolve, TIMEOUTS.stall + 1));
      const slow: Slice = {
        ...bytes(2),
        async *pieces(): AsyncGenerator<Uint8Array, undefined> {
          for (let piece = 0; piece < 2; piece++) {
            await wait();
            yield new Uint8Array(1);
          }
        },
        async fill(target) {
          await wait();
          return target.length;
        },
      };
      const way = transport(async ({ body, onHandedOver }) => {
        while (body !== undefined && body.left > 0) {
          const reading = body.read(by === "fill" ? new Uint8Array(1) : undefined);
          // A piece may leave while the next one is read.
          onHandedOver(body.given);
          await reading;
        }
        onHandedOver(2);
        return answered(204);
      });
      const outcome = outcomeAfter(2 * TIMEOUTS.stall + 3, context(way), call(slow));
      expect(await outcome).toMatchObject({ status: 204 });
    },
  );

  test("doesn't take what is no status of HTTP for an answer", async () => {
    const error = await caught(sendRequest(context(transport(async () => answered(0))), call(undefined)));
    expect(error).toMatchObject({ reason: "http-status", httpStatus: undefined });
  });
});

test("openShowOrigin() hides an origin that holds a secret, and shows the next one anew", () => {
  const show = openShowOrigin();
  const shown = show("https://upload.example", []);
  expect([shown, show("https://upload.example", [])]).toEqual(Array(2).fill("https://upload.example"));
  expect(show("https://secret-token.example", ["secret-token"])).not.toContain("secret-token");
  expect(show("https://other.example", [])).toBe("https://other.example");
});
