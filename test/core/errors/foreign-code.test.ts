/** Code of others that hangs, fails or gives nonsense: an abort always ends the call, and what it throws is ours. */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import {
  createClient,
  discard,
  type Journal,
  memoryJournal,
  type Requester,
  type UploadOptions,
  upload,
  uploadAll,
} from "../../../core/mod.ts";
import { caught } from "../../support/caught.ts";
import { IMPATIENT, startHostileHost } from "../../support/hosts/hostile-host.ts";
import { rawAnswer } from "../../support/hosts/raw-server.ts";
import { MARKER } from "../../support/marker.ts";

/** Milliseconds of a slow journal: more than aborted work may take to end by itself. */
const SLOW = 800;
const video = () =>
  new File([new Uint8Array(5000).fill(7)], "video.mp4", { type: "video/mp4", lastModified: 1 });
/** Calls that hang by now. */
let hanging = 0;
const forever = () => {
  hanging++;
  return new Promise<never>(() => {});
};

/** How a call settles that is aborted once something of it hangs. */
async function outcome(
  call: (signal: AbortSignal) => Promise<unknown>,
  isHanging = () => hanging > 0,
): Promise<unknown> {
  hanging = 0;
  const stop = new AbortController();
  const settled = call(stop.signal).then(
    () => "resolved",
    (error: unknown) => error,
  );
  await expect.poll(isHanging).toBe(true);
  stop.abort("enough");
  return await settled;
}

/** The same, where nothing but the clock of the call itself is waited for. */
async function outcomeAtOnce(...[call, isHanging]: Parameters<typeof outcome>): Promise<unknown> {
  let isOver = false;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    return await outcome(async (signal) => {
      signal.addEventListener("abort", async () => {
        while (!isOver) await vi.advanceTimersByTimeAsync(100);
      });
      return await call(signal);
    }, isHanging);
  } finally {
    isOver = true;
    vi.useRealTimers();
  }
}

/** At an address of this file alone: what has answered in a process once is waited for by all of it. */
const honest: Requester = {
  scope: "test",
  requestUpload: async () => ({
    asset: { id: "asset-1" },
    url: "http://127.0.0.2:9/a",
    tusEndpoint: "http://127.0.0.2:9/b",
    mismatches: [],
  }),
};

describe("an abort ends upload()", () => {
  test.each<[string, Partial<Requester>]>([
    ["scope()", { scope: forever }],
    ["requestUpload()", { requestUpload: forever }],
    ["uploadHeaders()", { uploadHeaders: forever }],
    ["authorizesUploads()", { authorizesUploads: forever }],
    ["fetch()", { fetch: forever }],
    [
      "the body that fetch() gives",
      { fetch: async () => new Response(new ReadableStream({ pull: forever }), { status: 403 }) },
    ],
    [
      "the body that fetch() gives, and its cancel()",
      {
        fetch: async () =>
          new Response(new ReadableStream({ pull: forever, cancel: forever }), { status: 403 }),
      },
    ],
  ])("while %s of the requester hangs", async (_, part) => {
    const requester = { ...honest, ...part };
    for (const method of ["resumable", "direct"] as const)
      expect(await outcomeAtOnce((signal) => upload(requester, video(), { method, signal }))).toBe("enough");
  });

  test("while a token function hangs", async () => {
    const client = createClient({ baseUrl: "http://127.0.0.2:9", token: forever });
    expect(await outcomeAtOnce((signal) => upload(client, video(), { signal }))).toBe("enough");
    expect(await outcomeAtOnce((signal) => client.terminateStream("a", { signal }))).toBe("enough");
    expect(await outcomeAtOnce((signal) => client.requestUpload({}, { signal }))).toBe("enough");
  });

  test.each(["get", "set", "delete", "claim", "reserve"] as const)(
    "while %s() of the journal hangs",
    async (name) => {
      const host = await startHostileHost();
      const journal: Journal = { ...memoryJournal(), [name]: forever };
      expect(await outcomeAtOnce((signal) => upload(host.client(), video(), { journal, signal }))).toBe(
        "enough",
      );
      // Without an entry nothing else of it is called.
      if (name !== "get") return;
      expect(await outcomeAtOnce((signal) => discard(host.client(), video(), { journal, signal }))).toBe(
        "enough",
      );
    },
  );

  test("while the release of a lease hangs, and a finished upload is not held up for good", async () => {
    const journal: Journal = { ...memoryJournal(), claim: async () => forever };
    const call = (signal: AbortSignal) => upload(honest, video(), { journal, signal });
    expect(await outcomeAtOnce(call, () => true)).toBe("enough");
  });

  test.each(["claim", "release"])(
    "once its lease is given back by a journal with a slow %s",
    async (slow) => {
      const host = await startHostileHost({ PATCH: () => void hanging++ });
      const memory = memoryJournal();
      const take = async (key: string) => {
        const lease = await memory.claim(key);
        if (slow === "claim") hanging++;
        if (slow === "claim") await delay(SLOW);
        return (
          lease &&
          Object.assign(async () => {
            if (slow === "release") await delay(SLOW);
            await lease();
          }, lease)
        );
      };
      const slowJournal: Journal = { ...memory, claim: take };
      const options: UploadOptions = { method: "resumable", journal: slowJournal };
      const call = (signal: AbortSignal) => upload(host.client(), video(), { ...options, signal });
      expect(await outcome(call)).toBe("enough");
      const next = upload(host.client(), video(), { ...options, journal: memory, ...IMPATIENT });
      expect(await caught(next)).toMatchObject({ code: "interrupted" });
    },
  );

  test("and the next call resumes as soon as it has ended", async () => {
    const host = await startHostileHost({ PATCH: () => void hanging++ });
    const [journal, client] = [memoryJournal(), host.client()];
    const options: UploadOptions = { method: "resumable", journal };
    expect(await outcome((signal) => upload(client, video(), { ...options, signal }))).toBe("enough");
    const error = await caught(upload(client, video(), { ...options, ...IMPATIENT }));
    expect(error).toMatchObject({ code: "interrupted", resume: { assetId: "asset-1", possible: true } });
    expect(host.countOf("request-upload")).toBe(1);
  });
});

test.each(["requesting", "sending", "finishing"])(
  "onProgress that is async and rejects while %s ends the upload with its error",
  async (state) => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on("unhandledRejection", note);
    const host = await startHostileHost({ PUT: () => {} });
    const failure = new Error("the page is gone");
    const options: UploadOptions = {
      method: "direct",
      onProgress: (async (progress: { state: string }) => {
        if (progress.state === state) throw failure;
      }) as NonNullable<UploadOptions["onProgress"]>,
    };
    expect(await caught(upload(host.client(), video(), options))).toBe(failure);
    // A rejection counts as unhandled once a turn of the event loop is over.
    await delay(0);
    await delay(0);
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  },
);

describe("a given fetch", () => {
  const nonsense: [string, () => unknown][] = [
    ["nothing", () => undefined],
    ["a text", () => "OK"],
    ["a status alone", () => ({ status: 200 })],
    ["a status that is none", () => ({ status: Number.NaN, headers: new Headers(), text: async () => "" })],
    ["a text for a status", () => ({ status: "200", headers: new Headers(), text: async () => "" })],
    ["headers that can't be read", () => ({ status: 200, headers: {}, text: async () => "" })],
    [
      "an answer whose body is used up",
      () => {
        const response = new Response("{}");
        response.body?.getReader();
        return response;
      },
    ],
    [
      "an answer whose body fails",
      () => new Response(new ReadableStream({ pull: (controller) => controller.error(undefined) })),
    ],
    [
      "an answer whose body gives no bytes",
      () => ({
        status: 200,
        headers: new Headers(),
        text: async () => "",
        body: new ReadableStream({ pull: (controller) => controller.enqueue("text") }),
      }),
    ],
    ["an error answer", () => Response.error()],
    ["a rejection with nothing", () => Promise.reject()],
    ["a rejection with a text", () => Promise.reject("no")],
    [
      "an error",
      () => {
        throw new RangeError("no");
      },
    ],
  ];
  test.each(nonsense)("that gives %s ends every call in an error of ours", async (_, give) => {
    const fetch = (async () => give()) as unknown as typeof globalThis.fetch;
    const client = createClient({ baseUrl: "http://127.0.0.2:9", token: "a-token", fetch });
    const codes = ["asset-unknown", "terminate-unknown", "unexpected-answer", "redirected"];
    for (const call of [() => client.requestUpload({}), () => client.terminateStream("a")])
      expect(codes).toContain((await caught(call())).code);
    for (const method of ["resumable", "direct"] as const) {
      const error = await caught(upload({ ...honest, fetch }, video(), { ...IMPATIENT, method }));
      expect(["interrupted", "location-refused", "rejected"]).toContain(error.code);
    }
  });
});

describe("an answer in whose headers something throws", () => {
  const answering = (status: number) => {
    const get = () => {
      throw new RangeError("no place for account-token-1");
    };
    const answer = { status, headers: { get }, body: null, text: async () => '{"asset":{"id":"a"}}' };
    const fetch = (async () => answer) as unknown as typeof globalThis.fetch;
    return createClient({ baseUrl: "http://127.0.0.2:9", token: "account-token-1", fetch });
  };

  test.each<[number, string]>([
    [400, "rejected"],
    [401, "unauthorized"],
    [500, "service-error"],
  ])("of status %i is the refusal that it says, with what was thrown", async (status, code) => {
    for (const call of [
      () => answering(status).requestUpload({}),
      () => answering(status).terminateStream("a"),
    ]) {
      const error = await caught(call());
      expect(error).toMatchObject({ code, httpStatus: status });
      expect(error.message).toContain(
        `the service answered ${status}: its answer could not be read (RangeError`,
      );
      expect(error.message).not.toContain("account-token");
    }
  });

  test("is no lost connection where it is a redirect", async () => {
    const error = await caught(answering(302).requestUpload({}));
    expect(error).toMatchObject({ code: "unexpected-answer", httpStatus: 302 });
    expect(error.message).toContain("An asset may have been created");
    expect(error.message).toContain("its answer could not be read (RangeError");
    expect(error.message).not.toContain("account-token");
  });
});

test.each<[string, number]>([
  ["an empty one", 0],
  ["one byte", 1],
])(
  "a stream that has its next piece ready at once keeps neither timers nor an abort waiting: %s",
  async (_, size) => {
    const isRunning = () => true;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
      controller.enqueue(new Uint8Array(size));
    const stream = () => new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
    const options = { type: "video/mp4" };
    expect(await outcome((signal) => upload(honest, stream(), { ...options, signal }), isRunning)).toBe(
      "enough",
    );
  },
);

describe("a token function", () => {
  test("that gives a new token each time has the last ones taken out of answers, and no more kept", async () => {
    let count = 0;
    const host = await startHostileHost({
      PUT: (request, socket) => {
        const text = `no ${request.headers.authorization}, not account-token-${count - 1} either`;
        socket.write(rawAnswer(403, { "content-type": "text/plain", "content-length": text.length }, text));
      },
    });
    const client = host.client({ token: () => `account-token-${++count}`, uploadAuthorization: true });
    for (let call = 0; call < 100; call++) await client.scope();
    const error = await caught(upload(client, video(), { ...IMPATIENT, method: "direct" }));
    expect(error.message).toContain("answered 403: [hidden: it repeats a secret]");
  });

  test("whose error has a name that is none shows nothing of it", async () => {
    const failure = Object.assign(new Error("no"), { name: `${MARKER} secret` });
    const token = () => Promise.reject(failure);
    const error = await caught(createClient({ baseUrl: "http://127.0.0.2:9", token }).terminateStream("a"));
    expect(error.message).toBe("Cannot use the account token: its function failed (Error)");
  });
});

describe("an error keeps name and code of the failure that led to it, and none of its text", () => {
  const failure = Object.assign(new RangeError(`no ${MARKER}`), { code: "ENOENT" });
  const fail = async (): Promise<never> => {
    throw failure;
  };
  const to = (more: object) => createClient({ baseUrl: "http://127.0.0.2:9", token: "a-token", ...more });
  const ENDED = { retry: { attempts: 0 } };

  test.each<[string, () => unknown]>([
    ["a token function", () => to({ token: fail }).terminateStream("a")],
    ["a function of headers", () => to({ headers: fail }).terminateStream("a")],
    ["a given fetch", () => to({ fetch: fail }).terminateStream("a")],
    ["a journal", () => upload(honest, video(), { journal: { ...memoryJournal(), get: fail } })],
    ["a stream", () => upload(honest, new ReadableStream({ pull: fail }), { type: "video/mp4" })],
    ["a fetch that sends", () => upload({ ...honest, fetch: fail }, video(), { ...ENDED, method: "direct" })],
    [
      "a fetch that reads",
      () => upload({ ...honest, fetch: fail }, new URL("http://127.0.0.2:9/a.mp4"), ENDED),
    ],
    [
      "a requester of a list",
      async () => {
        for await (const { error } of uploadAll({ ...honest, requestUpload: fail }, [video()])) throw error;
      },
    ],
    [
      "the making of a source",
      async () => {
        for await (const { error } of uploadAll(honest, [{ source: fail }])) throw error;
      },
    ],
  ])("of %s", async (_, call) => {
    const error = await caught(async () => await call());
    expect(error.cause).toEqual({ name: "RangeError", code: "ENOENT" });
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      cause: { name: "RangeError", code: "ENOENT" },
    });
  });
});

describe("a journal", () => {
  test.each<[string, Partial<Journal>, string]>([
    ["gives a lease that is none", { claim: (async () => 5) as never }, "Cannot take a lease in the journal"],
    [
      "gives a lease that can't be asked",
      { claim: (async () => Object.assign(async () => {}, { isHeld: true })) as never },
      "Cannot take a lease in the journal",
    ],
    [
      "says null where a key is taken",
      { claim: (async () => null) as never },
      "another upload of the same source",
    ],
  ])("that %s ends the upload in an error of ours", async (_, part, words) => {
    const error = await caught(upload(honest, video(), { journal: { ...memoryJournal(), ...part } }));
    expect(["journal-failed", "in-progress"]).toContain(error.code);
    expect(error.message).toContain(words);
  });

  test("whose entry fails when it is looked at ends discard() in an error of ours", async () => {
    const entry = {
      get version() {
        throw new Error(MARKER);
      },
    };
    const journal: Journal = { ...memoryJournal(), get: (async () => entry) as never };
    expect(await caught(discard(honest, video(), { journal }))).toMatchObject({ code: "interrupted" });
  });
});
