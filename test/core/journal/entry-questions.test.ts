/** The questions to a stored entry, which no other module looks into. */
import { expect, test } from "vitest";
import { askersOf, notesRequest, parseEntry, recordsOf, toStore } from "../../../core/journal/entry.ts";

const record = (id: string) => ({ method: "resumable", asset: { id }, mismatches: [] });
const entry = {
  version: 1,
  uploads: { one: record("a"), two: { ...record("b"), uploadUrl: 7 }, three: record("c") },
  requested: ["mine.one", "mine.four", "five"],
};

test("recordsOf() gives the records that can be read, and none of anything else", () => {
  expect(recordsOf(entry)).toEqual([record("a"), record("c")]);
  for (const other of [undefined, null, 7, [], {}, { ...entry, version: 2 }])
    expect(recordsOf(other)).toEqual([]);
});

test("askersOf() gives the account of each request that has no record", () => {
  expect(askersOf(entry)).toEqual(["mine", undefined]);
  expect(askersOf({ ...entry, version: 2 })).toEqual([]);
});

test("notesRequest() also counts a request beside a record", () => {
  expect(notesRequest({ ...entry, requested: ["mine.one"] })).toBe(true);
  for (const none of [{ ...entry, requested: [] }, { version: 1, uploads: {} }, undefined])
    expect(notesRequest(none)).toBe(false);
});

test("toStore() stores an entry as it was read, and nothing of one in which nothing is left", () => {
  const read = parseEntry(entry);
  expect(read && toStore(read)).toEqual(entry);
  const left = { version: 1, uploads: {} };
  for (const kept of [{ requested: ["mine.four"] }, { done: { one: {} } }]) {
    const again = parseEntry({ ...left, ...kept });
    expect(again && toStore(again)).toEqual({ ...left, ...kept });
  }
  const empty = parseEntry(left);
  expect(empty && toStore(empty)).toBeUndefined();
});
