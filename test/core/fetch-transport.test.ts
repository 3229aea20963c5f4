/** The transport by fetch, and which transport is chosen. */
import { describe, expect, test } from "vitest";
import type { Slice } from "../../core/source/source.ts";
import { chooseTransport } from "../../core/transfer/choose-transport.ts";
import { fetchTransport } from "../../core/transfer/fetch.ts";
import type { TransferRequest, Transport } from "../../core/transfer/transport.ts";
import { caught } from "../caught.ts";
import { content } from "../content.ts";
import { rawAnswer, startRawServer } from "../raw-server.ts";

const MiB = 1024 * 1024;

/** Some bytes in two pieces, of which the second may not be as announced. */
function slice(size: number, announced = size): Slice {
  const bytes = content(size);
  return {
    size: announced,
    last: true,
    async *pieces(): AsyncGenerator<Uint8Array, undefined> {
      yield bytes.subarray(0, 1);
      yield bytes.subarray(1);
    },
  };
}

function request(url: string, more: Partial<TransferRequest> = {}): TransferRequest {
  const { signal } = new AbortController();
  return { method: "PUT", url, headers: {}, body: undefined, signal, onHandedOver() {}, ...more };
}

const { send } = fetchTransport(globalThis.fetch);
const accepting = () =>
  startRawServer((_, socket) => {
    socket.write(rawAnswer(200, { "content-length": 2, "x-a": "b" }, "ok"));
  });

describe("fetchTransport()", () => {
  test("sends a body with its length and tells what has left, and gives the answer", async () => {
    const server = await accepting();
    const handed: number[] = [];
    const onHandedOver = (bytes: number) => void handed.push(bytes);
    const answer = await send(request(server.origin, { body: slice(MiB), onHandedOver }));
    expect([answer.status, answer.text, answer.header("X-A"), answer.header("x-b")]).toEqual([
      200,
      "ok",
      "b",
      undefined,
    ]);
    expect(server.requests).toMatchObject([{ size: MiB, headers: { "content-length": `${MiB}` } }]);
    expect(handed.at(-1)).toBe(MiB);
  });

  test.each([
    [4, "source-ended-early"],
    [6, "source-too-long"],
  ])("rejects a source of %d bytes where 5 were announced", async (size, code) => {
    const server = await startRawServer(() => {});
    expect(await caught(send(request(server.origin, { body: slice(size, 5) })))).toMatchObject({ code });
  });

  test("ends with the failure of the source where that can't be read", async () => {
    const server = await startRawServer(() => {});
    const failure = new Error("no disk");
    const pieces = () => ({ next: () => Promise.reject(failure) });
    expect(await caught(send(request(server.origin, { body: { ...slice(5), pieces } })))).toBe(failure);
  });

  test("ends with the reason of the signal, before and meanwhile", async () => {
    const reason = new Error("enough");
    const stop = new AbortController();
    const server = await startRawServer(() => stop.abort(reason));
    const before = send(request(server.origin, { signal: AbortSignal.abort(reason) }));
    expect(await caught(before)).toBe(reason);
    const named = new DOMException("enough", "TimeoutError");
    const other = new AbortController();
    other.abort(named);
    expect(await caught(send(request(server.origin, { signal: other.signal })))).toBe(named);
    expect(await caught(send(request(server.origin, { signal: stop.signal })))).toBe(reason);
    // A given fetch may reject with an error of its own.
    const own = fetchTransport(async () => {
      throw new TypeError("stopped");
    });
    const { signal } = stop;
    expect(await caught(own.send(request(server.origin, { signal })))).toBe(reason);
  });

  test("is interrupted where the connection breaks", async () => {
    const server = await startRawServer((_, socket) => void socket.resetAndDestroy());
    expect(await caught(send(request(server.origin)))).toMatchObject({ reason: "connection" });
  });

  test.each([301, 302, 303, 307, 308])("follows no redirect (%d)", async (status) => {
    const server = await startRawServer((_, socket) => {
      socket.write(rawAnswer(status, { location: "/elsewhere", "content-length": 0 }));
    });
    for (const body of [undefined, slice(5)])
      expect(await caught(send(request(server.origin, { body })))).toMatchObject({
        code: "location-refused",
      });
    expect(server.requests.every(({ path }) => path === "/")).toBe(true);
  });
});

describe("chooseTransport()", () => {
  const own = { transport: { send } as unknown as Transport } as Parameters<typeof chooseTransport>[0];

  test("sends by a given fetch before all others", async () => {
    const asked: string[] = [];
    const fetch = async (input: string | URL | Request) => {
      asked.push(String(input));
      return new Response(null, { status: 204 });
    };
    for (const source of [undefined, own])
      expect((await chooseTransport(source, { fetch }).send(request("http://upload.example/"))).status).toBe(
        204,
      );
    expect(asked).toHaveLength(2);
  });

  test("sends in the way of the source, else by the runtime's fetch", async () => {
    expect(chooseTransport(own, {})).toBe((own as unknown as { transport: Transport }).transport);
    const server = await accepting();
    expect((await chooseTransport(undefined, {}).send(request(server.origin))).status).toBe(200);
  });
});
