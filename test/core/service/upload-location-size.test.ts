/** What is larger or deeper than any record is told before anything looks through it. */
import { describe, expect, test } from "vitest";
import { isRecordSized, readUploadLocation } from "../../../core/service/upload-location.ts";

const nested = (levels: number, wrap: (value: unknown) => unknown) => {
  let value: unknown = "value";
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
};
const list = (length: number): unknown[] => new Array<number>(length).fill(1);
const fields = (length: number) => Object.fromEntries(list(length).map((value, at) => [`field${at}`, value]));

describe("isRecordSized()", () => {
  test.each(["text", 7, null, undefined, true, [], {}, { asset: { id: "a" } }])("takes %j", (value) => {
    expect(isRecordSized(value)).toBe(true);
  });

  test("takes 32 lists or objects inside each other, and no more", () => {
    for (const wrap of [(value: unknown) => [value], (value: unknown) => ({ value })])
      expect([isRecordSized(nested(32, wrap)), isRecordSized(nested(33, wrap))]).toEqual([true, false]);
    expect(isRecordSized(nested(10_000, (value) => [value]))).toBe(false);
  });

  test("takes 20,000 values, however they are spread, and no more", () => {
    expect([isRecordSized(list(19_999)), isRecordSized(list(20_000))]).toEqual([true, false]);
    expect([isRecordSized(fields(19_999)), isRecordSized(fields(20_000))]).toEqual([true, false]);
    const spread = (more: number) => ({ a: list(6_000), b: fields(6_000), c: { d: list(7_995 + more) } });
    expect([isRecordSized(spread(0)), isRecordSized(spread(1))]).toEqual([true, false]);
    const pairs = (length: number) => list(length).map(() => [[1]]);
    expect([isRecordSized(pairs(6_666)), isRecordSized(pairs(6_667))]).toEqual([true, false]);
  });
});

test.each<[unknown, string]>([
  [undefined, "the answer is not a JSON object"],
  ...[[], "text", 7, null].map((answer): [unknown, string] => [answer, "the answer is not a JSON object"]),
  [{}, "the answer holds no asset"],
  ...[null, [{ id: "a" }], "asset-1"].map((asset): [unknown, string] => [
    { asset },
    "the answer holds no asset",
  ]),
  ...[undefined, null, 7, {}, "", " \n"].map((id): [unknown, string] => [
    { asset: { id } },
    "the asset has no id",
  ]),
  [{ asset: { id: "a", more: list(20_000) } }, "the answer is larger or deeper than any asset"],
])("readUploadLocation() says why there is no location", (answer, reason) => {
  expect(readUploadLocation(answer, "https://video.example")).toBe(reason);
});
