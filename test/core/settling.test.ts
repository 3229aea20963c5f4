/** When the next request leaves after one that broke, at hosts that go on storing what they received. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import {
  memoryJournal,
  type Progress,
  type Requester,
  type Source,
  type UploadOptions,
  upload,
} from "../../core/mod.ts";
import { caught } from "../caught.ts";
import { content } from "../content.ts";

const MiB = 1024 * 1024;
const QUICK: UploadOptions = { method: "resumable", retry: { attempts: 6, minDelay: 1, maxDelay: 20 } };
const film = (size: number) => new File([content(size)], "film.mp4", { type: "video/mp4", lastModified: 1 });

interface Host {
  /** What a HEAD tells. */
  offset: number;
  size: number;
  /** Each request in the order it came: its method, offset, body bytes that arrived, and when it came. */
  requests: { method: string; offset: number; bytes: number; time: number }[];
  /** Decides about a PATCH with its body read; resets the connection by "reset". */
  patch(offset: number, end: number, nth: number): number | "reset" | undefined;
  /** Bytes of a PATCH after which its connection is reset, for the given one. */
  cutAt(nth: number): number | undefined;
  /** Milliseconds that each answer takes. */
  slowness: number;
}

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function startHost(size: number, habits: Partial<Host> = {}): Promise<Host & { requester: Requester }> {
  const host: Host = {
    offset: 0,
    size,
    requests: [],
    patch: (_, end) => end,
    cutAt: () => undefined,
    slowness: 0,
    ...habits,
  };
  let patches = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const method = request.method ?? "";
    const offset = Number(request.headers["upload-offset"] ?? 0);
    const entry = { method, offset, bytes: 0, time: performance.now() };
    host.requests.push(entry);
    const nth = method === "PATCH" ? patches++ : -1;
    const cut = host.cutAt(nth) ?? Number.POSITIVE_INFINITY;
    for await (const piece of request as AsyncIterable<Uint8Array>) {
      entry.bytes += piece.length;
      if (entry.bytes >= cut) {
        host.patch(offset, offset + entry.bytes, nth);
        return void request.socket.resetAndDestroy();
      }
    }
    await delay(host.slowness);
    const headers = { "tus-resumable": "1.0.0" };
    if (method === "POST") return void response.writeHead(201, { ...headers, location: "/upload" }).end();
    if (method === "PATCH") {
      const stored = offset === host.offset ? host.patch(offset, offset + entry.bytes, nth) : 409;
      if (stored === "reset" || stored === undefined) return void request.socket.resetAndDestroy();
      if (stored === 409) return void response.writeHead(409).end();
      host.offset = stored;
    }
    const told = { ...headers, "upload-offset": `${host.offset}`, "upload-length": `${host.size}` };
    response.writeHead(method === "HEAD" ? 200 : 204, told).end();
  };
  server = createServer((request, response) => {
    request.on("error", () => {});
    answer(request, response).catch(() => {});
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const tusEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/create`;
  return Object.assign(host, {
    requester: {
      scope: "test",
      journal: memoryJournal(),
      requestUpload: async () => ({ asset: { id: "asset" }, tusEndpoint, mismatches: [] }),
    },
  });
}

const patchesOf = (host: Host) => host.requests.filter(({ method }) => method === "PATCH");

describe("upload()", () => {
  test.each([
    ["8 MiB and a byte", 8 * MiB + 1, [8 * MiB, 1]],
    ["40 MiB and 3 bytes", 40 * MiB + 3, [40 * MiB, 3]],
    ["24 MiB", 24 * MiB, [24 * MiB]],
    ["5 MiB", 5 * MiB, [5 * MiB]],
  ])("sends the whole parts of %s together and what is left by itself", async (_, size, expected) => {
    const host = await startHost(size);
    // A transport of the server runtimes; tests of a browser's are in test/runtimes.
    await upload(host.requester, film(size), QUICK);
    expect(patchesOf(host).map(({ bytes }) => bytes)).toEqual(expected);
  });

  test("sends nothing while the host still stores parts of a request that broke", async () => {
    const host = await startHost(24 * MiB, { cutAt: (nth) => (nth === 0 ? 17 * MiB : undefined) });
    const waiting = new Set<string>();
    let moved = 0;
    host.patch = (_, end, nth) => {
      if (nth > 0) return end;
      for (const [after, offset] of [
        [300, 8 * MiB],
        [900, 16 * MiB],
      ] as const) {
        setTimeout(() => {
          host.offset = offset;
          moved = performance.now();
        }, after);
      }
      return "reset";
    };
    await upload(host.requester, film(24 * MiB), {
      ...QUICK,
      onProgress: (report: Progress) => void (report.waiting && waiting.add(report.waiting.reason)),
    });
    const [, second] = patchesOf(host);
    expect(second?.offset).toBe(16 * MiB);
    expect((second?.time ?? 0) > moved).toBe(true);
    expect([...waiting]).toContain("settling");
  });

  test("waits a second for a host that may have a part it hasn't counted", async () => {
    const host = await startHost(24 * MiB, { cutAt: (nth) => (nth === 0 ? 17 * MiB : undefined) });
    host.patch = (_, end, nth) => (nth > 0 ? end : "reset");
    await upload(host.requester, film(24 * MiB), QUICK);
    const [first, second] = patchesOf(host);
    expect(second?.offset).toBe(0);
    expect((second?.time ?? 0) - (first?.time ?? 0)).toBeGreaterThan(1000);
  });

  test("waits longer for a host whose answers took longer", async () => {
    const host = await startHost(24 * MiB, { cutAt: (nth) => (nth === 0 ? 17 * MiB : undefined) });
    host.slowness = 700;
    host.patch = (_, end, nth) => (nth > 0 ? end : "reset");
    await upload(host.requester, film(24 * MiB), QUICK);
    const [first, second] = patchesOf(host);
    expect((second?.time ?? 0) - (first?.time ?? 0)).toBeGreaterThan(2100);
  });

  test("goes on at once where no whole part can have arrived", async () => {
    const host = await startHost(24 * MiB, { cutAt: (nth) => (nth === 0 ? MiB : undefined) });
    host.patch = (_, end, nth) => (nth > 0 ? end : "reset");
    // Sockets take some MiB that never arrive, so the first request is given only what it needs to break.
    let opened = 0;
    const source: Source = {
      name: "film.mp4",
      type: "video/mp4",
      size: 24 * MiB,
      rereadable: true,
      identity: async () => "a".repeat(64),
      async slice(start, end) {
        const first = opened++ === 0;
        return {
          size: end - start,
          last: end === 24 * MiB,
          async *pieces(): AsyncGenerator<Uint8Array, undefined> {
            for (let at = start; at < end; at += MiB / 2) {
              if (first && at >= 2 * MiB) await delay(20_000, undefined, { ref: false });
              yield content(MiB / 2);
            }
          },
        };
      },
      close: async () => {},
    };
    const timeouts = { settle: 60_000 };
    const began = performance.now();
    await upload(host.requester, source, { ...QUICK, timeouts });
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(patchesOf(host).map(({ offset }) => offset)).toEqual([0, 0, 16 * MiB]);
  });

  test("continues another call's upload only where its offset stands still", async () => {
    const host = await startHost(24 * MiB, { cutAt: (nth) => (nth === 0 ? 17 * MiB : undefined) });
    host.patch = (_, end, nth) => (nth > 0 ? end : "reset");
    await caught(upload(host.requester, film(24 * MiB), { ...QUICK, retry: { attempts: 0 } }));
    let moved = 0;
    setTimeout(() => {
      host.offset = 16 * MiB;
      moved = performance.now();
    }, 500);
    const { continued } = await upload(host.requester, film(24 * MiB), QUICK);
    expect(continued).toBe(true);
    const second = patchesOf(host)[1];
    expect(second?.offset).toBe(16 * MiB);
    expect((second?.time ?? 0) - moved).toBeGreaterThan(1000);
  });

  test("never calls whole what the host counts twice", async () => {
    const host = await startHost(24 * MiB, { cutAt: (nth) => (nth === 0 ? 9 * MiB : undefined) });
    host.patch = (_, end, nth) => {
      if (nth === 0) return "reset";
      // The answer is computed from the request; the store has a part more.
      setImmediate(() => {
        host.offset = end + 8 * MiB;
      });
      return end;
    };
    const error = await caught(upload(host.requester, film(24 * MiB), QUICK));
    expect(error).toMatchObject({ code: "offset-beyond-end", kept: { continues: false } });
  });

  test("has a host finish what it has whole but not put together", async () => {
    const host = await startHost(9 * MiB);
    let finished = 0;
    host.patch = (offset, end, nth) => {
      if (nth === 1) {
        // The store failed between the last part and putting the parts together.
        host.offset = end;
        return "reset";
      }
      if (offset === 9 * MiB) finished++;
      return end;
    };
    await upload(host.requester, film(9 * MiB), QUICK);
    expect(finished).toBe(1);
  });

  test("takes a host at its word that can't finish what was finished before", async () => {
    const host = await startHost(9 * MiB);
    host.patch = (offset, end, nth) => {
      if (nth === 1) host.offset = end;
      return nth === 1 || offset === 9 * MiB ? "reset" : end;
    };
    const refused: number[] = [];
    server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
      if (request.method !== "PATCH" || request.headers["upload-offset"] !== `${9 * MiB}`) return;
      refused.push(1);
      response.writeHead(500).end("Something went wrong with that request\n");
    });
    await upload(host.requester, film(9 * MiB), QUICK);
    expect(refused.length).toBe(2);
  });
});
