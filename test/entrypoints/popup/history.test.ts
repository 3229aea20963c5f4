import { expect, test } from "vitest";
import { searchHistory } from "../../../entrypoints/popup/history.tsx";
import type { HistoryEntry } from "../../../entrypoints/shared/history-store.ts";

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
