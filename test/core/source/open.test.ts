/** Bytes, iterables and Node's streams as sources. */
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { discard, journalKey, memoryJournal, upload } from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, contentBytes, contentHash, MiB, sha256, writeContent } from "../../support/content.ts";
import { PATIENT, startHostileHost } from "../../support/hosts/hostile-host.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService();
const named = { filename: "video.mp4" } as const;
const folder = useFolder("byte-sources");

/** Content in pieces, and whether whoever reads it has ended it. */
function pieces(size: number, broken?: Error) {
  const state = { returned: false, given: 0 };
  async function* give(): AsyncGenerator<Uint8Array> {
    try {
      for (let at = 0; at < size; at += 100_003) {
        const piece = contentBytes(1, at, Math.min(size, at + 100_003));
        state.given += piece.length;
        yield piece;
      }
      if (broken !== undefined) throw broken;
    } finally {
      state.returned = true;
    }
  }
  return { state, iterable: give() };
}

async function whole(id: string) {
  return (await service.whole(id)).sha256;
}

const NAMES = ["<script>alert(1)</script>&amp;.mp4", "a/b.mp4", "C:\\a\\b.mp4", "/.mp4", "film/"];
test.each(NAMES)("a File named %s keeps its name, for the asset and for the upload host", async (name) => {
  const file = new File([content(MiB)], name, { type: "video/mp4" });
  const host = await startHostileHost();
  await upload(host.client(), file, { ...PATIENT, method: "resumable" });
  const created = host.requests.find(({ method, path }) => method === "POST" && path.startsWith("/tus"));
  const [, filename = ""] = /\bfilename (\S+?)(?:,|$)/.exec(created?.headers["upload-metadata"] ?? "") ?? [];
  expect(Buffer.from(filename, "base64").toString()).toBe(name);
  await upload(service.client(), file);
  expect((await service.assets())[0]?.received).toEqual({ name });
});

const { Bun } = globalThis as { Bun?: { file(path: string): Blob } };
if (Bun !== undefined)
  test("Bun.file() and a part of it are named by their file, without its folder", async () => {
    const path = join(folder.path, "film.mp4");
    await writeContent(path, MiB);
    for (const part of [Bun.file(path), Bun.file(path).slice(0, 1000)])
      await upload(service.client(), part, { resume: false });
    expect((await service.assets()).map(({ received }) => received.name)).toEqual(["film.mp4", "film.mp4"]);
  });

describe("bytes", () => {
  test("that are a view of larger memory arrive as the view alone", async () => {
    const bytes = content(2 * MiB).subarray(MiB / 2, MiB + 7);
    const { asset } = await upload(
      service.client(),
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
      named,
    );
    expect(await whole(asset.id)).toBe(sha256(bytes));
  });

  test("have the key of their content, so that another call resumes them", async () => {
    const account = service.client();
    const [first, again] = [content(2 * MiB), content(2 * MiB)];
    expect(await journalKey(first)).toBe(await journalKey(again));
    await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: MiB, times: 1 }] });
    await caught(upload(account, first, { ...named, retry: { attempts: 0 } }));
    const { resumed, asset } = await upload(account, again, { ...named, timeout: { settle: 50 } });
    expect(resumed).toBe(true);
    expect(await whole(asset.id)).toBe(sha256(first));
  });

  test.each<[string, string, (bytes: Uint8Array) => unknown]>([
    ["change", "sending", (bytes) => bytes.fill(9)],
    [
      "are given away",
      "requesting",
      (bytes) => structuredClone(0, { transfer: [bytes.buffer as ArrayBuffer] }),
    ],
  ])("that %s meanwhile end the upload", async (_, when, change) => {
    const bytes = content(3 * MiB);
    const onProgress = ({ state }: { state: string }) => void (state === when && change(bytes));
    const call = upload(service.client(), bytes, { ...named, method: "resumable", onProgress });
    expect(await caught(call)).toMatchObject({ code: "source-changed" });
  });

  test("in an ArrayBuffer, or in any view of one, are the same as in a Uint8Array", async () => {
    const { buffer } = content(MiB);
    const key = await journalKey(new Uint8Array(buffer, 8, 8000));
    for (const view of [
      new DataView(buffer, 8, 8000),
      new Float64Array(buffer, 8, 1000),
      buffer.slice(8, 8008),
    ])
      expect(await journalKey(view)).toBe(key);
    const { asset } = await upload(service.client(), buffer, named);
    expect(await whole(asset.id)).toBe(contentHash(MiB));
  });
});

describe("an async iterable", () => {
  test("arrives whole, of known and of unknown length", async () => {
    const size = 9 * MiB + 5;
    for (const known of [{}, { size }]) {
      const { asset } = await upload(service.client(), pieces(size).iterable, { ...named, ...known });
      expect(await whole(asset.id)).toBe(contentHash(size));
    }
  });

  test("goes on after a reset without being asked again", async () => {
    await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: MiB, times: 2 }] });
    const { state, iterable } = pieces(9 * MiB);
    const { asset, resent } = await upload(service.client(), iterable, {
      ...named,
      timeout: { settle: 50 },
    });
    expect(await whole(asset.id)).toBe(contentHash(9 * MiB));
    expect(resent).toBeGreaterThan(0);
    expect(state.given).toBe(9 * MiB);
  });

  test("can't be resumed: it has no key, and progress says so", async () => {
    const reports: boolean[] = [];
    const journal = memoryJournal();
    const give = () => pieces(MiB).iterable;
    expect(await journalKey(give())).toBeUndefined();
    await upload(service.client(), give(), {
      ...named,
      journal,
      onProgress: ({ resumable }) => reports.push(resumable),
    });
    expect(reports).not.toContain(true);
    expect(await discard(service.client(), give(), { journal })).toEqual({ assets: [], ended: 0 });
  });

  test("that fails is told without what it said, and ended", async () => {
    const { state, iterable } = pieces(9 * MiB, new Error("zq7secret"));
    expect(await caught(upload(service.client(), iterable, named))).toMatchObject({
      code: "source-unreadable",
    });
    expect(state.returned).toBe(true);
  });

  test("is ended when the upload is stopped, also one that gives nothing more", async () => {
    const stop = new AbortController();
    let ended = false;
    const silent: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => setTimeout(() => stop.abort(), 20)),
        return: async () => {
          ended = true;
          return { done: true, value: undefined };
        },
      }),
    };
    const stopped = await caught(upload(service.client(), silent, { ...named, signal: stop.signal }));
    expect(stopped.name).toBe("AbortError");
    expect(ended).toBe(true);
  });

  test("that can't be iterated is an unreadable source", async () => {
    const broken: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]() {
        throw new Error("zq7secret");
      },
    };
    expect(await caught(upload(service.client(), broken, named))).toMatchObject({
      code: "source-unreadable",
    });
  });
});

describe("a Readable of Node", () => {
  test("arrives whole from the disk", async () => {
    const path = join(folder.path, "video.mp4");
    const expected = await writeContent(path, 9 * MiB + 5);
    const { asset } = await upload(service.client(), createReadStream(path), named);
    expect(await whole(asset.id)).toBe(expected);
  });

  test("that gives texts is refused", async () => {
    const texts = Readable.from(["one", "two"]);
    expect(await caught(upload(service.client(), texts, named))).toMatchObject({ code: "source-unreadable" });
    expect(texts.destroyed).toBe(true);
  });

  test("that waits for more is destroyed when the upload is stopped", async () => {
    const waiting = new PassThrough();
    waiting.write(content(MiB));
    const stop = new AbortController();
    const stopping = caught(upload(service.client(), waiting, { ...named, signal: stop.signal }));
    await expect.poll(async () => (await service.assets()).length).toBe(1);
    stop.abort();
    expect((await stopping).name).toBe("AbortError");
    await expect.poll(() => waiting.destroyed).toBe(true);
  });

  test("that has ended already is empty", async () => {
    const used = Readable.from([content(5)]);
    for await (const _ of used);
    expect(await caught(upload(service.client(), used, named))).toMatchObject({
      name: expect.stringMatching(/^(Input|Upload)Error$/),
    });
    expect(await service.assets()).toEqual([]);
  });
});
