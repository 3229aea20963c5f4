import { describe, expect, test } from "vitest";
import { memoryJournal, type Progress, type UploadOptions, upload } from "../../../core/mod.ts";
import type { AnswerRule } from "../../service/switches.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { contentHash, contentStream, MiB, videoFile } from "../../support/content.ts";
import { startHostileHost } from "../../support/hosts/hostile-host.ts";
import { rawAnswer } from "../../support/hosts/raw-server.ts";
import { inNode } from "../../support/in-all.ts";

const QUICK: UploadOptions = {
  method: "resumable",
  retry: { minDelay: 10, maxDelay: 50 },
  // The service's own store has nothing on its way once a connection is gone.
  timeout: { settle: 50 },
};
const service = useService();

const expectWhole = async (id: string, size: number) => {
  expect((await service.whole(id)).sha256).toBe(contentHash(size));
  expect(await service.assets()).toHaveLength(1);
};
/** The upload host's answers from now on. */
const answer = (...rules: Omit<AnswerRule, "host">[]) =>
  service.set({ answerStatus: rules.map((rule) => ({ host: "upload", ...rule })) });

/** Notes why an upload waits. */
function waitsOf() {
  const waits: string[] = [];
  return { waits, onProgress: ({ waiting }: Progress) => void (waiting && waits.push(waiting.reason)) };
}

inNode.each([
  ["in seconds", () => "2", 2_000],
  ["as a date", () => new Date(Date.now() + 3_000).toUTCString(), 3_000],
  ["not at all", () => undefined, 0],
])(
  "an account that answers 429 is waited for, with status and time where it says %s how long",
  async (_, say, wait) => {
    const [asked, retryAfter] = [Date.now(), say()];
    const rule = { status: 429, times: 1, ...(retryAfter !== undefined && { retryAfter }) };
    await service.set({ answerStatus: [{ host: "api", method: "POST", ...rule }] });
    const waits: Progress["waiting"][] = [];
    const onProgress = ({ waiting }: Progress) => void (waiting && waits.push(waiting));
    const { asset } = await upload(service.client(), videoFile(1000), { ...QUICK, onProgress });
    expect(waits).toEqual([
      { reason: "rate-limited", httpStatus: 429, until: expect.any(Number), attempt: 1 },
    ]);
    // A date of HTTP has whole seconds.
    expect(waits[0]?.until).toBeGreaterThanOrEqual(asked + wait - 1_000);
    expect(waits[0]?.until).toBeLessThan(asked + wait + 60_000);
    await expectWhole(asset.id, 1000);
  },
);

test.each([
  ["resumable", "PATCH", "breaks before 8 MiB are sent"],
  ["direct", "PUT", 'use method "resumable"'],
] as const)(
  "a %s upload rejects with what may help when nothing moves any more, and resumes later",
  async (method, verb, words) => {
    await service.set({ parts: true, resetAfter: [{ host: "upload", method: verb, bytes: 5 * MiB }] });
    const account = service.client();
    const options = { ...QUICK, method, retry: { attempts: 2, minDelay: 1 } };
    const error = await caught(upload(account, videoFile(10 * MiB), options));
    expect(error).toMatchObject({
      code: "interrupted",
      retryable: true,
      resume: { offset: 0, possible: true },
    });
    expect(error.message).toContain("after 3 attempts without progress");
    expect(error.message).toContain(words);
    await service.set({ resetAfter: [] });
    const { asset, resumed } = await upload(account, videoFile(10 * MiB), { ...QUICK, method });
    expect(resumed).toBe(true);
    expect(error.resume).toMatchObject({ assetId: asset.id });
    await expectWhole(asset.id, 10 * MiB);
  },
);

describe("a resumable upload", () => {
  test("asks the same location again when the answer to its creation was lost, and looks at the offset", async () => {
    await service.set({ dropAnswer: [{ host: "upload", method: "POST", times: 1 }] });
    const { asset } = await upload(service.client(), videoFile(2 * MiB), QUICK);
    await expectWhole(asset.id, 2 * MiB);
    const asked = (await service.requests()).filter(({ host }) => host === "upload");
    expect(asked.map(({ method }) => method)).toEqual(["POST", "POST", "HEAD", "PATCH"]);
  });

  inNode("ends while it waits as long as Retry-After says when onProgress aborts or throws", async () => {
    await answer({ method: "PATCH", status: 503, retryAfter: "60" });
    const stop = new AbortController();
    const reason = new Error("not now");
    let left = 0;
    const onProgress = ({ waiting }: Progress) => {
      if (waiting?.until === undefined) return;
      left = waiting.until - Date.now();
      stop.abort(reason);
    };
    const stopped = upload(service.client(), videoFile(MiB), { ...QUICK, signal: stop.signal, onProgress });
    expect(await caught(stopped)).toBe(reason);
    expect(left).toBeGreaterThan(50_000);
    const onWait = ({ waiting }: Progress) => {
      if (waiting) throw reason;
    };
    expect(await caught(upload(service.client(), videoFile(MiB), { ...QUICK, onProgress: onWait }))).toBe(
      reason,
    );
  });

  inNode(
    "rejects with upload-gone when the service no longer has the upload, and starts over only when asked to",
    async () => {
      const account = service.client();
      await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: MiB }] });
      await caught(upload(account, videoFile(4 * MiB), { ...QUICK, retry: { attempts: 0 } }));
      await service.set({ resetAfter: [] });
      await answer({ method: "HEAD", status: 410, times: 2 });
      for (let call = 0; call < 2; call++) {
        const error = await caught(upload(account, videoFile(4 * MiB), QUICK));
        expect(error).toMatchObject({ code: "upload-gone", httpStatus: 410, resume: { possible: false } });
      }
      expect(await service.assets()).toHaveLength(1);
      const { resumed } = await upload(account, videoFile(4 * MiB), { resume: false });
      expect(resumed).toBe(false);
      expect(await service.assets()).toHaveLength(2);
    },
  );

  inNode("looks again at an upload that is not found, since the host's store may be away", async () => {
    const notFound = { status: 404, body: "The file for this url was not found\n" };
    await answer({ ...notFound, method: "PATCH", times: 1 }, { ...notFound, method: "HEAD", times: 3 });
    const { waits, onProgress } = waitsOf();
    const { asset } = await upload(service.client(), videoFile(9 * MiB), { ...QUICK, onProgress });
    await expectWhole(asset.id, 9 * MiB);
    expect(waits).toContain("not-found");
  });

  inNode("believes that it is gone once the retry budget is used up", async () => {
    await answer({ method: "HEAD", status: 404 }, { method: "PATCH", status: 503, times: 1 });
    const retry = { attempts: 3, minDelay: 1, maxDelay: 10 };
    const error = await caught(upload(service.client(), videoFile(MiB), { ...QUICK, retry }));
    expect(error).toMatchObject({ code: "upload-gone", httpStatus: 404, resume: { possible: false } });
    expect(await service.requests("HEAD")).toHaveLength(3);
  });

  inNode.each([
    ["doesn't know it either (404)", [404], { code: "upload-gone", httpStatus: 404 }],
    ["says that the asset is whole (422)", [422], undefined],
    ["begins it anew once it can (503, 201)", [503, 201], undefined],
  ])("asks the location about an upload that is not found, which %s", async (_, statuses, error) => {
    const answers = [201, ...statuses];
    let creations = 0;
    const isGone = (path: string) => path.endsWith("-1");
    const host = await startHostileHost({
      POST(_, socket) {
        const status = answers[creations++] ?? 400;
        const location = status === 201 && { location: `/tus/upload-${creations}` };
        socket.write(rawAnswer(status, { ...location, "content-length": 0 }));
      },
      PATCH({ path, size }, socket) {
        if (!isGone(path)) host.stored = size;
        const [status, headers] = isGone(path)
          ? [404, { "content-length": 0 }]
          : [204, { "upload-offset": size }];
        socket.write(rawAnswer(status, headers));
      },
      HEAD({ path }, socket) {
        const headers = { "upload-offset": host.stored, "content-length": 0 };
        socket.write(rawAnswer(isGone(path) ? 404 : 200, headers));
      },
    });
    const { waits, onProgress } = waitsOf();
    const retry = { attempts: 100_000, minDelay: 20, maxDelay: 20 };
    const options: UploadOptions = { method: "resumable", retry, timeout: { settle: 20 }, onProgress };
    const call = upload(host.client(), videoFile(MiB), options);
    if (error === undefined) expect(await call).toMatchObject({ asset: { id: "asset-1" } });
    else expect(await caught(call)).toMatchObject(error);
    expect(waits).toContain("not-found");
    expect(host.countOf("POST")).toBe(answers.length);
    expect(host.countOf("request-upload")).toBe(1);
  });
});

inNode.each([
  ["one request", 3, 1],
  ["whole parts alone", 32, 9],
  ["a last request of its own", 19, 9],
])("an upload of %s whose parts its store has swept away is not called whole", async (_, size, cut) => {
  const journal = memoryJournal();
  const options = { ...QUICK, journal, retry: { attempts: 0 } };
  await service.set({ parts: true, resetAfter: [{ host: "upload", method: "PATCH", bytes: cut * MiB }] });
  expect((await caught(upload(service.client(), videoFile(size * MiB), options))).code).toBe("interrupted");
  await service.set({ resetAfter: [], swept: new Date().toISOString() });
  const { asset, resumed } = await upload(service.client(), videoFile(size * MiB), options);
  expect(resumed).toBe(true);
  await expectWhole(asset.id, size * MiB);
});

inNode(
  "an upload whose last answer was lost with its process is whole, and says so without another byte",
  async () => {
    const journal = memoryJournal();
    const options = { ...QUICK, journal, retry: { attempts: 0 } };
    await service.set({ dropAnswer: [{ host: "upload", method: "PATCH" }] });
    expect((await caught(upload(service.client(), videoFile(3 * MiB), options))).code).toBe("interrupted");
    await service.set({ dropAnswer: [] });
    const { asset, sent } = await upload(service.client(), videoFile(3 * MiB), options);
    expect(sent).toBe(0);
    await expectWhole(asset.id, 3 * MiB);
  },
);

describe("a stream", () => {
  test("of known length announces it", async () => {
    await upload(service.client(), contentStream(9 * MiB), { filename: "stream.mp4", size: 9 * MiB });
    expect(await service.uploads()).toMatchObject([{ size: 9 * MiB, bytesReceived: 9 * MiB }]);
  });

  inNode("of unknown length explains a service that refuses those", async () => {
    await answer({ method: "POST", status: 400, body: "Upload-Length is required\n" });
    const error = await caught(upload(service.client(), contentStream(MiB), { filename: "stream.mp4" }));
    expect(error).toMatchObject({ code: "length-refused", httpStatus: 400 });
    expect(error.message).toContain("give the size");
  });
});

describe("errors, progress and requests", () => {
  inNode("a request for a location that may have left is not made again", async () => {
    await service.set({ dropAnswer: [{ host: "api", method: "POST", times: 1 }] });
    const error = await caught(upload(service.client(), videoFile(MiB), QUICK));
    expect(error).toMatchObject({ code: "asset-unknown", resume: undefined });
    expect(error.message).toContain("An asset may have been created");
    expect(await service.requests("POST", "request-upload")).toHaveLength(1);
  });

  inNode("an asset without a usable location of the chosen method is named", async () => {
    await service.set({ answerShape: { set: { tusEndpoint: "ftp://video.example/x" } } });
    const error = await caught(upload(service.client(), videoFile(MiB), QUICK));
    const [stored] = await service.assets();
    const resume = { assetId: stored?.asset.id, possible: false };
    expect(error).toMatchObject({ code: "location-refused", resume });
    expect(error.message).toContain(stored?.asset.id);
    const direct = await upload(service.client(), videoFile(MiB), { method: "direct" });
    expect((await service.whole(direct.asset.id)).sha256).toBe(contentHash(MiB));
  });
});
