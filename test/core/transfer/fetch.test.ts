/** The transports of the server runtimes, fetch and node:http, and which of them is chosen. */
import { connect, createServer } from "node:net";
import { Worker } from "node:worker_threads";
import { describe, expect, test, vi } from "vitest";
import { diskTransport } from "../../../core/disk/transport.ts";
import type { Slice } from "../../../core/source/source.ts";
import { joinSignals } from "../../../core/time/abort.ts";
import { chooseTransport } from "../../../core/transfer/attempts.ts";
import { fetchTransport } from "../../../core/transfer/fetch.ts";
import { RequestBody, type TransferRequest, type Transport } from "../../../core/transfer/transport.ts";
import { caught } from "../../support/caught.ts";
import { content, MiB } from "../../support/content.ts";
import { listen } from "../../support/hosts/listen.ts";
import { rawAnswer, startRawServer } from "../../support/hosts/raw-server.ts";

const byFetch = fetchTransport(globalThis.fetch);
const byHttp = diskTransport();

/** Bytes that are read in two pieces, or as a file's, and may not be as many as announced. */
function slice(size: number, announced = size): Slice {
  const bytes = content(size);
  return {
    size: announced,
    last: true,
    async fill(target, position) {
      target.set(bytes.subarray(position, position + target.length));
      return Math.min(target.length, bytes.length - position);
    },
    async *pieces(): AsyncGenerator<Uint8Array, undefined> {
      yield bytes.subarray(0, 1);
      yield bytes.subarray(1);
    },
  };
}

interface Given extends Partial<Omit<TransferRequest, "body">> {
  body?: Slice | undefined;
  beforeLastByte?: () => Promise<void>;
}

/** A request that a source which fails ends, as in an upload. */
function request(url: string, { body, beforeLastByte, signal: given, ...more }: Given = {}): TransferRequest {
  const { signal, abort } = joinSignals(given);
  const read = body && new RequestBody(body, { signal, beforeLastByte, onFailure: abort });
  return { method: "PUT", url, headers: {}, body: read, signal, onHandedOver() {}, ...more };
}

const accepting = () =>
  startRawServer((_, socket) => {
    socket.write(rawAnswer(200, { "content-length": 2, "x-a": "b" }, "ok"));
  });

describe.each<[string, Transport]>([
  ["fetchTransport()", byFetch],
  ["diskTransport()", byHttp],
])("%s", (name, { send }) => {
  test("sends a body with its length and tells what has left, and gives the answer", async () => {
    const server = await accepting();
    const handed: number[] = [];
    const size = 2 * MiB + 3;
    const onHandedOver = (bytes: number) => void handed.push(bytes);
    const options = { headers: { "x-c": "d" }, body: slice(size), onHandedOver };
    const { status, text, header } = await send(request(server.origin, options));
    expect([status, text, header("X-A"), header("x-b")]).toEqual([200, "ok", "b", undefined]);
    const headers = { "content-length": `${size}`, "x-c": "d" };
    expect(server.requests).toMatchObject([{ method: "PUT", size, headers }]);
    expect(handed.at(-1)).toBe(size);
    if (name === "diskTransport()") expect(handed).toEqual([MiB, 2 * MiB, size]);
  });

  test("ends with the failure of the source where that can't be read", async () => {
    const server = await startRawServer(() => {});
    const failure = new Error("no disk");
    const fail = () => Promise.reject(failure);
    const body = { ...slice(5), fill: fail, pieces: () => ({ next: fail }) };
    expect(await caught(send(request(server.origin, { body })))).toBe(failure);
  });

  test("ends with the reason of the signal, before and meanwhile", async () => {
    const reason = new DOMException("enough", "TimeoutError");
    const stop = new AbortController();
    const server = await startRawServer(() => stop.abort(reason));
    const before = send(request(server.origin, { signal: AbortSignal.abort(reason) }));
    expect(await caught(before)).toBe(reason);
    expect(server.requests).toEqual([]);
    expect(await caught(send(request(server.origin, { signal: stop.signal })))).toBe(reason);
  });

  test("is interrupted where the connection breaks, or an answer breaks off", async () => {
    const broken = await startRawServer((_, socket) => void socket.resetAndDestroy());
    expect(await caught(send(request(broken.origin)))).toMatchObject({ reason: "connection" });
    const cut = await startRawServer((_, socket) => {
      socket.end(rawAnswer(200, { "content-length": 5 }, "ok"));
    });
    expect(await caught(send(request(cut.origin)))).toMatchObject({ reason: "connection" });
  });

  test("begins TLS where an address asks for it", async () => {
    const first: (number | undefined)[] = [];
    const server = createServer((socket) => {
      socket
        .on("error", () => {})
        .once("data", (bytes) => {
          first.push(bytes[0]);
          socket.destroy();
        });
    });
    const secure = (await listen(server)).replace("http:", "https:");
    expect(await caught(send(request(secure)))).toMatchObject({ reason: "connection" });
    // The type of a record that shakes hands.
    expect(first).toEqual([22]);
  });

  test.each([300, 301, 304, 307])("follows no redirect (%d)", async (status) => {
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

describe("fetchTransport()", () => {
  test("follows no redirect that a browser keeps to itself", async () => {
    const own = fetchTransport(async () =>
      Object.defineProperty(new Response(), "type", { value: "opaqueredirect" }),
    );
    expect(await caught(own.send(request("http://upload.example/")))).toMatchObject({
      code: "location-refused",
    });
  });

  test("ends with the reason of the signal where a given fetch rejects with an error of its own", async () => {
    const reason = new Error("enough");
    const own = fetchTransport(async () => {
      throw new TypeError("stopped");
    });
    const signal = AbortSignal.abort(reason);
    expect(await caught(own.send(request("http://upload.example/", { signal })))).toBe(reason);
  });
});

/** Drops the packets of whoever connects: its thread sleeps, and two connections fill its queue. */
async function listenerWithFullQueue() {
  const worker = new Worker(
    `const { parentPort } = require("node:worker_threads");
    const server = require("node:net").createServer();
    server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`,
    { eval: true },
  );
  const port = await new Promise<number>((resolve) => worker.once("message", resolve));
  const fillers = [0, 1].map(() => connect(port, "127.0.0.1"));
  await Promise.all(fillers.map((socket) => new Promise<void>((resolve) => socket.once("connect", resolve))));
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      for (const socket of fillers) socket.destroy();
      await worker.terminate();
    },
  };
}

describe("diskTransport()", () => {
  const { send } = byHttp;

  test.each([
    ["http:", "P"],
    ["https:", "\u0016"],
  ])("speaks what the address begins with: %s", async (scheme, first) => {
    let heard = "";
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (bytes: Uint8Array) => {
        heard = String.fromCharCode(bytes[0] ?? 0);
        socket.destroy();
      });
    });
    const origin = await listen(server);
    const error = await caught(send(request(origin.replace("http:", scheme))));
    expect(error).toMatchObject({ reason: "connection" });
    expect(heard).toBe(first);
  });

  test("gives up a connection that doesn't come about within 10 s", async () => {
    const full = await listenerWithFullQueue();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      let over = false;
      const sending = caught(send(request(full.origin))).finally(() => {
        over = true;
      });
      while (!over) await vi.advanceTimersByTimeAsync(10_000);
      expect((await sending).message).toContain("could not be reached: it doesn't answer");
    } finally {
      vi.useRealTimers();
      await full.close();
    }
  });

  test.each([1, MiB, 2 * MiB + 3])("holds the last of %d bytes back until it may leave", async (size) => {
    let arrived = 0;
    const other = await startRawServer((_, socket) => void socket.end(rawAnswer(204, {})));
    const server = createServer((socket) => {
      let head = "";
      socket.on("data", (bytes: Buffer) => {
        const before = head.includes("\r\n\r\n");
        if (!before) head += bytes.toString("latin1");
        arrived = before ? arrived + bytes.length : (head.split("\r\n\r\n", 2)[1]?.length ?? 0);
        if (arrived === size) socket.write(rawAnswer(200, { "content-length": 0 }));
      });
    });
    const origin = await listen(server);
    let atTheLast: number | undefined;
    const beforeLastByte = async () => {
      // Deno and Bun report what has left a little before it has arrived.
      if (size > 1) await expect.poll(() => arrived).toBe(size - 1);
      // What had left with it would come before what another connection is answered.
      await fetch(other.origin);
      atTheLast = arrived;
    };
    const answer = await send(request(origin, { body: slice(size), beforeLastByte }));
    expect([answer.status, atTheLast, arrived]).toEqual([200, size - 1, size]);
  });

  test("is interrupted where the connection breaks in the middle of the body, and reads no more", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.resetAndDestroy());
    });
    const origin = await listen(server);
    let read = 0;
    const fill: NonNullable<Slice["fill"]> = async (target, position) => {
      read = Math.max(read, position + target.length);
      return target.length;
    };
    const body = { ...slice(5, 64 * MiB), fill };
    const error = await caught(send(request(origin, { body })));
    expect(error).toMatchObject({ reason: "connection" });
    expect(read).toBeLessThan(64 * MiB);
  });

  test("closes the connection of a body that was answered before its end", async () => {
    let closed = () => {};
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("close", closed);
      socket.once("data", () => socket.write(rawAnswer(413, { "content-length": 0 })));
      // What comes is not looked at.
      socket.resume();
    });
    const origin = await listen(server);
    const body = slice(2 * MiB);
    let calls = 0;
    // Whoever is answered early would wait for the rest in vain.
    const fill: NonNullable<Slice["fill"]> = async (target, position) =>
      ++calls === 1 ? ((await body.fill?.(target, position)) ?? 0) : await new Promise(() => {});
    const answer = await send(request(origin, { body: { ...body, fill } }));
    expect(answer.status).toBe(413);
    await isClosed;
  });
});

describe("chooseTransport()", () => {
  const own = { transport: byHttp } as Parameters<typeof chooseTransport>[0];

  test("sends by a given fetch before all others", async () => {
    let asked = 0;
    const fetch = async () => {
      asked++;
      return new Response(null, { status: 204 });
    };
    for (const source of [undefined, own]) {
      const { status } = await chooseTransport(source, { fetch }).send(request("http://upload.example/"));
      expect(status).toBe(204);
    }
    expect(asked).toBe(2);
  });

  test("sends in the way of the source, else by the runtime's fetch", async () => {
    expect(chooseTransport(own, {})).toBe(byHttp);
    const server = await accepting();
    expect((await chooseTransport(undefined, {}).send(request(server.origin))).status).toBe(200);
  });
});
