import { expect, test } from "vitest";
import { bytesOf, bytesSource, isBytes } from "../../../core/source/bytes.ts";
import { caught } from "../../support/caught.ts";
import { content, MiB, sha256 } from "../../support/content.ts";
import { readAll } from "../../support/core/read-all.ts";

const bytes = content(2 * MiB + 5);

test("bytes are read where they lie, in any run", async () => {
  const source = bytesSource(bytes);
  expect(source).toMatchObject({ name: undefined, type: undefined, size: bytes.length, rereadable: true });
  for (const [start, end] of [
    [0, 5],
    [3, 2 * MiB],
    [MiB, 3 * MiB],
    [0, bytes.length],
  ] as const) {
    const slice = await source.slice(start, end);
    const expected = bytes.subarray(start, end);
    expect([slice.size, slice.last]).toEqual([expected.length, end >= bytes.length]);
    expect(slice.held?.buffer).toBe(bytes.buffer);
    for (const read of [slice.held ?? new Uint8Array(), await readAll(slice)])
      expect(sha256(read)).toBe(sha256(expected));
  }
});

test("the same bytes have one identity and one digest, and others have others", async () => {
  const [source, same] = [bytesSource(bytes), bytesSource(bytes.slice())];
  expect(await source.identity()).toBe(await same.identity());
  expect(await source.contentDigest?.()).toBe(await same.contentDigest?.());
  const other = bytes.slice();
  // Between the samples, of which the identity is made.
  other[MiB / 2] = (other[MiB / 2] ?? 0) ^ 1;
  expect(await bytesSource(other).identity()).toBe(await source.identity());
  expect(await bytesSource(other).contentDigest?.()).not.toBe(await source.contentDigest?.());
  other[0] = (other[0] ?? 0) ^ 1;
  expect(await bytesSource(other).identity()).not.toBe(await source.identity());
});

test("bytes that change, or are handed to another thread, are no longer the source", async () => {
  const own = bytes.slice();
  const source = bytesSource(own);
  // Nobody has asked what it was before.
  await source.verify?.();
  await source.identity();
  await source.verify?.();
  own[0] = (own[0] ?? 0) ^ 1;
  expect(await caught(source.verify?.() ?? Promise.resolve())).toMatchObject({ code: "source-changed" });
  structuredClone(own.buffer, { transfer: [own.buffer] });
  expect(await caught(source.slice(0, 5))).toMatchObject({ code: "source-changed" });
});

test("a view is read as the view alone, and memory of several threads is refused", async () => {
  const memory = new Uint8Array([1, 2, 3, 4]).buffer;
  expect(bytesOf(new DataView(memory, 1, 2))).toEqual(new Uint8Array([2, 3]));
  expect(bytesOf(memory)).toEqual(new Uint8Array([1, 2, 3, 4]));
  const shared = new SharedArrayBuffer(4);
  for (const given of [shared, new Uint8Array(shared)])
    expect(await caught(() => bytesSource(given))).toMatchObject({ code: "invalid-source" });
  expect([memory, new DataView(memory), new Uint8Array(memory), shared].map(isBytes)).toEqual(
    Array(4).fill(true),
  );
  expect(["text", null, [1], {}].map(isBytes)).toEqual(Array(4).fill(false));
});
