import { describe, expect, test } from "vitest";
import { LONGEST_BODY, readBody } from "../../../core/http/limited-body.ts";
import { takeTurns } from "../../../core/time/turn.ts";
import { caught } from "../../support/caught.ts";

/** A body that says whether it was ended; it gives the same piece for as long as it is asked. */
function endless(piece: Uint8Array): { response: Response; ended(): boolean } {
  let isEnded = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(piece.slice()),
    cancel() {
      isEnded = true;
    },
  });
  return { response: new Response(body), ended: () => isEnded };
}

describe("readBody()", () => {
  test("reads a body whole, characters that are cut by pieces too", async () => {
    const bytes = new TextEncoder().encode("“Zoë”");
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect(await readBody(new Response(body), undefined)).toBe("“Zoë”");
    expect(await readBody(new Response(null), undefined)).toBe("");
  });

  test("reads the beginning of a body that doesn't end, and ends it", async () => {
    const { response, ended } = endless(new Uint8Array(65_536).fill(97));
    expect(await readBody(response, undefined)).toBe("a".repeat(LONGEST_BODY));
    await expect.poll(ended).toBe(true);
  });

  test("ends a body that gives nothing when the signal is aborted", async () => {
    let isEnded = false;
    const body = new ReadableStream<Uint8Array>({
      cancel() {
        isEnded = true;
      },
    });
    const stop = new AbortController();
    const reading = caught(readBody(new Response(body), stop.signal));
    const reason = new Error("enough");
    stop.abort(reason);
    expect(await reading).toBe(reason);
    await expect.poll(() => isEnded).toBe(true);
  });

  test("lets others have their turn while a body has each next piece at once", async () => {
    let hadTurn = false;
    setTimeout(() => {
      hadTurn = true;
    }, 0);
    // No bytes but those of the smallest piece are counted, so there are thousands of them.
    await readBody(endless(new Uint8Array(1)).response, undefined);
    expect(hadTurn).toBe(true);
  });

  test("reads the text of what has no stream, and not too much of it", async () => {
    const response = { body: undefined, text: async () => "a".repeat(LONGEST_BODY + 1) };
    const text = await readBody(response as unknown as Response, undefined);
    expect(text).toBe("a".repeat(LONGEST_BODY));
  });
});

test("others have their turn after so many pieces, and not with each", () => {
  const takeTurn = takeTurns(3);
  const turns = Array.from({ length: 6 }, () => takeTurn() !== undefined);
  expect(turns).toEqual([false, false, true, false, false, true]);
});
