import { describe, expect, test } from "vitest";
import { addressDigests, fileDigest, sourceKind } from "../../../entrypoints/shared/source-kinds.ts";
import { fromPage, inPieces } from "../../support/extension/pages/jobs.ts";

describe("the digests", () => {
  const file = { name: "a.mp4", size: 5, type: "video/mp4", lastModified: 7 };

  test("of a file are the same whatever type a system gives it, and of another one others", async () => {
    const digest = await fileDigest(file);
    expect(await fileDigest({ ...file, type: "" })).toBe(digest);
    for (const other of [{ name: "b.mp4" }, { size: 6 }, { lastModified: 8 }])
      expect(await fileDigest({ ...file, ...other })).not.toBe(digest);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
  });

  test("of an address know it under another signature by its size alone", async () => {
    const shared = async (a: object, b: object) => {
      const [one, other] = await Promise.all([a, b].map((each) => addressDigests(each as never)));
      return one?.filter((each) => other?.includes(each)).length;
    };
    const [one, other] = ["https://cdn.example/a.mp4?s=1", "https://cdn.example/a.mp4?s=2"];
    expect(await shared({ address: one }, { address: one })).toBe(1);
    expect(await shared({ address: one }, { address: `${one}#t=3` })).toBe(1);
    expect(await shared({ address: one }, { address: other })).toBe(0);
    expect(await shared({ address: one, size: 5 }, { address: other, size: 5 })).toBe(1);
    expect(await shared({ address: one, size: 5 }, { address: other, size: 6 })).toBe(0);
    for (const digest of await addressDigests({ address: one, size: 5 }))
      expect(digest).toMatch(/^[0-9a-f]{64}$/);
  });
});

test("an address is read as a manifest where its video is in pieces, and as a file where it isn't", () => {
  const kinds = [inPieces, fromPage].map((source) => sourceKind(source));
  expect(kinds.map(({ isInPieces, isAtAddress }) => [isInPieces, isAtAddress])).toEqual([
    [true, true],
    [false, true],
  ]);
  expect(kinds.map(({ options }) => options(fromPage))).toEqual([{}, { type: "video/mp4" }]);
});
