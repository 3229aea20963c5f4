/** Answers that never end, say nothing, say too much or say nonsense: every call ends, and calls whole only what is. */
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openFile } from "../../core/file.ts";
import { discard, memoryJournal, type Uploadable, upload } from "../../core/mod.ts";
import { caught } from "../caught.ts";
import { content, writeContent } from "../content.ts";
import { MARKER } from "../marker.ts";
import { type RawAnswer, type RawRequest, rawAnswer } from "../raw-server.ts";
import { scratchFolder } from "../scratch.ts";
import {
  type Call,
  dripping,
  endless,
  type HostileHost,
  IMPATIENT,
  PATIENT,
  silentAfter,
  startHostileHost,
  TOKEN,
} from "./hostile-host.ts";

const MiB = 1024 * 1024;
const SIZE = MiB + 1;
let folder: Awaited<ReturnType<typeof scratchFolder>>;
beforeAll(async () => {
  folder = await scratchFolder("hostile");
  await writeContent(join(folder.path, "video.mp4"), SIZE);
});
afterAll(() => folder.remove());

const video = () => new File([content(SIZE)], "video.mp4", { type: "video/mp4", lastModified: 1 });
const SOURCES: [string, () => Promise<Uploadable>][] = [
  ["a file in memory", async () => video()],
  ["a file on disk", () => openFile(join(folder.path, "video.mp4"))],
];
const METHODS = { POST: "resumable", HEAD: "resumable", PATCH: "resumable", PUT: "direct" } as const;
type UploadCall = keyof typeof METHODS;
const CALLS = Object.keys(METHODS) as UploadCall[];
const withBody = CALLS.filter((call) => call !== "HEAD");
const HEADERS = { POST: { location: "/tus/upload" }, HEAD: {}, PATCH: { "upload-offset": SIZE }, PUT: {} };
const STATUS = { POST: 201, HEAD: 200, PATCH: 200, PUT: 200 };

/** What unreferenced signals are collected by. */
const collectGarbage = (): void => {
  const { gc } = globalThis as { gc?: () => void };
  try {
    if (gc !== undefined) return void gc();
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
  } catch {
    for (let round = 0; round < 50; round++) new Array(100_000).fill({});
  }
};

/** Fails where a call doesn't end. */
async function ends<T>(call: Promise<T>, within = 50_000): Promise<T> {
  const late = delay(within, undefined, { ref: false }).then(() => {
    throw new Error(`it has not ended within ${within} ms`);
  });
  let collecting: ReturnType<typeof setTimeout>;
  const collect = () => {
    const began = performance.now();
    collectGarbage();
    // On a busy machine it would leave no time to the call.
    collecting = setTimeout(collect, Math.max(50, 9 * (performance.now() - began)));
  };
  collecting = setTimeout(collect, 50);
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(collecting);
  }
}

/** A HEAD is asked only after something broke. */
const brokenOnce = (call: UploadCall, answer: RawAnswer): Partial<Record<Call, RawAnswer>> => {
  if (call !== "HEAD") return { [call]: answer };
  let broken = false;
  return {
    HEAD: answer,
    PATCH(_, socket) {
      if (broken) socket.write(rawAnswer(500, { "content-length": 0 }));
      else socket.destroy();
      broken = true;
    },
  };
};

describe.each(SOURCES)("upload() of %s", (_, open) => {
  const run = async (host: HostileHost, call: UploadCall, options = IMPATIENT) =>
    upload(host.client(), await open(), { ...options, method: METHODS[call], resume: false });

  test.each(CALLS)("ends where no answer to %s ever comes", async (call) => {
    const host = await startHostileHost(brokenOnce(call, () => {}));
    expect(await ends(caught(run(host, call)))).toMatchObject({ code: "interrupted" });
  });

  test.each(withBody)("ends where the answer to %s falls silent after its headers", async (call) => {
    const host = await startHostileHost({ [call]: silentAfter(STATUS[call], "", HEADERS[call]) });
    expect(await ends(caught(run(host, call)))).toMatchObject({ code: "interrupted" });
  });

  test.each(withBody)("ends where a refusal of %s falls silent after its headers", async (call) => {
    const host = await startHostileHost({ [call]: silentAfter(403, "no", { "content-type": "text/plain" }) });
    expect(await ends(caught(run(host, call)))).toMatchObject({ code: "interrupted" });
  });

  test.each(withBody)("ends where the answer to %s drips", async (call) => {
    const host = await startHostileHost({ [call]: dripping(403) });
    expect(await ends(caught(run(host, call)))).toMatchObject({ code: "interrupted" });
  });

  test.each(CALLS)("ends at an abort while no answer to %s comes", async (call) => {
    const host = await startHostileHost(brokenOnce(call, () => {}));
    const stopper = new AbortController();
    const call_ = upload(host.client(), await open(), {
      method: METHODS[call],
      resume: false,
      signal: stopper.signal,
      retry: { minDelay: 1, maxDelay: 2 },
      timeouts: { settle: 1 },
    });
    call_.catch(() => {});
    await expect.poll(() => host.countOf(call)).toBeGreaterThan(0);
    await delay(100);
    stopper.abort("enough");
    await expect(ends(call_, 10_000)).rejects.toBe("enough");
  });

  test.each(withBody)("ends at an abort while the body of an answer to %s is read", async (call) => {
    const host = await startHostileHost({ [call]: silentAfter(403, "no") });
    const stopper = new AbortController();
    const call_ = upload(host.client(), await open(), {
      method: METHODS[call],
      resume: false,
      signal: stopper.signal,
    });
    call_.catch(() => {});
    await expect.poll(() => host.countOf(call)).toBeGreaterThan(0);
    for (let round = 0; round < 5; round++) {
      await delay(50);
      collectGarbage();
    }
    stopper.abort("enough");
    await expect(ends(call_, 10_000)).rejects.toBe("enough");
  });

  test.each(withBody)("reads no more than 1 MiB of an endless refusal of %s", async (call) => {
    const count = { written: 0 };
    const host = await startHostileHost({
      [call]: endless(403, "no way ", { "content-type": "text/plain" }, count),
    });
    const error = await ends(caught(run(host, call, PATIENT)));
    expect(error).toMatchObject({ code: "location-refused" });
    expect(error.message.length).toBeLessThan(700);
    await expect.poll(() => host.open).toBe(0);
    // Sockets hold some MiB that nobody reads.
    expect(count.written).toBeLessThan(40 * MiB);
  });

  test.each<[UploadCall, string]>(
    withBody.flatMap((call) =>
      ["application/json", "text/html", "text/plain"].map((type) => [call, type] as [UploadCall, string]),
    ),
  )("shows nothing of the token that a refusal of %s as %s echoes", async (call, type) => {
    const spelled = [
      TOKEN,
      TOKEN.toUpperCase(),
      btoa(TOKEN),
      encodeURIComponent(TOKEN),
      `user ${TOKEN}`,
    ].join(" ");
    const text =
      type === "application/json" ? JSON.stringify({ errors: [spelled] }) : `<title>${spelled}</title>`;
    const host = await startHostileHost({
      [call]: (_: RawRequest, socket: Socket) =>
        void socket.write(rawAnswer(403, { "content-type": type, "content-length": text.length }, text)),
    });
    for (const uploadAuthorization of [true, false]) {
      const error = await ends(
        caught(
          upload(host.client({ uploadAuthorization }), await open(), {
            ...PATIENT,
            method: METHODS[call],
            resume: false,
          }),
        ),
      );
      expect(error.message).toContain("[removed]");
      const shown = JSON.stringify([error.message, error, error.details]);
      expect(shown.toLowerCase()).not.toContain(MARKER);
      expect(shown).not.toContain(btoa(TOKEN).slice(0, 12));
    }
  });

  test.each(CALLS.flatMap((call) => ["000", "999", "600"].map((status) => [call, status] as const)))(
    "an answer to %s with the status %s tells nothing, and is asked for again",
    async (call, status) => {
      const broken = brokenOnce(
        call,
        (_, socket) => void socket.end(rawAnswer(status, { connection: "close" })),
      );
      const host = await startHostileHost(broken);
      expect(await ends(caught(run(host, call, PATIENT)))).toMatchObject({
        code: "interrupted",
        resume: { possible: true },
      });
      // A HEAD is the second attempt already.
      expect(host.countOf(call)).toBe(call === "HEAD" ? 1 : 2);
    },
  );

  test.each(withBody)("reads no more than some thousand pieces of a refusal of %s", async (call) => {
    const count = { written: 0 };
    const host = await startHostileHost({
      [call]: endless(403, "001\r\n \r\n", { "transfer-encoding": "chunked" }, count),
    });
    expect(await ends(caught(run(host, call, PATIENT)))).toMatchObject({ code: "location-refused" });
    await expect.poll(() => host.open).toBe(0);
    // Sockets hold some MiB that nobody reads.
    expect(count.written).toBeLessThan(40 * MiB);
  });

  test("goes on after a sign-in page in place of the answer to the creation", async () => {
    let asked = 0;
    const page = "<!doctype html><title>Sign in</title>";
    const host: HostileHost = await startHostileHost({
      POST: (_, socket) => {
        const headers = { "content-type": "text/html", "content-length": page.length };
        const created = rawAnswer(201, { "content-length": 0, location: "/tus/upload" });
        socket.write(asked++ === 0 ? rawAnswer(200, headers, page) : created);
      },
    });
    await ends(run(host, "POST", PATIENT));
    expect(host.countOf("request-upload")).toBe(1);
    expect(host.stored).toBe(SIZE);
  });

  const OFFSETS = [
    "1e3",
    "0x3e8",
    "-0",
    "-5",
    "1.0",
    "+5",
    "5, 5",
    "9007199254740993",
    "1".repeat(400),
    "1_000",
    "",
    "Infinity",
    "NaN",
    "null",
  ];
  test.each(OFFSETS)("ends soon where a PATCH is answered with the offset %j", async (offset) => {
    const host = await startHostileHost({
      PATCH: (_, socket) => void socket.write(rawAnswer(204, { "upload-offset": offset })),
    });
    expect(await ends(caught(run(host, "PATCH", PATIENT)))).toMatchObject({ code: "interrupted" });
    expect(host.countOf("PATCH")).toBeLessThan(5);
  });

  test.each(OFFSETS)("ends soon where a HEAD is answered with the offset %j", async (offset) => {
    const host = await startHostileHost(
      brokenOnce(
        "HEAD",
        (_, socket) => void socket.write(rawAnswer(200, { "upload-offset": offset, "content-length": 0 })),
      ),
    );
    expect(await ends(caught(run(host, "HEAD", PATIENT)))).toMatchObject({ code: "interrupted" });
    expect(host.countOf("HEAD")).toBeLessThan(8);
    expect(host.countOf("PATCH")).toBe(1);
  });

  test("ends where a host moves a byte forward in each attempt and fails", async () => {
    const host = await startHostileHost({
      PATCH(request, socket) {
        host.stored = Number(request.headers["upload-offset"]) + 1;
        socket.write(rawAnswer(503, { "content-length": 0 }));
      },
    });
    const error = await ends(caught(run(host, "PATCH", PATIENT)), 90_000);
    expect(error).toMatchObject({ code: "interrupted", httpStatus: 503 });
    expect(host.countOf("PATCH")).toBeLessThan(30);
  }, 100_000);

  test.each<[string, (asked: number) => number]>([
    ["goes back by a byte each time", (asked) => 1000 - asked],
    ["goes to and fro", (asked) => asked % 2],
  ])(
    "ends where the offset of a host %s",
    async (_, offsetOf) => {
      let asked = 0;
      const host = await startHostileHost(
        brokenOnce("HEAD", (_, socket) => {
          const headers = { "upload-offset": offsetOf(++asked), "content-length": 0 };
          socket.write(rawAnswer(200, headers));
        }),
      );
      const source = new File([content(10 * MiB)], "video.mp4", { type: "video/mp4" });
      const running = upload(host.client(), source, { ...PATIENT, method: "resumable" });
      expect(await ends(caught(running), 90_000)).toMatchObject({ code: "interrupted" });
      expect(host.countOf("HEAD")).toBeLessThan(40);
    },
    100_000,
  );

  test("takes no pause of a host that counts a byte at a time for progress without an end", async () => {
    let offset = 0;
    const host = await startHostileHost({
      PATCH: (_, socket) => void socket.write(rawAnswer(204, { "upload-offset": ++offset })),
      HEAD: (_, socket) =>
        void socket.write(rawAnswer(200, { "upload-offset": offset, "content-length": 0 })),
    });
    const stopper = new AbortController();
    const running = upload(host.client(), await open(), {
      method: "resumable",
      resume: false,
      signal: stopper.signal,
    });
    running.catch(() => {});
    await delay(1500);
    stopper.abort();
    await caught(running);
    expect(host.countOf("PATCH")).toBeLessThan(20);
  });
});

describe("a success that comes before all of the body was sent", () => {
  const LENGTH = 24 * MiB;
  beforeAll(() => writeContent(join(folder.path, "long.mp4"), LENGTH));
  const sources: [string, () => Promise<Uploadable>][] = [
    ["a file in memory", async () => new File([content(LENGTH)], "video.mp4", { type: "video/mp4" })],
    ["a file on disk", () => openFile(join(folder.path, "long.mp4"))],
  ];
  test.each(
    sources.flatMap(([name, open]) => [["PUT", name, open] as const, ["PATCH", name, open] as const]),
  )(
    "of a %s of %s is none",
    async (call, _, open) => {
      const answers: Record<string, [number, Record<string, string | number>]> = {
        POST: [201, { location: "/upload" }],
        HEAD: [200, { "upload-offset": 0 }],
        PATCH: [204, { "upload-offset": LENGTH }],
        PUT: [200, {}],
      };
      const server = createServer((request, response) => {
        const [status, headers] = answers[request.method ?? ""] ?? [405, {}];
        response.writeHead(status, headers).end();
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      try {
        const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const [url, tusEndpoint] = [`${origin}/direct`, `${origin}/tus`];
        const requester = {
          scope: "test",
          requestUpload: async () => ({ asset: { id: "asset-1" }, url, tusEndpoint, mismatches: [] }),
        };
        const method = call === "PUT" ? "direct" : "resumable";
        const running = upload(requester, await open(), { ...PATIENT, method });
        const error = await ends(caught(running), 50_000);
        expect(error).toMatchObject({ code: "interrupted" });
      } finally {
        server.closeAllConnections();
        server.close();
      }
    },
    60_000,
  );
});

describe("the account's calls", () => {
  const calls = {
    "request-upload": async (host: HostileHost, options = {}): Promise<void> =>
      void (await host.client({ timeout: 300 }).requestUpload({ name: "Video" }, options)),
    terminate: (host: HostileHost, options = {}): Promise<void> =>
      host.client({ timeout: 300 }).terminateStream("launch-stream", options),
  };
  const LOST = { "request-upload": "asset-unknown", terminate: "terminate-unknown" };
  const NAMES = Object.keys(calls) as (keyof typeof calls)[];

  test.each(NAMES)("%s: an answer that falls silent after its headers is lost", async (name) => {
    const host = await startHostileHost({ [name]: silentAfter(200, "{") });
    expect(await ends(caught(calls[name](host)))).toMatchObject({ code: LOST[name] });
  });

  test.each(NAMES)("%s: a refusal that falls silent is a refusal", async (name) => {
    const host = await startHostileHost({ [name]: silentAfter(401, "no") });
    // Its headers come in time, however busy the machine is.
    const error = await ends(caught(calls[name](host, { timeout: 3_000 })));
    expect(error).toMatchObject({ code: "unauthorized", httpStatus: 401 });
  });

  test.each(NAMES)("%s: an abort ends it while the answer is read", async (name) => {
    const host = await startHostileHost({ [name]: silentAfter(200, "{") });
    const stopper = new AbortController();
    setTimeout(() => stopper.abort("enough"), 200);
    await expect(ends(calls[name](host, { signal: stopper.signal, timeout: 20_000 }), 10_000)).rejects.toBe(
      "enough",
    );
  });

  test.each(NAMES)("%s: an endless answer is cut off", async (name) => {
    for (const status of [200, 500]) {
      const count = { written: 0 };
      const host = await startHostileHost({
        [name]: endless(status, '{"a":[', { "content-type": "application/json" }, count),
      });
      const code = status === 200 ? "unexpected-answer" : "service-error";
      expect(await ends(caught(calls[name](host, { timeout: 20_000 })))).toMatchObject({ code });
      await expect.poll(() => host.open).toBe(0);
      expect(count.written).toBeLessThan(40 * MiB);
    }
  });

  const PACKINGS = ["gzip", "deflate", "br"] as const;
  const packedAnswers = new Map<string, Buffer>();
  beforeAll(() => {
    const large = Buffer.alloc(64 * MiB, '{"a":"b"} ');
    const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
    packedAnswers.set("gzip", gzipSync(large)).set("deflate", deflateSync(large));
    packedAnswers.set("br", brotliCompressSync(large, quick));
  });
  const packedAnswer = (packing: string, status: number): RawAnswer => {
    const packed = packedAnswers.get(packing) ?? Buffer.alloc(0);
    return (_, socket) => {
      socket.write(rawAnswer(status, { "content-encoding": packing, "content-length": packed.length }));
      socket.write(packed);
    };
  };

  test.each(NAMES.flatMap((name) => PACKINGS.map((packing) => [name, packing] as const)))(
    "%s: a small answer (%s) that unpacks to a large one is cut off",
    async (name, packing) => {
      const host = await startHostileHost({ [name]: packedAnswer(packing, 200) });
      const before = process.memoryUsage().rss;
      const error = await ends(caught(calls[name](host, { timeout: 20_000 })), 50_000);
      expect(error).toMatchObject({ code: "unexpected-answer" });
      expect(process.memoryUsage().rss - before).toBeLessThan(48 * MiB);
    },
    60_000,
  );

  test.each(PACKINGS)("nor does a refusal (%s) of the upload host take more", async (packing) => {
    const host = await startHostileHost({ PUT: packedAnswer(packing, 403) });
    const before = process.memoryUsage().rss;
    const error = await ends(caught(upload(host.client(), video(), { ...PATIENT, method: "direct" })));
    expect(error).toMatchObject({ code: "location-refused" });
    expect(process.memoryUsage().rss - before).toBeLessThan(48 * MiB);
  });

  test("a packed answer is read where its server packs all of them", async () => {
    const packed = gzipSync(JSON.stringify({ url: "http://127.0.0.1:9/a", asset: { id: "asset-1" } }));
    const host = await startHostileHost({
      "request-upload": (_, socket) => {
        socket.write(rawAnswer(200, { "content-encoding": "gzip", "content-length": packed.length }));
        socket.write(packed);
      },
    });
    expect((await host.client().requestUpload()).asset.id).toBe("asset-1");
  });

  test.each<[string, string]>([
    ["lists in lists", `{"asset":${"[".repeat(200_000)}${"]".repeat(200_000)}}`],
    ["objects in objects", `{"asset":{"id":"a","b":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}}`],
    ["200,000 profiles", `{"asset":{"id":"a","profiles":[${"{},".repeat(200_000)}{}]}}`],
    [
      "200,000 fields",
      `{"asset":{"id":"a"},${Array.from({ length: 100_000 }, (_, at) => `"${at}":0`).join()}}`,
    ],
  ])("an answer of %s is refused for its size", async (_, text) => {
    const host = await startHostileHost({
      "request-upload": (_, socket) =>
        void socket.write(rawAnswer(200, { "content-length": text.length }, text)),
    });
    const error = await ends(caught(host.client().requestUpload()));
    expect(error).toMatchObject({ code: "unexpected-answer" });
    expect(error.message).toContain("An asset may have been created");
  });

  test.each(["profiles", "hash", "playbackPolicy.allowedOrigins", "videoSpec.tracks"])(
    "of 2,000 wrong entries in %s a hundred mismatches are reported at most",
    async (path) => {
      const [outer = "", inner] = path.split(".");
      const list = new Array(2000).fill({});
      const asset = { id: "asset-1", [outer]: inner === undefined ? list : { [inner]: list } };
      const text = JSON.stringify({
        asset,
        url: "http://127.0.0.1:1/a",
        tusEndpoint: "http://127.0.0.1:1/b",
      });
      const host = await startHostileHost({
        "request-upload": (_, socket) =>
          void socket.write(rawAnswer(200, { "content-length": text.length }, text)),
      });
      const location = await host.client().requestUpload();
      expect(location.mismatches.length).toBeLessThanOrEqual(100);
      expect(location.mismatches.some(({ path: each }) => each.startsWith(`asset.${path}`))).toBe(true);
      expect(location.asset).toEqual(asset);
    },
  );

  test("what an asset's id repeats of the token and the location is not shown, and no more than its beginning", async () => {
    const secrets = `${TOKEN} ${MARKER}-location`;
    for (const id of [secrets, `${"a".repeat(100_000)}${secrets}`]) {
      const host = await startHostileHost({
        "request-upload": (_, socket) => {
          const locations = { url: "/a", tusEndpoint: `${host.origin}/tus?token=${MARKER}-location` };
          const text = JSON.stringify({ ...locations, asset: { id } });
          socket.write(rawAnswer(200, { "content-length": text.length }, text));
        },
        PATCH: (_, socket) => void socket.write(rawAnswer(403, { "content-length": 0 })),
      });
      const error = await ends(caught(upload(host.client(), video(), { ...PATIENT, method: "resumable" })));
      expect(error).toMatchObject({ code: "location-refused", resume: { possible: false } });
      expect(JSON.stringify(error).length).toBeLessThan(10_000);
    }
  });

  test("the words of an upload's address are taken out of a refusal, wherever they stand in it", async () => {
    const words = ["aaaa-bbbb-cccc-dddd", "eeee-ffff-gggg-hhhh"];
    const text = JSON.stringify({ errors: [`no ${words.join(" or ")}`] });
    const host = await startHostileHost(
      { PATCH: (_, socket) => void socket.write(rawAnswer(403, { "content-length": text.length }, text)) },
      { uploadUrl: `/files/${words[0]}/data?${words[1]}` },
    );
    const error = await ends(caught(upload(host.client(), video(), { ...PATIENT, method: "resumable" })));
    expect(error.details).toEqual(["no [removed] or [removed]"]);
  });

  test.each(["host", "id", "error"])(
    "the token in the %s of an answer is shown in no spelling",
    async (place) => {
      const token = TOKEN.replaceAll("_", "-");
      const named = token.toLowerCase();
      const host = await startHostileHost({
        "request-upload": (_, socket) => {
          const text =
            place === "id"
              ? JSON.stringify({ asset: { id: `${"a".repeat(40)}${token}` } })
              : `${"a ".repeat(140)}${token}`;
          const [status, headers] =
            place === "host"
              ? [302, { location: `https://${named}.example/` }]
              : [place === "id" ? 200 : 400, {}];
          socket.write(rawAnswer(status as number, { ...headers, "content-length": text.length }, text));
        },
      });
      const error = await ends(caught(host.client({ token }).requestUpload()));
      expect(JSON.stringify([error.message, error])).not.toMatch(new RegExp(`${MARKER}`, "i"));
    },
  );
});

describe("an upload URL elsewhere", () => {
  test("is asked without the account's authorization, by discard() too", async () => {
    const elsewhere = await startHostileHost();
    const host = await startHostileHost({}, { uploadUrl: `${elsewhere.origin}/tus/upload` });
    const client = host.client({ uploadAuthorization: true });
    await ends(upload(client, video(), { ...PATIENT, method: "resumable" }));
    const journal = memoryJournal();
    const stopper = new AbortController();
    const onProgress = ({ acknowledged, state }: { acknowledged: number; state: string }) => {
      if (acknowledged > 0 || state === "finishing") stopper.abort("stop");
    };
    const options = {
      ...PATIENT,
      method: "resumable",
      journal,
      signal: stopper.signal,
      onProgress,
    } as const;
    await caught(upload(client, video(), options));
    await discard(client, video(), { journal });
    const methods = elsewhere.requests.map(({ method }) => method);
    expect(methods).toContain("PATCH");
    expect(methods).toContain("DELETE");
    for (const { headers } of elsewhere.requests) expect(headers).not.toHaveProperty("authorization");
    const [created] = host.requests.filter(({ path }) => path.startsWith("/tus?"));
    expect(created?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  test.each<[string, string]>([
    ["http://user:password@127.0.0.1:1/upload", "user name"],
    ["https://user@127.0.0.1:1/upload", "user name"],
    ["ftp://127.0.0.1/upload", "neither https nor http"],
    ["javascript:alert(1)", "neither https nor http"],
    ["http://[", "invalid"],
    ["", "without telling its address"],
  ])("at %s is refused at once", async (uploadUrl, words) => {
    const host = await startHostileHost({}, { uploadUrl });
    const error = await ends(caught(upload(host.client(), video(), { ...PATIENT, method: "resumable" })));
    expect(error).toMatchObject({
      code: "location-refused",
      resume: { assetId: "asset-1", possible: false },
    });
    expect(error.message).toContain(words);
    expect(host.requests).toHaveLength(2);
  });

  test("on this machine is refused where the location is not", async () => {
    const requester = {
      scope: "test",
      requestUpload: async () => ({
        asset: { id: "asset-1" },
        tusEndpoint: "https://upload.example/tus",
        mismatches: [],
      }),
      fetch: async () =>
        new Response(null, { status: 201, headers: { location: "http://127.0.0.1:1/upload" } }),
    };
    expect(await caught(upload(requester, video(), { ...PATIENT, method: "resumable" }))).toMatchObject({
      code: "location-refused",
    });
  });
});

describe("a stream of unknown length", () => {
  const stream = () => new Response(content(20 * MiB)).body as ReadableStream<Uint8Array>;

  test.each<[string, (offset: number) => number]>([
    ["its offset", (offset) => offset],
    ["more than its offset", (offset) => offset + 1],
    ["the whole length, which it can't know", () => 20 * MiB],
  ])("goes on where a HEAD names %s as a length that nobody told", async (_, lengthOf) => {
    let failed = false;
    const host = await startHostileHost({
      PATCH(request, socket) {
        const offset = Number(request.headers["upload-offset"]);
        if (offset > 0 && !failed) {
          failed = true;
          return void socket.write(rawAnswer(503, { "content-length": 0 }));
        }
        host.stored = offset + request.size;
        socket.write(rawAnswer(204, { "upload-offset": host.stored }));
      },
      HEAD: (_, socket) =>
        void socket.write(
          rawAnswer(200, {
            "upload-offset": host.stored,
            "upload-length": lengthOf(host.stored),
            "content-length": 0,
          }),
        ),
    });
    const { size } = await ends(upload(host.client(), stream(), { ...PATIENT, type: "video/mp4" }), 50_000);
    expect(size).toBe(20 * MiB);
    expect(host.stored).toBe(20 * MiB);
  });

  test("is refused where the host names another length than it was told", async () => {
    let failed = false;
    const host = await startHostileHost({
      PATCH(request, socket) {
        const offset = Number(request.headers["upload-offset"]);
        if (request.headers["upload-length"] !== undefined && !failed) {
          failed = true;
          return void socket.write(rawAnswer(503, { "content-length": 0 }));
        }
        host.stored = offset + request.size;
        socket.write(rawAnswer(204, { "upload-offset": host.stored }));
      },
      HEAD: (_, socket) =>
        void socket.write(
          rawAnswer(200, { "upload-offset": host.stored, "upload-length": host.stored, "content-length": 0 }),
        ),
    });
    const error = await ends(
      caught(upload(host.client(), stream(), { ...PATIENT, type: "video/mp4" })),
      50_000,
    );
    expect(error).toMatchObject({ code: "source-changed" });
  });
});
