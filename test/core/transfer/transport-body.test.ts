/** The reader of a body, on the way from a source to the upload host. */
import { describe, expect, test } from "vitest";
import { PART_SIZE } from "../../../core/source/parts.ts";
import type { Slice } from "../../../core/source/source.ts";
import { type BodyReading, RequestBody } from "../../../core/transfer/transport.ts";
import { caught } from "../../support/caught.ts";
import { content, sha256 } from "../../support/content.ts";

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

function bodyOf(source: Slice, how: Partial<BodyReading> = {}): RequestBody {
  return new RequestBody(source, { signal: new AbortController().signal, onFailure() {}, ...how });
}

describe("whole()", () => {
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
    const body = await bodyOf(slice(bytes, pieceSize)).whole();
    expect(body instanceof Blob).toBe(isBlob);
    expect(sha256(await bytesOf(body))).toBe(sha256(bytes));
  });

  test("gives what is held in one memory as it is", async () => {
    const held = content(5);
    expect(await bodyOf({ ...slice(held, 1), held }).whole()).toBe(held);
  });

  test.each([
    [4, "source-ended-early"],
    [6, "source-too-long"],
  ])("rejects a source of %d bytes where 5 were announced", async (found, code) => {
    expect(await caught(bodyOf(slice(content(found), 1, 5)).whole())).toMatchObject({ code });
    expect(await caught(bodyOf(slice(content(found), 10, 5)).whole())).toMatchObject({ code });
  });
});

describe("read()", () => {
  const readAll = async (body: RequestBody, memory?: Uint8Array) => {
    const pieces: Uint8Array[] = [];
    while (body.left > 0) pieces.push((await body.read(memory)).slice());
    return pieces;
  };
  const filled = (size: number) => ({
    ...slice(content(size), 1),
    async fill(target: Uint8Array, position: number) {
      target.set(content(size).subarray(position, position + target.length));
      return Math.min(target.length, size - position);
    },
  });

  test("gives the pieces of the source, or fills memory of the reader's own", async () => {
    const lengths = async (body: RequestBody, memory?: Uint8Array) =>
      (await readAll(body, memory)).map(({ length }) => length);
    expect(await lengths(bodyOf(slice(content(5), 2)))).toEqual([2, 2, 1]);
    expect(await lengths(bodyOf(filled(5)), new Uint8Array(3))).toEqual([3, 2]);
    // Filling needs the reader's memory, and a source that fills it.
    expect(await lengths(bodyOf(filled(3)))).toEqual([1, 1, 1]);
    expect(await lengths(bodyOf(slice(content(5), 2)), new Uint8Array(3))).toEqual([2, 2, 1]);
  });

  test("counts what was given", async () => {
    const body = bodyOf(slice(content(5), 2));
    await body.read();
    expect([body.given, body.left]).toEqual([2, 3]);
  });

  test.each(["pieces", "fill"])(
    "asks for the lease after each of the %s, and gives none without it",
    async (way) => {
      const lost = new Error("lost");
      const failures: unknown[] = [];
      let asked = 0;
      const body = bodyOf(way === "fill" ? filled(3) : slice(content(3), 1), {
        async confirm() {
          if (++asked > 2) throw lost;
        },
        onFailure: (error) => failures.push(error),
      });
      const memory = new Uint8Array(1);
      await body.read(memory);
      await body.read(memory);
      expect(await caught(body.read(memory))).toBe(lost);
      expect([asked, body.given, failures]).toEqual([3, 2, [lost]]);
    },
  );

  test.each([1, 3])("holds the last of %d bytes back until it may leave", async (size) => {
    const events: (string | number)[] = [];
    const body = bodyOf(slice(content(size), 2), {
      beforeLastByte: async () => void events.push("may leave"),
    });
    while (body.left > 0) events.push((await body.read()).length);
    expect(events).toEqual(size === 1 ? ["may leave", 1] : [2, "may leave", 1]);
  });

  test("rests the watch over the line while the source is read", async () => {
    const events: string[] = [];
    const onReading = () => void events.push("reading");
    const onRead = () => void events.push("read");
    await readAll(bodyOf(slice(content(2), 1), { onReading, onRead }));
    expect(events).toEqual(["reading", "read", "reading", "read"]);
  });
});

describe("stop()", () => {
  test("ends the reading of the source, and gives nothing more", async () => {
    const source = slice(content(5), 1);
    const failures: unknown[] = [];
    const body = bodyOf(source, { onFailure: (error) => failures.push(error) });
    await body.read();
    body.stop();
    await expect.poll(source.ended).toBe(true);
    expect((await caught(body.read())).message).toBe("the request has ended");
    expect(failures).toEqual([]);
  });

  test("takes a source that has no way to be ended", async () => {
    const pieces = () => ({ next: async () => ({ value: new Uint8Array(1), done: false as const }) });
    const body = bodyOf({ size: 5, last: true, pieces });
    await body.read();
    expect(() => body.stop()).not.toThrow();
  });
});
