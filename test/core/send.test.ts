/** One request under its timers, over ways of sending that do what a broken connection makes them do. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Slice } from "../../core/source/source.ts";
import { send } from "../../core/transfer/send.ts";
import { DEFAULT_TIMEOUTS } from "../../core/transfer/timeouts.ts";
import type { TransferAnswer, TransferRequest, Transport } from "../../core/transfer/transport.ts";
import { caught } from "../caught.ts";

const TIMEOUTS = { stall: 5000, answer: 10_000, settle: 0 };
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

function request(body: Slice | undefined, more: Partial<TransferRequest> = {}): TransferRequest {
  const { signal } = new AbortController();
  const url = "http://upload.example/";
  return { method: "PATCH", url, headers: {}, body, signal, onHandedOver() {}, ...more };
}

/** Reads a body to its end, and then reports it, as what sends it does. */
async function readAll({ body, onHandedOver }: TransferRequest): Promise<void> {
  const pieces = body?.pieces();
  let read = 0;
  for (let next = await pieces?.next(); next?.done === false; next = await pieces?.next())
    read += next.value.length;
  onHandedOver(read);
}

test("the timeouts by default are those that are documented", () => {
  expect(DEFAULT_TIMEOUTS).toEqual({ stall: 30_000, answer: 60_000, settle: 1_000 });
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  // A timer that is left would keep a script from its end.
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** Sends, and tells how it ended after some time. */
async function outcomeAfter(milliseconds: number, ...call: Parameters<typeof send>): Promise<unknown> {
  let outcome: unknown = "pending";
  const end = (result: unknown) => {
    outcome = result;
  };
  void send(...call).then(end, end);
  await vi.advanceTimersByTimeAsync(milliseconds);
  return outcome;
}

describe("send()", () => {
  test("gives the answer once all bytes have left, and passes on how many did", async () => {
    const handed: number[] = [];
    const way = transport(async (sent) => {
      await readAll(sent);
      return answered(204);
    });
    const onHandedOver = (count: number) => void handed.push(count);
    expect((await send(way, request(bytes(3), { onHandedOver }), TIMEOUTS)).status).toBe(204);
    expect(handed).toEqual([3]);
  });

  test("is not begun where the signal was aborted before", async () => {
    let asked = false;
    const way = transport(async () => {
      asked = true;
      return answered(204);
    });
    const reason = new Error("enough");
    const sending = send(way, request(bytes(1), { signal: AbortSignal.abort(reason) }), TIMEOUTS);
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
    const before = outcomeAfter(at - 1, way, request(bytes(size)), TIMEOUTS);
    expect(await before).toBe("pending");
    await vi.advanceTimersByTimeAsync(2);
    expect(await outcomeAfter(at + 1, way, request(bytes(size)), TIMEOUTS)).toMatchObject({ reason });
  });

  test("waits for the answer once all bytes have left, and takes one that comes in time", async () => {
    const answeredAfter = (milliseconds: number) =>
      transport(async (sent) => {
        await readAll(sent);
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
        return answered(204);
      });
    expect(await outcomeAfter(9999, answeredAfter(9998), request(bytes(1)), TIMEOUTS)).toMatchObject({
      status: 204,
    });
    expect(await outcomeAfter(10_001, answeredAfter(10_001), request(bytes(1)), TIMEOUTS)).toMatchObject({
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
    expect((await caught(send(way, request(bytes(2)), TIMEOUTS))).message).toBe("broken");
    report(1);
  });

  test("doesn't take success for true before all bytes were read, but any refusal", async () => {
    const early = (status: number) =>
      send(
        transport(async () => answered(status)),
        request(bytes(1)),
        TIMEOUTS,
      );
    expect(await caught(early(204))).toMatchObject({ reason: "http-status", httpStatus: 204 });
    expect((await early(413)).status).toBe(413);
    const held = transport(async () => answered(204), { streams: false });
    expect((await send(held, request(bytes(1)), TIMEOUTS)).status).toBe(204);
  });

  test("doesn't take what is no status of HTTP for an answer", async () => {
    const error = await caught(
      send(
        transport(async () => answered(0)),
        request(undefined),
        TIMEOUTS,
      ),
    );
    expect(error).toMatchObject({ reason: "http-status", httpStatus: undefined });
  });
});
