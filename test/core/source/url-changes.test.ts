/** Videos that change while they are read: what is stored is one version whole, or the upload ends. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Journal, memoryJournal, type Progress, type UploadOptions, upload } from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { contentBytes, content as contentOf, MiB, sha256 } from "../../support/content.ts";
import { listen } from "../../support/hosts/listen.ts";
import { rangeOf } from "../../support/hosts/range.ts";
import { stopUpload } from "../../support/programs/stopped-upload.ts";

const SIZE = 17 * MiB + 5;
const HASHES = [1, 2].map((seed) => sha256(contentOf(SIZE, seed)));
const CHUNKS: UploadOptions = { chunkSize: 8 * MiB };
const service = useService();

// How long is waited for the rest of a range is tested by itself.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());
const httpDate = (time: number) => new Date(time).toUTCString();

interface Version {
  seed: number;
  size?: number;
  headers?: Record<string, string>;
}

interface Changing {
  address: URL;
  /** Bytes of the video it has given away. */
  given: number;
  requests: IncomingMessage["headers"][];
  /** Answers from now on with another version. */
  version: Version;
  /** The answer with this number, and those after it, give the second version. */
  changesAt?: number;
  ranges: boolean;
}

/** Serves two versions of a video, 8 MiB at a time, without caring for If-Range, as many servers do. */
async function serveChanging(
  first: Version,
  second: Version,
  how: Pick<Partial<Changing>, "changesAt" | "ranges"> = {},
): Promise<Changing> {
  const server = createServer((request, response) => answer(request, response));
  const address = new URL(`${await listen(server)}/video.mp4`);
  const state: Changing = { address, given: 0, requests: [], version: first, ranges: true, ...how };

  function answer(request: IncomingMessage, response: ServerResponse): void {
    state.requests.push(request.headers);
    if (state.changesAt !== undefined && state.requests.length >= state.changesAt) state.version = second;
    const { seed, size = SIZE, headers } = state.version;
    const { start, end, ...head } = rangeOf(request, size, state.ranges, 8 * MiB);
    response.writeHead(head.status, { "content-type": "video/mp4", ...head.headers, ...headers });
    const body = contentBytes(seed, start, end);
    state.given += body.length;
    response.end(body);
  }
  return state;
}

/** Whatever became of it, nothing that is stored as whole is a mixture. */
async function expectNoMixture(): Promise<void> {
  for (const { sha256: stored } of await service.assets())
    if (stored !== null) expect(HASHES).toContain(stored);
}

const OLD = httpDate(1e12);

// answer-kind.test.ts has what else tells of a change.
describe("a video in ranges whose server tells of a change by", () => {
  test.each<[string, Version, Version]>([
    ["a strong ETag", { seed: 1, headers: { etag: '"a"' } }, { seed: 2, headers: { etag: '"b"' } }],
    ["a strong ETag that vanishes", { seed: 1, headers: { etag: '"a"' } }, { seed: 2 }],
  ])("%s ends the upload, from whichever range on it changes", async (_, first, second) => {
    for (const changesAt of [2, 4]) {
      const { address } = await serveChanging(first, second, { changesAt });
      const error = await caught(upload(service.client(), address, CHUNKS));
      expect(error).toMatchObject({ code: "source-changed", resume: { possible: false } });
      for (const { sha256: stored } of await service.assets()) expect(stored).toBeNull();
    }
  });

  test("a weak ETag is not asked for by If-Range, and a strong one is", async () => {
    for (const [etag, asked] of [
      ['W/"a"', undefined],
      ['"a"', '"a"'],
    ] as const) {
      const { address, requests } = await serveChanging({ seed: 1, headers: { etag } }, { seed: 1 });
      await upload(service.client(), address, CHUNKS);
      expect(requests.length).toBeGreaterThan(3);
      expect(new Set(requests.slice(1).map((headers) => headers["if-range"]))).toEqual(new Set([asked]));
    }
  });
});

describe("a video in ranges whose server tells of no change", () => {
  test("is stored as one version, whichever", async () => {
    for (const changesAt of [2, 3]) {
      const { address } = await serveChanging({ seed: 1 }, { seed: 2 }, { changesAt });
      await upload(service.client(), address, CHUNKS).catch((error) =>
        expect(error.code).toBe("source-changed"),
      );
      await expectNoMixture();
    }
  });

  test("gives the length that its whole answer has", async () => {
    const { address } = await serveChanging({ seed: 1, size: SIZE - MiB }, { seed: 2 }, { changesAt: 2 });
    const { asset, size } = await upload(service.client(), address, CHUNKS);
    expect(size).toBe(SIZE);
    expect((await service.whole(asset.id)).sha256).toBe(HASHES[1]);
  });
});

/** Ends a first call once the service has a part. */
async function beginUpload(state: Changing, journal: Journal): Promise<void> {
  await service.set({ parts: true });
  const hasPart = ({ acknowledged }: Progress) => acknowledged >= 8 * MiB;
  await stopUpload(service, state.address, { ...CHUNKS, journal }, hasPart, 0);
}

describe("a video that changed between two calls and doesn't tell so", () => {
  test("is not resumed as another version", async () => {
    const state = await serveChanging({ seed: 1 }, { seed: 2 });
    const journal = memoryJournal();
    await beginUpload(state, journal);
    state.version = { seed: 2 };
    const error = await caught(upload(service.client(), state.address, { ...CHUNKS, journal }));
    expect(error).toMatchObject({ code: "source-changed", resume: { possible: false } });
    const { asset } = await upload(service.client(), state.address, { ...CHUNKS, journal, resume: false });
    expect((await service.whole(asset.id)).sha256).toBe(HASHES[1]);
  });

  test("since both changes were in one second, is not resumed once that is over", async () => {
    const headers = { "last-modified": httpDate(Date.now()) };
    const state = await serveChanging({ seed: 1, headers }, { seed: 2 });
    const journal = memoryJournal();
    await beginUpload(state, journal);
    // At the server, the second is over by now.
    const date = httpDate(Date.now() + 3000);
    state.version = { seed: 2, headers: { ...headers, date } };
    const { asset } = await upload(service.client(), state.address, { ...CHUNKS, journal });
    expect((await service.whole(asset.id)).sha256).toBe(HASHES[1]);
  });
});

test("a video that changed between two calls and tells so by a weak ETag is another one", async () => {
  const state = await serveChanging({ seed: 1, headers: { etag: 'W/"a"' } }, { seed: 2 });
  const journal = memoryJournal();
  await beginUpload(state, journal);
  state.version = { seed: 2, headers: { etag: 'W/"b"' } };
  const { asset, resumed } = await upload(service.client(), state.address, { ...CHUNKS, journal });
  expect(resumed).toBe(false);
  expect((await service.whole(asset.id)).sha256).toBe(HASHES[1]);
});

test.each<[string, Record<string, string>, boolean]>([
  ["in ranges, by a weak ETag", { etag: 'W/"a"' }, true],
  ["in ranges, by its date", { "last-modified": OLD }, true],
  ["in ranges, by nothing", {}, true],
  ["whole, by a strong ETag", { etag: '"a"' }, false],
  ["whole, by nothing", {}, false],
])("a video that stays the same is fetched once %s", async (_, headers, ranges) => {
  const state = await serveChanging({ seed: 1, headers }, { seed: 1 }, { ranges });
  const { asset } = await upload(service.client(), state.address, CHUNKS);
  expect((await service.whole(asset.id)).sha256).toBe(HASHES[0]);
  expect(state.given).toBeLessThanOrEqual(SIZE + 1);
});
