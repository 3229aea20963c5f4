/** Files on disk by node:http, over connections that end in their own ways. */
import { createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { diskTransport } from "../../core/disk/transport.ts";
import type { Slice } from "../../core/source/source.ts";
import type { TransferRequest } from "../../core/transfer/transport.ts";
import { caught } from "../caught.ts";
import { content } from "../content.ts";
import { rawAnswer, startRawServer } from "../raw-server.ts";

const MiB = 1024 * 1024;

/** The bytes of a file. */
function slice(bytes: Uint8Array): Slice {
  return {
    size: bytes.length,
    last: true,
    async fill(target, position) {
      target.set(bytes.subarray(position, position + target.length));
      return Math.min(target.length, bytes.length - position);
    },
    async *pieces(): AsyncGenerator<Uint8Array, undefined> {
      yield bytes;
    },
  };
}

function request(url: string, more: Partial<TransferRequest> = {}): TransferRequest {
  const { signal } = new AbortController();
  return { method: "PUT", url, headers: {}, body: undefined, signal, onHandedOver() {}, ...more };
}

describe("diskTransport()", () => {
  const { send } = diskTransport();

  test("sends a body with its length, and tells what has left", async () => {
    const server = await startRawServer((_, socket) => {
      socket.write(rawAnswer(201, { "content-length": 2, "x-a": "b" }, "ok"));
    });
    const handed: number[] = [];
    const onHandedOver = (bytes: number) => void handed.push(bytes);
    const size = 2 * MiB + 3;
    const answer = await send(
      request(server.origin, { headers: { "x-c": "d" }, body: slice(content(size)), onHandedOver }),
    );
    expect([answer.status, answer.text, answer.header("X-A"), answer.header("x-b")]).toEqual([
      201,
      "ok",
      "b",
      undefined,
    ]);
    expect(server.requests).toMatchObject([{ method: "PUT", size, headers: { "x-c": "d" } }]);
    expect(handed).toEqual([MiB, 2 * MiB, size]);
  });

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
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const error = await caught(send(request(`${scheme}//127.0.0.1:${port}/`)));
    expect(error).toMatchObject({ reason: "connection" });
    expect(heard).toBe(first);
    server.close();
  });

  test.each([1, MiB, 2 * MiB + 3])("holds the last of %d bytes back until it may leave", async (size) => {
    let arrived = 0;
    const server = createServer((socket) => {
      let head = "";
      socket.on("data", (bytes: Buffer) => {
        const before = head.includes("\r\n\r\n");
        if (!before) head += bytes.toString("latin1");
        arrived = before ? arrived + bytes.length : (head.split("\r\n\r\n", 2)[1]?.length ?? 0);
        if (arrived === size) socket.write(rawAnswer(200, { "content-length": 0 }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    let atTheLast: number | undefined;
    const beforeLastByte = async () => {
      // Deno and Bun report what has left a little before it has arrived.
      if (size > 1) await expect.poll(() => arrived).toBe(size - 1);
      await delay(50);
      atTheLast = arrived;
    };
    const answer = await send(
      request(`http://127.0.0.1:${port}/`, { body: slice(content(size)), beforeLastByte }),
    );
    expect([answer.status, atTheLast, arrived]).toEqual([200, size - 1, size]);
    server.close();
  });

  test("is interrupted where the connection breaks in the middle of the body, and reads no more", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => {});
      socket.once("data", () => socket.resetAndDestroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const body = slice(content(64 * MiB));
    let read = 0;
    const fill: NonNullable<Slice["fill"]> = async (target, position) => {
      read = Math.max(read, position + target.length);
      return (await body.fill?.(target, position)) ?? 0;
    };
    const error = await caught(send(request(`http://127.0.0.1:${port}/`, { body: { ...body, fill } })));
    expect(error).toMatchObject({ reason: "connection" });
    expect(read).toBeLessThan(64 * MiB);
    server.close();
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
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const body = slice(content(2 * MiB));
    let calls = 0;
    // Whoever is answered early would wait for the rest in vain.
    const fill: NonNullable<Slice["fill"]> = async (target, position) =>
      ++calls === 1 ? ((await body.fill?.(target, position)) ?? 0) : await new Promise(() => {});
    const answer = await send(request(`http://127.0.0.1:${port}/`, { body: { ...body, fill } }));
    expect(answer.status).toBe(413);
    await isClosed;
    server.close();
  });

  test("is interrupted where an answer breaks off", async () => {
    const server = await startRawServer((_, socket) => {
      socket.end(rawAnswer(200, { "content-length": 5 }, "ok"));
    });
    expect(await caught(send(request(server.origin)))).toMatchObject({ reason: "connection" });
  });

  test("follows no redirect", async () => {
    const server = await startRawServer((_, socket) => {
      socket.write(rawAnswer(302, { location: "/elsewhere", "content-length": 0 }));
    });
    expect(await caught(send(request(server.origin)))).toMatchObject({ code: "location-refused" });
    expect(server.requests).toHaveLength(1);
  });

  test("ends with the reason of the signal, before and meanwhile", async () => {
    const reason = new Error("enough");
    const stop = new AbortController();
    const server = await startRawServer(() => stop.abort(reason));
    const before = send(request(server.origin, { signal: AbortSignal.abort(reason) }));
    expect(await caught(before)).toBe(reason);
    expect(server.requests).toEqual([]);
    expect(await caught(send(request(server.origin, { signal: stop.signal })))).toBe(reason);
  });

  test("ends with the failure of the source where that can't be read", async () => {
    const server = await startRawServer(() => {});
    const failure = new Error("no disk");
    const body = { ...slice(content(5)), fill: () => Promise.reject(failure) };
    expect(await caught(send(request(server.origin, { body })))).toBe(failure);
  });
});
