/** Many sources by one call: what comes of each, in which order, how many at a time, and how it all ends. */
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { UploadError } from "../../core/errors/errors.ts";
import { fileJournal, openFile } from "../../core/file.ts";
import type { UploadAllProgress } from "../../core/many/options.ts";
import {
  type Requester,
  type UploadAllOptions,
  type UploadItem,
  type UploadOutcome,
  uploadAll,
} from "../../core/mod.ts";
import { useService } from "../service/use-service.ts";
import { caught } from "../support/caught.ts";
import { content, contentHash, MiB } from "../support/content.ts";
import { serveVideo } from "../support/hosts/video-server.ts";
import { MARKER } from "../support/marker.ts";
import { useFolder } from "../support/use-folder.ts";

const service = useService();
const video = (seed: number, size = 50_000) =>
  new File([content(size, seed)], `video-${seed}.mp4`, { type: "video/mp4", lastModified: seed });
const videos = (count: number, size?: number) =>
  Array.from({ length: count }, (_, at) => video(at + 1, size));
const folder = useFolder("upload-all");

afterEach(() => void vi.restoreAllMocks());

async function all<Item>(outcomes: AsyncIterable<UploadOutcome<Item>>): Promise<UploadOutcome<Item>[]> {
  const found: UploadOutcome<Item>[] = [];
  for await (const outcome of outcomes) found.push(outcome);
  return found.sort((a, b) => a.index - b.index);
}

/** A requester that tells how many uploads are under way at most, and lets none end before it is told to. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const account = service.client();
  const state = { running: 0, most: 0, open };
  const requester: Requester = {
    scope: account.scope,
    async requestUpload(request, options) {
      state.most = Math.max(state.most, ++state.running);
      await opened;
      state.running--;
      return await account.requestUpload(request, options);
    },
  };
  return { state, requester };
}

describe("await uploadAll()", () => {
  test("gives all outcomes in the order of the list, those of failures too", async () => {
    const [first, second] = videos(2);
    const sources = [new File([content(2 * MiB, 9)], "slow.mp4"), new File([], "empty.mp4"), first, second];
    const outcomes = await uploadAll(service.client(), sources as File[]);
    expect(outcomes.map(({ source }) => source)).toEqual(sources);
    expect(outcomes.map(({ error }) => error?.code)).toEqual([
      undefined,
      "empty-source",
      undefined,
      undefined,
    ]);
  });

  test("uploads each source once, however often it is awaited, and nothing before that", async () => {
    const uploading = uploadAll(service.client(), videos(2));
    expect(await service.assets()).toEqual([]);
    expect(await uploading).toBe(await uploading);
    expect(await service.assets()).toHaveLength(2);
  });

  test("gives what is left to a loop that was left before its end", async () => {
    const uploading = uploadAll(service.client(), videos(3), { concurrency: 1 });
    expect((await uploading.next()).value?.index).toBe(0);
    expect((await uploading).map(({ index }) => index)).toEqual([1, 2]);
  });

  test("rejects with the signal's reason, and with the error of the list", async () => {
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    expect(await caught(() => uploadAll(service.client(), videos(1), { signal }))).toBe(reason);
    function* list() {
      yield video(1);
      throw reason;
    }
    expect(await caught(() => uploadAll(service.client(), list()))).toBe(reason);
  });
});

describe("uploadAll()", () => {
  test("uploads every source of a list, and gives each with its result", async () => {
    const sources = videos(7);
    const outcomes = await all(uploadAll(service.client(), sources));
    expect(outcomes.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    for (const { source, result, index } of outcomes) {
      expect(source).toBe(sources[index]);
      const { sha256: stored } = await service.whole(result?.asset.id ?? "");
      expect(stored).toBe(contentHash(50_000, index + 1));
    }
    expect(await service.assets()).toHaveLength(7);
  });

  test("begins nothing before the first outcome is asked for", async () => {
    let taken = 0;
    function* sources() {
      taken++;
      yield video(1);
    }
    const outcomes = uploadAll(service.client(), sources());
    await all(uploadAll(service.client(), [video(2)]));
    expect(taken).toBe(0);
    await outcomes.return(undefined);
    expect(taken).toBe(0);
  });

  test("takes a name and fields of its own for each source", async () => {
    const items: UploadItem[] = [
      { source: video(1), name: "One", staticMp4: true },
      { source: content(5000), filename: "bytes.mp4", fields: { further: 1 } },
      { source: () => video(3), name: "Three" },
      { source: async () => video(4) },
    ];
    await all(uploadAll(service.client(), items, { staticMp4: false }));
    const received = (await service.assets()).map(({ received }) => received);
    const byName = Object.fromEntries(received.map((request) => [request.name, request]));
    expect(byName).toEqual({
      One: { name: "One", staticMp4: true },
      "bytes.mp4": { name: "bytes.mp4", staticMp4: false, further: 1 },
      Three: { name: "Three", staticMp4: false },
      "video-4.mp4": { name: "video-4.mp4", staticMp4: false },
    });
  });

  test("makes an outcome of each failure, and goes on", async () => {
    const gone = await serveVideo(5000, { status: 404 });
    const foreign = () => {
      throw new Error(MARKER);
    };
    const items = [
      video(1),
      new File([], "empty.mp4"),
      new URL(`${gone.url}?signature=${MARKER}`),
      { source: () => openFile(join(folder.path, "missing.mp4")) },
      { source: foreign },
      { source: video(2), name: 7 as never },
      { source: video(3), titel: "Three" } as never,
      undefined as never,
      { source: video(4), onProgress: foreign },
      video(5),
    ];
    const outcomes = await all(uploadAll(service.client(), items, { concurrency: 3 }));
    await gone.close();
    expect(outcomes.map(({ error }) => error?.code)).toEqual([
      undefined,
      "empty-source",
      "source-refused",
      "invalid-source",
      "invalid-source",
      "invalid-request",
      "invalid-option",
      "invalid-source",
      "interrupted",
      undefined,
    ]);
    for (const { error, source, index } of outcomes) {
      expect(source).toBe(items[index]);
      if (error !== undefined) await caught(() => Promise.reject(error));
    }
    expect(outcomes[4]?.error?.message).toContain("open the source");
  });

  test.each<[number, UploadAllOptions]>([
    [3, { concurrency: 3 }],
    [4, {}],
  ])("runs no more than %d uploads at a time, and as many, by the options %o", async (most, options) => {
    const { state, requester } = gate();
    const work = all(uploadAll(requester, videos(9), options));
    await expect.poll(() => state.running).toBe(most);
    state.open();
    expect(await work).toHaveLength(9);
    expect(state.most).toBe(most);
  });

  test.each(["sync", "async"])("takes no more of a %s list than it has room for", async (kind) => {
    let [taken, given, most] = [0, 0, 0];
    function* endless() {
      for (;;) {
        most = Math.max(most, ++taken - given);
        yield video(taken, 2000);
      }
    }
    async function* endlessAsync() {
      yield* endless();
    }
    const list = kind === "sync" ? endless() : endlessAsync();
    const outcomes = uploadAll(service.client(), list, { concurrency: 3 });
    for (given = 0; given < 5; given++) await outcomes.next();
    await outcomes.return(undefined);
    // Three uploads run, and as many outcomes wait to be taken.
    expect(most).toBeLessThanOrEqual(2 * 3 + 1);
    const before = taken;
    await all(uploadAll(service.client(), [video(1)]));
    expect(taken).toBe(before);
  });

  test("throws what the list throws, after the outcomes of what had begun", async () => {
    const broken = new Error("the list broke");
    function* list() {
      yield video(1);
      yield video(2);
      throw broken;
    }
    const found: number[] = [];
    const loop = async () => {
      for await (const { index } of uploadAll(service.client(), list())) found.push(index);
    };
    await expect(loop()).rejects.toBe(broken);
    expect(found.sort()).toEqual([0, 1]);
  });

  test("ends with an empty list", async () => {
    expect(await all(uploadAll(service.client(), []))).toEqual([]);
    expect(await all(uploadAll(service.client(), new Set<File>()))).toEqual([]);
  });

  test("uploads many at a time without a warning of the runtime's", async () => {
    const warnings: string[] = [];
    const note = (warning: Error) => warnings.push(warning.name);
    process.on("warning", note);
    const outcomes = await all(
      uploadAll(service.client(), videos(40, 2000), {
        concurrency: 40,
        signal: new AbortController().signal,
      }),
    );
    process.off("warning", note);
    expect(outcomes.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(warnings).toEqual([]);
  });
});

describe("the end of uploadAll()", () => {
  /** Uploads of which the first is small, and the others hang in the middle. */
  const stalled = async () => {
    await service.set({ stallAfter: [{ host: "upload", method: "PATCH", bytes: MiB }] });
    return [video(1), video(2, 3 * MiB), video(3, 3 * MiB), video(4)];
  };
  const arrived = async () => (await service.uploads()).filter((upload) => upload.arrived >= MiB).length;

  test("by break aborts what runs and waits for it", async () => {
    const account = service.client();
    const sources = await stalled();
    let closed = false;
    function* list() {
      try {
        yield* sources;
      } finally {
        closed = true;
      }
    }
    for await (const { index } of uploadAll(account, list(), { concurrency: 3 })) {
      expect(index).toBe(0);
      await expect.poll(arrived).toBe(2);
      break;
    }
    expect(closed).toBe(true);
    await service.set({ stallAfter: [] });
    // Nothing holds them any more: they are resumed at once.
    const again = await all(uploadAll(account, sources.slice(1, 3), { timeout: { settle: 50 } }));
    expect(again.map(({ result }) => result?.resumed)).toEqual([true, true]);
    for (const { result, index } of again)
      expect((await service.whole(result?.asset.id ?? "")).sha256).toBe(contentHash(3 * MiB, index + 2));
  });

  test("by a signal gives what had ended, then throws its reason, and is resumed in another process", async () => {
    const path = join(folder.path, "journal");
    const sources = await stalled();
    const stop = new AbortController();
    const found: number[] = [];
    const reason = new Error("the lid was closed");
    const options: UploadAllOptions = { concurrency: 4, signal: stop.signal, journal: fileJournal(path) };
    const loop = async () => {
      for await (const { index, error } of uploadAll(service.client(), sources, options)) {
        expect(error).toBeUndefined();
        found.push(index);
      }
    };
    const looping = expect(loop()).rejects.toBe(reason);
    await expect.poll(async () => found.length + (await arrived())).toBe(4);
    stop.abort(reason);
    await looping;
    expect(found.sort()).toEqual([0, 3]);
    expect((await fileJournal(path).list()).map(({ name }) => name).sort()).toEqual([
      "video-2.mp4",
      "video-3.mp4",
    ]);
    await service.set({ stallAfter: [] });
    const again = await all(
      uploadAll(service.client(), sources.slice(1, 3), {
        journal: fileJournal(path),
        timeout: { settle: 50 },
      }),
    );
    expect(again.map(({ result }) => result?.resumed)).toEqual([true, true]);
    expect(await service.assets()).toHaveLength(4);
  });

  test("comes at once with a signal that was aborted before", async () => {
    const signal = AbortSignal.abort();
    expect((await caught(uploadAll(service.client(), videos(2), { signal }).next())).name).toBe("AbortError");
    expect(await service.requests()).toEqual([]);
  });

  test("comes although a source is never opened", async () => {
    const never: UploadItem = { source: () => new Promise(() => {}) };
    const outcomes = uploadAll(service.client(), [never, video(1)]);
    expect((await outcomes.next()).value?.index).toBe(1);
    await outcomes.return(undefined);
    expect(await service.assets()).toHaveLength(1);
  });

  test("comes although the list gives its next source never", async () => {
    async function* silent() {
      yield video(1);
      await new Promise(() => {});
    }
    const stop = new AbortController();
    const outcomes = uploadAll(service.client(), silent(), { signal: stop.signal });
    expect((await outcomes.next()).value?.index).toBe(0);
    const waiting = caught(outcomes.next());
    stop.abort();
    expect((await waiting).name).toBe("AbortError");
  });
});

describe("progress of uploadAll()", () => {
  async function reportsOf(sources: Iterable<File | UploadItem>, options: UploadAllOptions = {}) {
    const reports: UploadAllProgress[] = [];
    await all(
      uploadAll(service.client(), sources, { ...options, onProgress: (report) => reports.push(report) }),
    );
    return reports;
  }

  test("counts sources and bytes of all uploads, and comes to the end", async () => {
    const sources = [...videos(5, 2 * MiB), new File([], "empty.mp4")];
    const reports = await reportsOf(sources, { concurrency: 2 });
    for (const { running, uploaded, failed, started, sources: count, fraction } of reports) {
      expect(running).toBeLessThanOrEqual(2);
      expect(started).toBe(running + uploaded + failed);
      expect(count).toBe(6);
      if (uploaded + failed < 6) expect(fraction ?? 0).toBeLessThanOrEqual(0.99);
    }
    // Of sizes of which all but one are the same, the average is right.
    const known = reports.filter(({ total }) => total !== undefined).map(({ total }) => total);
    expect(known.length).toBeGreaterThan(0);
    expect(reports.at(-1)).toEqual({
      sources: 6,
      started: 6,
      running: 0,
      uploaded: 5,
      failed: 1,
      sent: 10 * MiB,
      total: 10 * MiB,
      fraction: 1,
      speed: reports.at(-1)?.speed,
      timeLeft: 0,
    });
  });

  test("learns the number of sources at the end of a list that can't tell it", async () => {
    function* list() {
      yield* videos(4);
    }
    const reports = await reportsOf(list(), { concurrency: 1 });
    expect(reports[0]).toMatchObject({ sources: undefined, total: undefined, fraction: undefined });
    expect(reports.at(-1)).toMatchObject({ sources: 4, uploaded: 4, fraction: 1 });
  });

  test("tells speed and time left of all together", async () => {
    // A second between any two looks at the clock.
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    const reports = await reportsOf(videos(4, 3 * MiB), { concurrency: 2 });
    const known = reports.filter(({ speed, running }) => speed !== undefined && running > 0);
    expect(known.length).toBeGreaterThan(0);
    for (const { speed = 0, timeLeft = 0, sent, total = 0 } of known)
      expect(timeLeft).toBeCloseTo(((total - sent) / speed) * 1000, 3);
  });

  test("ends the call where the function that is told of it throws", async () => {
    const error = new Error("enough");
    const onProgress = () => {
      throw error;
    };
    await expect(all(uploadAll(service.client(), videos(2), { onProgress }))).rejects.toBe(error);
  });
});

test("uploadAll() shares one bandwidth among its uploads", async () => {
  const began = performance.now();
  const outcomes = await all(uploadAll(service.client(), videos(4, 100_000), { bandwidth: 1_000_000 }));
  expect(outcomes.filter(({ error }) => error !== undefined)).toEqual([]);
  // With one each, all would have left with the first piece.
  expect(performance.now() - began).toBeGreaterThanOrEqual(290);
});

test("uploadAll() tells its hooks of every request", async () => {
  const kinds: string[] = [];
  await all(
    uploadAll(service.client(), videos(3), { onResponse: ({ request }) => kinds.push(request.kind) }),
  );
  expect(kinds).toEqual(["content", "content", "content"]);
});

test("uploadAll() gives the same source twice at a time as one that is under way", async () => {
  const { state, requester } = gate();
  const work = all(
    uploadAll(requester, [video(1), video(1)], { onProgress: ({ failed }) => failed && state.open() }),
  );
  const outcomes = await work;
  expect(outcomes.map(({ error }) => error?.code).sort()).toEqual(["in-progress", undefined]);
  expect(outcomes.find(({ error }) => error)?.error).toBeInstanceOf(UploadError);
});

test("uploadAll() refuses wrong options at once", async () => {
  const cases: [unknown, unknown, string][] = [
    [undefined, {}, "undefined"],
    ["video.mp4", {}, '"video.mp4"'],
    [content(5), {}, "a Uint8Array"],
    [video(1), {}, "expected an array"],
    [{}, {}, "an object"],
    [[], { concurrency: 0 }, "concurrency is 0"],
    [[], { concurrency: 101 }, "concurrency is 101"],
    [[], { name: "One for all" }, "{ source, name }"],
    [[], { size: 5 }, "{ source, size }"],
    [[], { bandwidth: 5 }, "bandwidth is 5"],
    [[], { titel: 5 }, '"titel"'],
    [[], { onProgress: 5 }, "onProgress is 5"],
    [[], null, "options is null"],
  ];
  for (const [sources, options, words] of cases) {
    const error = await caught(() => uploadAll(service.client(), sources as never, options as never));
    expect(error).toMatchObject({ code: "invalid-option", message: expect.stringContaining(words) });
  }
  expect((await caught(() => uploadAll(undefined as never, []))).message).toContain("requester");
});
