import { describe, expect, test } from "vitest";
import { searchHistory } from "../../../entrypoints/popup/history.tsx";
import { uploadedBeforeSentence } from "../../../entrypoints/popup/message-catalogue.ts";
import type { HistoryEntry } from "../../../entrypoints/shared/history-store.ts";
import { addressDigests, fileDigest } from "../../../entrypoints/shared/source-kinds.ts";

const now = new Date(2026, 4, 17, 9).getTime();
const HOUR = 3_600_000;

test.each([
  [1, "Uploaded today. Upload again?"],
  // By the calendar, not by the clock.
  [10, "Uploaded yesterday. Upload again?"],
  [72, "Uploaded 3\u00a0days\u00a0ago. Upload again?"],
  [24 * 60, "Uploaded Mar 18, 2026. Upload again?"],
])("what was uploaded %d hours ago is told as: %s", (hours, sentence) => {
  expect(uploadedBeforeSentence(now - hours * HOUR, now)).toBe(sentence);
});

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

test("the history is searched for all words in names, hosts and ids", () => {
  const entry = { id: "1", endedAt: 1, digests: [] };
  const entries: HistoryEntry[] = [
    { ...entry, name: "Launch video", assetId: "asset-1", host: "cdn.example" },
    { ...entry, name: "Evening launch", assetId: "asset-2", playbackId: "play-2" },
  ];
  const found = (search: string) => searchHistory(entries, search).map(({ assetId }) => assetId);
  expect(found("")).toEqual(["asset-1", "asset-2"]);
  expect(found("LAUNCH")).toEqual(["asset-1", "asset-2"]);
  expect(found("video launch")).toEqual(["asset-1"]);
  expect(found("play-2")).toEqual(["asset-2"]);
  expect(found("cdn.example video")).toEqual(["asset-1"]);
  expect(found("nothing")).toEqual([]);
});
