/** What is done with the pieces of a body on their way from a source to the upload host. */
import { describe, expect, test } from "vitest";
import { PART_SIZE } from "../../core/source/parts.ts";
import type { Slice } from "../../core/source/source.ts";
import { aroundPieces } from "../../core/transfer/around-pieces.ts";
import { collect } from "../../core/transfer/body.ts";
import { leasedBody } from "../../core/transfer/leased-body.ts";
import { caught } from "../caught.ts";
import { content, sha256 } from "../content.ts";

/** Some bytes in pieces, which say whether they were ended early. */
function slice(bytes: Uint8Array, pieceSize: number, size = bytes.length): Slice & { ended(): boolean } {
  let isEnded = false;
  return {
    size,
    last: true,
    ended: () => isEnded,
    async *pieces(): AsyncGenerator<Uint8Array, undefined> {
      try {
        for (let at = 0; at < bytes.length; at += pieceSize) yield bytes.subarray(at, at + pieceSize);
      } finally {
        isEnded = true;
      }
    },
  };
}

describe("collect()", () => {
  const bytesOf = async (body: Uint8Array | Blob) =>
    body instanceof Blob ? new Uint8Array(await body.arrayBuffer()) : body;

  test.each([
    [1, 1, false],
    [1000, 7, false],
    [PART_SIZE, 1_000_003, false],
    [PART_SIZE + 1, 1_000_003, true],
    [2 * PART_SIZE + 9, 3 * PART_SIZE, true],
  ])("gives %d bytes in pieces of %d, and more than a part as a Blob", async (size, pieceSize, isBlob) => {
    const bytes = content(size);
    const body = await collect(slice(bytes, pieceSize));
    expect(body instanceof Blob).toBe(isBlob);
    expect(sha256(await bytesOf(body))).toBe(sha256(bytes));
  });

  test("gives what is held in one memory as it is", async () => {
    const held = content(5);
    expect(await collect({ ...slice(held, 1), held })).toBe(held);
  });

  test.each([
    [4, "source-ended-early"],
    [6, "source-too-long"],
  ])("rejects a source of %d bytes where 5 were announced", async (found, code) => {
    expect(await caught(collect(slice(content(found), 1, 5)))).toMatchObject({ code });
    expect(await caught(collect(slice(content(found), 10, 5)))).toMatchObject({ code });
  });
});

describe("aroundPieces()", () => {
  const asTheyAre = (body: Slice) => aroundPieces(body, () => (read) => read());

  test("ends the reading of the source with its own", async () => {
    const source = slice(content(5), 1);
    const pieces = asTheyAre(source).pieces();
    await pieces.next();
    expect(await pieces.return?.()).toEqual({ value: undefined, done: true });
    expect(source.ended()).toBe(true);
  });

  test("ends where the source has no way to be ended", async () => {
    const pieces = () => ({ next: async () => ({ value: new Uint8Array(1), done: false as const }) });
    const reading = asTheyAre({ size: 5, last: true, pieces }).pieces();
    expect(await reading.return?.()).toEqual({ value: undefined, done: true });
  });
});

describe("leasedBody()", () => {
  const lost = new Error("lost");

  test("asks for the lease after each piece was read, and hands over none without it", async () => {
    let asked = 0;
    const pieces = leasedBody(slice(content(3), 1), async () => {
      if (++asked > 2) throw lost;
    }).pieces();
    expect((await pieces.next()).done).toBe(false);
    expect((await pieces.next()).done).toBe(false);
    expect(await caught(pieces.next())).toBe(lost);
    expect(asked).toBe(3);
  });

  test("asks for it as well after bytes were read into memory of the reader's own", async () => {
    let asked = 0;
    const body = { ...slice(content(3), 1), fill: async (target: Uint8Array) => target.length };
    const leased = leasedBody(body, async () => {
      if (++asked > 1) throw lost;
    });
    expect(await leased.fill?.(new Uint8Array(2), 0)).toBe(2);
    expect(await caught(leased.fill?.(new Uint8Array(2), 0) ?? Promise.resolve())).toBe(lost);
    expect(leasedBody(slice(content(3), 1), async () => {}).fill).toBeUndefined();
  });
});
