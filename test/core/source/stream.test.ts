/** Web streams as sources: read once and in order, with what may be sent again. */
import { describe, expect, test } from "vitest";
import { PART_SIZE } from "../../../core/source/parts.ts";
import { streamSource } from "../../../core/source/stream.ts";
import { caught } from "../../support/caught.ts";
import { content, sha256 } from "../../support/content.ts";
import { readAll } from "../../support/core/read-all.ts";

const { signal } = new AbortController();

/** A stream of some bytes, which then fails or ends. */
function streamOf(bytes: Uint8Array, failure?: Error): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      const piece = bytes.slice(at, at + 1_000_003);
      at += piece.length;
      if (piece.length > 0) controller.enqueue(piece);
      else if (failure === undefined) controller.close();
      else controller.error(failure);
    },
  });
}

/** A stream that never ends, and says when it was let go. */
function endless() {
  const state = { isEnded: false };
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1)),
    cancel() {
      state.isEnded = true;
    },
  });
  return { state, stream };
}

describe("streamSource()", () => {
  const size = 2 * PART_SIZE + 5;
  const bytes = content(size);

  test("tells each piece as it is read, whatever holds its bytes", async () => {
    const read: number[] = [];
    async function* pieces() {
      // An empty piece is no end.
      yield new Uint8Array(0);
      yield new Uint8Array([1, 2]).buffer;
      yield new DataView(new Uint8Array([3]).buffer);
      yield new Uint8Array([4]);
    }
    const source = await streamSource(pieces(), {}, { signal, onRead: (piece) => read.push(...piece) });
    expect(source.size).toBeUndefined();
    await source.slice(0, PART_SIZE);
    expect(read).toEqual([1, 2, 3, 4]);
  });

  test("gives runs of bytes in order, the same again, and tells the last", async () => {
    const source = await streamSource(
      streamOf(bytes),
      { name: "a.mp4", type: "video/mp4", size },
      { signal },
    );
    expect(source).toMatchObject({ name: "a.mp4", type: "video/mp4", size, rereadable: false });
    expect(await source.identity()).toBeUndefined();
    for (const [start, end] of [
      [0, PART_SIZE],
      [0, PART_SIZE],
      [3, PART_SIZE],
      [PART_SIZE, 3 * PART_SIZE],
      [2 * PART_SIZE, 3 * PART_SIZE],
    ] as const) {
      const slice = await source.slice(start, end);
      const expected = bytes.subarray(start, end);
      expect([slice.size, slice.last]).toEqual([expected.length, end > size]);
      expect(sha256(await readAll(slice))).toBe(sha256(expected));
    }
    await source.close();
  });

  test("can't give again what was let go", async () => {
    const source = await streamSource(streamOf(bytes), {}, { signal });
    await source.slice(PART_SIZE, 2 * PART_SIZE);
    const error = await caught(source.slice(PART_SIZE - 1, 2 * PART_SIZE));
    expect(error).toMatchObject({ code: "offset-behind-buffer" });
    expect(error.message).toContain(`has ${PART_SIZE - 1} bytes`);
    expect(error.message).toContain(`from byte ${PART_SIZE} on`);
    await source.close();
  });

  test("gives all of it at once without holding it", async () => {
    const source = await streamSource(streamOf(bytes), { size }, { signal });
    const whole = await source.whole?.();
    expect(whole).toMatchObject({ size, last: true });
    if (whole !== undefined) expect(sha256(await readAll(whole))).toBe(sha256(bytes));
    const unknown = await streamSource(streamOf(bytes), {}, { signal });
    expect(await unknown.whole?.()).toMatchObject({ size: 0, last: true });
    await unknown.close();
  });

  test("is empty where the stream is", async () => {
    expect((await streamSource(streamOf(new Uint8Array(0)), {}, { signal })).size).toBe(0);
  });

  test.each([
    [size + 1, "source-ended-early"],
    [size - 1, "source-too-long"],
  ])("rejects another length than the announced %d, also when it is asked again", async (announced, code) => {
    const source = await streamSource(streamOf(bytes), { size: announced }, { signal });
    const whole = () => source.slice(0, size + 2).then(readAll);
    expect(await caught(whole())).toMatchObject({ code });
    expect(await caught(whole())).toMatchObject({ code });
  });

  test("rejects where the stream fails or is no stream of bytes", async () => {
    const failing = await streamSource(streamOf(bytes, new Error("own words")), {}, { signal });
    const error = await caught(failing.slice(0, size + 2));
    expect(error).toMatchObject({ code: "source-unreadable" });
    expect(error.message).not.toContain("own words");
    const text = new ReadableStream({ pull: (controller) => controller.enqueue("text") });
    expect(await caught(streamSource(text, {}, { signal }))).toMatchObject({
      name: expect.stringMatching(/Error$/),
    });
  });

  test("is not begun where the signal was aborted before, and lets the stream go", async () => {
    const reason = new Error("enough");
    const { stream, state } = endless();
    expect(await caught(streamSource(stream, {}, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    await expect.poll(() => state.isEnded).toBe(true);
  });

  test("is ended by the signal and by its own end", async () => {
    for (const end of ["signal", "close"] as const) {
      const { stream, state } = endless();
      const stop = new AbortController();
      const source = await streamSource(stream, {}, { signal: stop.signal });
      if (end === "signal") stop.abort(new Error("enough"));
      else await source.close();
      await expect.poll(() => state.isEnded).toBe(true);
    }
  });
});
