import { describe, expect, test } from "vitest";
import { blobSource } from "../../../core/source/blob.ts";
import { openSource } from "../../../core/source/open.ts";
import { caught } from "../../support/caught.ts";
import { content, MiB, sha256 } from "../../support/content.ts";
import { readAll } from "../../support/core/read-all.ts";

const reading = { fetch: globalThis.fetch, signal: new AbortController().signal };
/** Bytes of each of the three. */
const SAMPLE = 64 * 1024;

describe("blobSource()", () => {
  test("knows name, type and size of what was chosen, where it has them", async () => {
    const file = new File(["video"], "a.mp4", { type: "video/mp4" });
    expect(await blobSource(file)).toMatchObject({
      name: "a.mp4",
      type: "video/mp4",
      size: 5,
      rereadable: true,
    });
    expect(await blobSource(new Blob(["video"]))).toMatchObject({
      name: undefined,
      type: undefined,
      size: 5,
    });
    expect((await blobSource(new File(["video"], ""))).name).toBeUndefined();
  });

  test("is equal to another with the same bytes and date alone", async () => {
    const identityOf = async (bytes: Uint8Array<ArrayBuffer>, lastModified = 1) =>
      await (await blobSource(new File([bytes], "a", { lastModified }))).identity();
    const identity = await identityOf(content(MiB));
    expect(await identityOf(content(MiB))).toBe(identity);
    for (const other of [identityOf(content(MiB + 1)), identityOf(content(MiB), 2)])
      expect(await other).not.toBe(identity);
  });

  test("is known by three samples of its bytes where it has a date", async () => {
    const changedAt = async (at: number) => {
      const bytes = content(MiB);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return await (await blobSource(new File([bytes], "a", { lastModified: 1 }))).identity();
    };
    const unseen = await changedAt(MiB / 4);
    expect(await changedAt((3 * MiB) / 4)).toBe(unseen);
    // The last byte of the first sample, one of the second, and the first of the third.
    for (const at of [SAMPLE - 1, MiB / 2, MiB - SAMPLE]) expect(await changedAt(at)).not.toBe(unseen);
  });

  test("is known by all its bytes where it has no date, in Bun too", async () => {
    const known = async (blob: Blob) => {
      const source = await blobSource(blob);
      return [await source.identity(), await source.contentDigest?.()];
    };
    const other = content(MiB);
    other[100_000] = (other[100_000] ?? 0) ^ 1;
    const [identity, digest] = await known(new Blob([content(MiB)]));
    expect(digest).toBeTypeOf("string");
    expect(
      await known(Object.defineProperty(new Blob([content(MiB)]), "lastModified", { value: 2 ** 52 - 1 })),
    ).toEqual([identity, digest]);
    expect(await known(new Blob([other]))).toEqual([identity, expect.not.stringContaining(`${digest}`)]);
    expect((await blobSource(new File(["a"], "a.mp4", { lastModified: 1 }))).contentDigest).toBeUndefined();
  });

  test("gives any run of its bytes, as a Blob and in pieces", async () => {
    const bytes = content(2 * MiB + 5);
    const source = await blobSource(new Blob([bytes]));
    for (const [start, end] of [
      [0, bytes.length],
      [0, 7],
      [3, 2 * MiB + 4],
      [2 * MiB, 3 * MiB],
    ] as const) {
      const slice = await source.slice(start, end);
      const expected = bytes.subarray(start, end);
      expect([slice.size, slice.last]).toEqual([expected.length, end >= bytes.length]);
      expect(sha256(new Uint8Array((await slice.blob?.arrayBuffer()) ?? []))).toBe(sha256(expected));
      const read = await readAll(slice);
      expect([read.length, sha256(read)]).toEqual([expected.length, sha256(expected)]);
    }
    await source.verify?.();
  });

  test.each([
    ["NotReadableError", "source-changed"],
    ["NotFoundError", "source-changed"],
    ["UnknownError", "source-unreadable"],
  ])("tells a %s of the browser as %s", async (name, code) => {
    const arrayBuffer = () => Promise.reject(new DOMException("", name));
    const file = Object.assign(new File(["video"], "a.mp4"), { slice: () => ({ arrayBuffer }) });
    const reading = blobSource(file as never).then(async (source) => await readAll(await source.slice(0, 5)));
    expect(await caught(reading)).toMatchObject({ code });
  });
});

describe("openSource()", () => {
  test("refuses what has no bytes, by its name where it has one", async () => {
    const error = await caught(openSource(new File([], "a.mp4"), {}, reading));
    expect(error).toMatchObject({ code: "empty-source" });
    expect(error.message).toBe('Cannot upload "a.mp4": it has no bytes');
    expect((await caught(openSource(new Blob([]), {}, reading))).message).toContain(
      "upload the source: it has",
    );
  });

  test("refuses what is no video by name and type, unless any type is accepted", async () => {
    const text = new File(["a"], "a.txt", { type: "application/pdf" });
    const error = await caught(openSource(text, {}, reading));
    expect(error).toMatchObject({ code: "not-a-video" });
    expect(error.message).toContain('upload "a.txt": neither its type ("application/pdf") nor its name');
    const unknown = await caught(openSource(new File(["a"], "a.txt"), {}, reading));
    expect(unknown.message).toContain('upload "a.txt": neither its type (unknown) nor its name');
    expect((await openSource(text, { type: "any" }, reading)).name).toBe("a.txt");
  });

  test("takes the name and the type that it is told", async () => {
    const source = await openSource(new Blob(["a"]), { filename: "b.mp4", type: "video/mp4" }, reading);
    expect(source).toMatchObject({ name: "b.mp4", type: "video/mp4" });
  });
});
