/** Hosts and proxies that limit a body: less is sent at a time, or it is said what can't be sent. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openFile } from "../../../core/file.ts";
import {
  memoryJournal,
  type Requester,
  type Uploadable,
  type UploadOptions,
  upload,
} from "../../../core/mod.ts";
import { type FaultProxy, startProxy } from "../../faults/proxy.ts";
import type { Switches } from "../../service/switches.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, contentHash, contentStream, MiB, writeContent } from "../../support/content.ts";
import { useFolder } from "../../support/use-folder.ts";

const PART = 8 * MiB;
const TAIL = 17;
const SIZE = 4 * PART + TAIL;
const SETTINGS: UploadOptions = {
  method: "resumable",
  retry: { attempts: 0, minDelay: 1 },
  timeout: { settle: 50 },
};

const service = useService({ parts: true });
const folder = useFolder("video");
/** The upload host under an origin of the test's own: what is known of a host outlives an upload. */
let host: FaultProxy;

beforeEach(async () => {
  host = await startProxy(service.uploadUrl);
});
afterEach(() => host.close());

function account(): Requester {
  const client = service.client();
  return {
    ...client,
    async requestUpload(request, options) {
      const location = await client.requestUpload(request, options);
      return JSON.parse(JSON.stringify(location).replaceAll(service.uploadUrl, host.url));
    },
  };
}

async function file(size: number = SIZE): Promise<Uploadable> {
  const path = join(folder.path, `${size}.mp4`);
  if (!existsSync(path)) await writeContent(path, size);
  return await openFile(path);
}

async function sendWhole(video: Uploadable, options: UploadOptions = {}, size = SIZE) {
  const result = await upload(account(), video, { filename: "video.mp4", ...SETTINGS, ...options });
  expect((await service.whole(result.asset.id)).sha256).toBe(contentHash(size));
  return result;
}

async function fails(video: Uploadable, options: UploadOptions = {}) {
  return await caught(upload(account(), video, { filename: "video.mp4", ...SETTINGS, ...options }));
}

const limit = (bodyLimits: Switches["bodyLimits"]) => service.set({ bodyLimits });
const bodies = async () =>
  (await service.requests("PATCH")).map(({ status, contentLength }) => [status, Number(contentLength)]);
const refused = async () => (await bodies()).filter(([status]) => status !== 204).map(([, size]) => size);
const least = (size: string) =>
  `takes no request of ${size}, the least that can be sent. Ask whoever runs it to allow more, such as by client_max_body_size 8m in nginx`;

describe("a host that answers 413", () => {
  const ways = [
    ["a file", file, [4 * PART]],
    ["bytes", async () => content(SIZE), [4 * PART]],
    // The length of a stream isn't told.
    ["a stream", async () => contentStream(SIZE), [0]],
  ] as const;

  test.each(ways)(
    "is sent less of %s, which counts no attempt and is kept in mind",
    async (_, open, sizes) => {
      await limit({ most: 20 * MiB });
      await sendWhole(await open());
      expect(await refused()).toEqual(sizes);
      await sendWhole(await open());
      expect(await refused()).toEqual(sizes);
    },
  );

  test("is sent one part at a time where it takes no more, with any chunkSize", async () => {
    await limit({ most: PART });
    await sendWhole(await file(), { chunkSize: 3 * PART });
    expect(await refused()).toEqual([3 * PART]);
    const sizes = (await bodies()).filter(([status]) => status === 204).map(([, size]) => size);
    expect(sizes).toEqual([...Array(4).fill(PART), TAIL]);
  });

  test("is named with what to ask for where it takes no part, and the same upload goes on once it does", async () => {
    await limit({ most: MiB });
    const journal = memoryJournal();
    const error = await fails(await file(), { journal, chunkSize: PART });
    expect(error).toMatchObject({ code: "rejected", httpStatus: 413, retryable: false });
    expect(error.message).toBe(
      `Cannot upload: the upload host answered 413: an HTML page titled "413 Request Entity Too Large". ${host.url} ${least("8 MiB")}`,
    );
    expect(await refused()).toEqual([PART]);
    await limit({});
    expect(await sendWhole(await file(), { journal })).toMatchObject({ resumed: true });
    expect(await service.assets()).toHaveLength(1);
  });

  test("is named where it takes no small file, which can't be sent in parts", async () => {
    await limit({ most: 100 * 1024 });
    const error = await fails(await file(300_000), { method: "auto" });
    expect(error.message).toContain(least("1 MiB"));
    const again = await fails(await file(300_001));
    expect(again.message).toContain(least("1 MiB"));
  });

  test("to a direct upload takes it in parts by the other method, which is named", async () => {
    await limit({ most: PART });
    const error = await fails(await file(), { method: "direct" });
    expect(error.message).toMatch(
      / takes no request of 33 MiB: use method "resumable", which sends less at a time$/,
    );
    await sendWhole(await file());
  });

  test("to the creation takes no file so long, and its words are repeated", async () => {
    await limit({ whole: 20 * MiB, errors: ["Maximum size exceeded"] });
    const error = await fails(await file());
    expect(error).toMatchObject({ code: "rejected", httpStatus: 413, details: ["Maximum size exceeded"] });
    expect(error.message).toBe(
      `Cannot upload: the upload host answered 413: Maximum size exceeded. ${host.url} takes no file of 33 MiB: give a smaller one, or ask whoever runs it to allow more`,
    );
  });
});

describe("without an answer", () => {
  /** Two breaks, of which nobody knows why. */
  const settings = { retry: { attempts: 2, minDelay: 1 } };

  test("a host that resets what is too long is sent less after two resets", async () => {
    await limit({ most: 20 * MiB, refusal: "reset" });
    for (let times = 1; times <= 2; times++) await sendWhole(await file(), settings);
    expect((await refused()).slice(0, 2)).toEqual([4 * PART, 4 * PART]);
    expect(await refused()).toHaveLength(2);
  });

  test.each([9, 20])("something that cuts each body at %i MiB is sent less", async (most) => {
    await limit({ most: most * MiB, refusal: "cut" });
    await sendWhole(await file(), { retry: { attempts: 4, minDelay: 1 } });
    const before = await refused();
    expect(before.length).toBeLessThanOrEqual(4);
    await sendWhole(await file(), { retry: { attempts: 0 } });
    expect(await refused()).toEqual(before);
  });

  test("something that cuts each body at 9 MiB and passes on what came before is sent less", async () => {
    host.choose = ({ method, length }) =>
      method === "PATCH" && length > 9 * MiB ? { kind: "reset", after: 9 * MiB } : undefined;
    await sendWhole(await file(), settings);
    expect(host.faults).toBe(2);
  });

  test("a line that breaks at other bytes each time is sent all that is left", async () => {
    const rules = [25, 1].map((bytes) => ({ bytes: bytes * MiB, times: 1 }));
    const each = { host: "upload", method: "PATCH" } as const;
    await service.set({ resetAfter: rules.map((rule) => ({ ...each, ...rule })) });
    await sendWhole(await file(SIZE + PART), { retry: { attempts: 2, minDelay: 1 } }, SIZE + PART);
    expect((await bodies()).map(([, size]) => Number(size) / PART)).toEqual([5, 2, 2, TAIL / PART]);
  });
});

describe("a host with rules of its own", () => {
  test.each([413, 400])("that takes 20 MiB at most and answers %i is sent less", async (status) => {
    await limit({ most: 20 * MiB, multipleOf: 256 * 1024, status, errors: ["chunk too large"] });
    await sendWhole(await file());
  });

  test("that takes bodies of 6 MiB alone is told of in its own words after two requests", async () => {
    await limit({ exactly: 6 * MiB, status: 400, errors: ["each chunk must have 6 MiB"] });
    const error = await fails(await file());
    expect(error.message).toBe("Cannot upload: the upload host answered 400: each chunk must have 6 MiB");
    expect(await refused()).toEqual([4 * PART, PART]);
  });
});
