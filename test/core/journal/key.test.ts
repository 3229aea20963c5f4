/** Keys of a journal: for which sources there is one, and what stands for a source. */
import { describe, expect, test } from "vitest";
import { discard, journalKey, memoryJournal, type Requester } from "../../../core/mod.ts";
import { caught } from "../../support/caught.ts";

describe("journalKey()", () => {
  test("lets go of a stream, which has none", async () => {
    let isEnded = false;
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1)),
      cancel() {
        isEnded = true;
      },
    });
    expect(await journalKey(stream)).toBeUndefined();
    await expect.poll(() => isEnded).toBe(true);
  });

  test("rejects with the reason of a signal that was aborted before", async () => {
    const reason = new Error("enough");
    const file = new File(["video"], "a.mp4");
    expect(await caught(journalKey(file, { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });
});

describe("discard()", () => {
  const requester: Requester = {
    scope: () => "account",
    requestUpload: async () => {
      throw new Error("not asked for");
    },
  };

  test.each(["video.mp4", 7, null, undefined, {}, [], { journalKey: 7 }, { key: "a" }])(
    "refuses %o, which is neither a source nor a key",
    async (given) => {
      const error = await caught(discard(requester, given as never));
      expect(error).toMatchObject({ code: "invalid-source" });
    },
  );

  test("takes a key under which there is nothing", async () => {
    const journal = memoryJournal();
    expect(await discard(requester, { journalKey: "a" }, { journal })).toEqual({ assets: [], ended: 0 });
    const stream = new Blob(["video"]).stream();
    expect(await discard(requester, stream, { journal })).toEqual({ assets: [], ended: 0 });
  });
});
