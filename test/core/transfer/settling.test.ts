/** When the next request leaves after one that broke, at hosts that go on storing what they received. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  memoryJournal,
  type Progress,
  type Requester,
  type UploadOptions,
  upload,
} from "../../../core/mod.ts";
import type { ReadableSource } from "../../../core/source/source.ts";
import { caught } from "../../support/caught.ts";
import { content, MiB, videoFile } from "../../support/content.ts";
import { setClocks } from "../../support/core/set-clocks.ts";
import { listen } from "../../support/hosts/listen.ts";

const QUICK: UploadOptions = {
  method: "resumable",
  retry: { attempts: 6, minDelay: 1, maxDelay: 20 },
  timeout: { settle: 20 },
};

interface Host {
  /** What a HEAD tells. */
  offset: number;
  size: number;
  /** Each request in the order it came: its method, offset, body bytes that arrived, and when it came. */
  requests: { method: string; offset: number; bytes: number; time: number }[];
  /** Decides about a PATCH with its body read; resets the connection by "reset". */
  patch(
    offset: number,
    end: number,
    nth: number,
  ): number | "reset" | [status: number, text: string] | undefined;
  /** What a HEAD tells, where that isn't the offset. */
  head?(): number;
  /** Bytes of a PATCH after which its connection is reset, for the given one. */
  cutAt(nth: number): number | undefined;
  /** Milliseconds that each answer takes. */
  slowness: number;
}

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
      if (Array.isArray(stored)) return void response.writeHead(stored[0]).end(stored[1]);
      host.offset = stored;
    }
    const offsetTold = method === "HEAD" ? (host.head?.() ?? host.offset) : host.offset;
    const told = { ...headers, "upload-offset": `${offsetTold}`, "upload-length": `${host.size}` };
    response.writeHead(method === "HEAD" ? 200 : 204, told).end();
  };
  const server = createServer((request, response) => {
    request.on("error", () => {});
    answer(request, response).catch(() => {});
  });
  const tusEndpoint = `${await listen(server)}/create`;
  const location = { asset: { id: "asset-1" }, tusEndpoint, mismatches: [] };
  const requester: Requester = { scope: "test", requestUpload: async () => location };
  return Object.assign(host, { requester });
}

/** The whole parts of this size go in one request. */
const SIZE = 25 * MiB;

/** A host whose connection breaks once within the first request. */
const brokenHost = (cut: number, habits: Partial<Host> = {}) =>
  startHost(SIZE, {
    cutAt: (nth) => (nth === 0 ? cut : undefined),
    patch: (_, end, nth) => (nth > 0 ? end : "reset"),
    ...habits,
  });

/** A source whose first requests are given only what they need to break. */
function slowSource(slowRequests: number): ReadableSource {
  let opened = 0;
  return {
    name: "video.mp4",
    type: "video/mp4",
    size: SIZE,
    rereadable: true,
    identity: async () => "a".repeat(64),
    async slice(start, end) {
      const isSlow = opened++ < slowRequests;
      return {
        size: end - start,
        last: end === SIZE,
        async *pieces(): AsyncGenerator<Uint8Array, undefined> {
          for (let at = start; at < end; at += MiB / 2) {
            if (isSlow && at >= start + 3 * MiB) await new Promise(() => {});
            yield content(MiB / 2);
          }
        },
      };
    },
    close: async () => {},
  };
}

/** What a HEAD tells, in turn: the last of it for good. */
const telling = (host: Host, offsets: number[]) => () => {
  host.offset = offsets.shift() ?? host.offset;
  return host.offset;
};

/** Answers so when it is asked to finish what it has whole; the answer to the last bytes was lost. */
const unfinished =
  (host: Host, status: number, text: string): Host["patch"] =>
  (offset, end, nth) => {
    if (offset === 9 * MiB) return [status, text];
    host.offset = end;
    return nth === 1 ? "reset" : end;
  };

const patchesOf = (host: Host) => host.requests.filter(({ method }) => method === "PATCH");

describe("upload()", () => {
  test("sends nothing while the host still stores parts of a request that broke", async () => {
    const host = await brokenHost(17 * MiB);
    host.head = telling(host, [0, 8 * MiB, 16 * MiB]);
    const waiting = new Set<string>();
    await upload(host.requester, videoFile(SIZE), {
      ...QUICK,
      // Longer than a busy machine takes for an answer.
      timeout: { settle: 1000 },
      onProgress: (report: Progress) => void (report.waiting && waiting.add(report.waiting.reason)),
    });
    expect(patchesOf(host).map(({ offset }) => offset)).toEqual([0, 16 * MiB, 24 * MiB]);
    expect([...waiting]).toContain("settling");
  });

  test.each([
    ["as long as it is told to", 0, 300, 300],
    ["longer for a host whose answers took longer", 100, 20, 300],
  ])("waits %s for a host that may have a part it hasn't counted", async (_, slowness, settle, least) => {
    const host = await brokenHost(17 * MiB, { slowness });
    await upload(host.requester, videoFile(SIZE), { ...QUICK, timeout: { settle } });
    const second = patchesOf(host)[1];
    const [asked] = host.requests.filter(({ method }) => method === "HEAD");
    expect(second?.offset).toBe(0);
    expect((second?.time ?? 0) - (asked?.time ?? 0)).toBeGreaterThanOrEqual(least);
  });

  test("says when it resumes, and not when it asks again", async () => {
    const host = await brokenHost(17 * MiB, { slowness: 300 });
    let left: number | undefined;
    await upload(host.requester, videoFile(SIZE), {
      ...QUICK,
      onProgress: ({ waiting }: Progress) => {
        if (waiting?.reason === "settling") left ??= (waiting.until ?? 0) - Date.now();
      },
    });
    // Three times the slowest answer, where it asks four times a second.
    expect(left).toBeGreaterThan(600);
  });

  test("resumes without waiting where no whole part can have arrived", async () => {
    const host = await brokenHost(MiB);
    const waiting = new Set<string>();
    await upload(host.requester, slowSource(1), {
      ...QUICK,
      timeout: { settle: 60_000 },
      onProgress: (report: Progress) => void (report.waiting && waiting.add(report.waiting.reason)),
    });
    expect([...waiting]).not.toContain("settling");
    expect(patchesOf(host).map(({ offset }) => offset)).toEqual([0, 0, 24 * MiB]);
  });

  test("continues another call's upload only where its offset stands still", async () => {
    const host = await brokenHost(17 * MiB);
    await caught(upload(host.requester, videoFile(SIZE), { ...QUICK, retry: { attempts: 0 } }));
    host.head = telling(host, [0, 16 * MiB]);
    const options = { ...QUICK, timeout: { settle: 300 } };
    const { resumed } = await upload(host.requester, videoFile(SIZE), options);
    expect(resumed).toBe(true);
    expect(patchesOf(host)[1]?.offset).toBe(16 * MiB);
    // The offset is asked for again after it has moved.
    expect(host.requests.filter(({ method }) => method === "HEAD").length).toBeGreaterThan(2);
  });

  test("never calls whole what the host counts twice", async () => {
    const host = await startHost(SIZE, { cutAt: (nth) => (nth === 0 ? 9 * MiB : undefined) });
    host.patch = (_, end, nth) => {
      if (nth === 0) return "reset";
      // The answer is computed from the request; the store has a part more.
      setImmediate(() => {
        host.offset = end + 8 * MiB;
      });
      return end;
    };
    const error = await caught(upload(host.requester, videoFile(SIZE), QUICK));
    expect(error).toMatchObject({ code: "offset-beyond-end", resume: { possible: false } });
  });

  test("believes no answer that counts more than was sent", async () => {
    const host = await startHost(SIZE, { patch: () => SIZE });
    const error = await caught(upload(host.requester, videoFile(SIZE), QUICK));
    expect(error).toMatchObject({ code: "offset-beyond-end" });
  });

  test("sends nothing while the host may still store a last part whose answer was lost", async () => {
    const host = await startHost(9 * MiB, { patch: (_, end, nth) => (nth === 1 ? "reset" : end) });
    host.head = telling(host, [8 * MiB, 9 * MiB]);
    await upload(host.requester, videoFile(9 * MiB), QUICK);
    expect(patchesOf(host).map(({ offset }) => offset)).toEqual([0, 8 * MiB, 9 * MiB]);
  });

  test("has a host finish what it has whole but not put together, after it had time to do so itself", async () => {
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
    const reasons = new Set<string>();
    await upload(host.requester, videoFile(9 * MiB), {
      ...QUICK,
      timeout: { settle: 300 },
      onProgress: ({ waiting }) => void (waiting && reasons.add(waiting.reason)),
    });
    expect(finished).toBe(1);
    expect([...reasons]).toContain("settling");
  });

  const S3_SAYS =
    "The specified upload does not exist. The upload ID may be invalid, or may have been completed.";

  test.each([
    ["says that the upload is no more", 500, `Something went wrong with that request\n${S3_SAYS}`, 1],
    ["says nothing of use", 500, "Something went wrong with that request\n", 4],
    ["says that its offset is another", 409, "conflict", 1],
    ["forbids it", 403, "Cannot modify completed upload", 1],
  ])(
    "takes a complete upload for whole where the host %s when asked to finish it",
    async (_, status, text, times) => {
      const host = await startHost(9 * MiB);
      host.patch = unfinished(host, status, text);
      await upload(host.requester, videoFile(9 * MiB), QUICK);
      expect(patchesOf(host).filter(({ offset }) => offset === 9 * MiB)).toHaveLength(times);
    },
  );

  test.each([
    ["its store is too busy", 503, "Please reduce your request rate."],
    ["its store failed", 500, "Something went wrong with that request\nPlease reduce your request rate."],
    ["it asks to wait", 429, "slow down"],
    ["a page comes instead", 200, "<html>Sign in</html>"],
  ])("never calls whole what the host can't finish, since %s", async (_, status, text) => {
    const host = await startHost(9 * MiB);
    host.patch = unfinished(host, status, text);
    const options = { ...QUICK, retry: { attempts: 2, minDelay: 1 } };
    const error = await caught(upload(host.requester, videoFile(9 * MiB), options));
    expect(error).toMatchObject({ code: "interrupted", resume: { possible: true } });
  });

  test("never calls whole what was never sent whole, whatever the host counts", async () => {
    const host = await startHost(24 * MiB, { cutAt: (nth) => (nth === 0 ? 9 * MiB : undefined) });
    host.patch = (_, __, nth) => {
      host.offset = 8 * MiB;
      return nth === 0 ? "reset" : [500, S3_SAYS];
    };
    // As a store answers whose parts were thrown away meanwhile.
    const stopped = { ...QUICK, chunkSize: 8 * MiB, retry: { attempts: 0 } };
    await caught(upload(host.requester, videoFile(24 * MiB), stopped));
    host.offset = 24 * MiB;
    const error = await caught(upload(host.requester, videoFile(24 * MiB), QUICK));
    expect(error).toMatchObject({ code: "offset-beyond-end", resume: { possible: false } });
  });

  test.each([
    ["joins", 24],
    ["goes on behind", 40],
  ])("never %s what was stored twice by a request whose answer was lost", async (_, size) => {
    const host = await startHost(size * MiB);
    host.patch = (_, end, nth) => {
      // A part of the first request is stored while the second begins, whose own part then comes after it.
      if (nth === 0) host.offset = 8 * MiB;
      if (nth === 1) host.offset = 24 * MiB;
      return nth < 2 ? "reset" : end;
    };
    const options = { ...QUICK, chunkSize: 8 * MiB, journal: memoryJournal() };
    const error = await caught(upload(host.requester, videoFile(size * MiB), options));
    expect(error).toMatchObject({ code: "offset-beyond-end", resume: { possible: false } });
    expect(await options.journal.list()).toEqual([]);
  });

  test("looks again at an offset that can't be right, which a store tells while it puts parts together", async () => {
    const host = await startHost(9 * MiB);
    let looks = 0;
    host.patch = unfinished(host, 500, S3_SAYS);
    host.head = () => (looks++ === 0 ? 18 * MiB : host.offset);
    await upload(host.requester, videoFile(9 * MiB), QUICK);
    expect(looks).toBeGreaterThan(1);
  });

  test("resumes after a part of an earlier call arrives late", async () => {
    const host = await startHost(SIZE, { cutAt: (nth) => (nth < 2 ? 2 * MiB : undefined) });
    host.patch = (_, end, nth) => {
      // While the second request has brought nothing whole itself.
      if (nth === 1) host.offset = 8 * MiB;
      return nth < 2 ? "reset" : end;
    };
    await upload(host.requester, slowSource(2), QUICK);
    expect(patchesOf(host).map(({ offset }) => offset)).toEqual([0, 0, 8, 16, 24].map((at) => at * MiB));
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  setClocks();
});

test("an answer for which the process was stopped meanwhile makes no host slow", async () => {
  const stopped = { steady: 0 };
  setClocks(stopped);
  const host = await brokenHost(17 * MiB);
  host.head = () => {
    stopped.steady = 20_000;
    return host.offset;
  };
  const began = performance.now();
  await upload(host.requester, videoFile(SIZE), QUICK);
  // Three times as long as the stop it would wait otherwise, up to 30 s.
  expect(performance.now() - began).toBeLessThan(5_000);
});

describe("an offset that moves by less than a part", () => {
  /** Each wait is over at once, and the clock has moved on by as much. Timers that watch a request are real. */
  function skipWaits(): { steady: number } {
    const skipped = { steady: 0 };
    const start = globalThis.setTimeout;
    setClocks(skipped);
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((...given: Parameters<typeof start>) => {
      const [end, milliseconds = 0, ...others] = given;
      // Timers of the runtime have more than a callback.
      if (milliseconds >= 30_000 || others.length > 0) return start(...given);
      return start(() => {
        skipped.steady += milliseconds;
        end();
      });
    }) as typeof setTimeout);
    return skipped;
  }

  test.each([
    ["by a byte each time it is asked for", (asked: number) => asked],
    ["to and fro", (asked: number) => asked % 3],
  ])("ends the upload within some six minutes where it moves %s", async (_, head) => {
    let asked = 0;
    const host = await brokenHost(17 * MiB, { head: () => head(++asked) });
    const skipped = skipWaits();
    const error = await caught(upload(host.requester, videoFile(SIZE), { method: "resumable" }));
    expect(error).toMatchObject({ code: "interrupted", retryable: true, resume: { possible: true } });
    expect(error.message).toContain("keeps changing; stopped after 19 attempts without progress");
    expect(skipped.steady).toBeLessThan(6 * 60_000);
    expect(patchesOf(host)).toHaveLength(1);
  });

  test("is waited for anew once a part has come", async () => {
    let asked = 0;
    const skipped = skipWaits();
    const host = await brokenHost(17 * MiB);
    host.head = () => {
      // A part in 80 s: in all longer than an offset may move without one.
      if (host.offset < 16 * MiB) host.offset = 8 * MiB * Math.floor(++asked / 80) + (asked % 80);
      return host.offset;
    };
    const reasons = new Set<string>();
    await upload(host.requester, videoFile(SIZE), {
      method: "resumable",
      onProgress: ({ waiting }) => void (waiting && reasons.add(waiting.reason)),
    });
    expect(patchesOf(host).map(({ offset }) => offset)).toEqual([0, 16 * MiB, 24 * MiB]);
    expect(skipped.steady).toBeGreaterThan(150_000);
    expect([...reasons]).toEqual(["connection", "settling"]);
  });
});
