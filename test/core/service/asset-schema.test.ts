import { expect, test } from "vitest";
import { findMismatches, isPlainObject, MOST_MISMATCHES } from "../../../core/service/asset-schema.ts";

const told = (answer: unknown) =>
  findMismatches(answer).map(({ path, expected, found }) => `${path}: ${expected}, not ${found}`);

test.each([
  ["an answer", {}, /^[^.]+:/],
  ["a task", { task: {} }, /^task\./],
  ["an asset", { asset: {} }, /^asset\./],
  ["its policy", { asset: { playbackPolicy: { allowedOrigins: [1] } } }, /^asset\.playbackPolicy\W/],
  ["its owner", { asset: { creatorId: {} } }, /^asset\.creatorId\./],
  ["its profiles", { asset: { profiles: [{}] } }, /^asset\.profiles\[/],
  ["its hashes", { asset: { hash: [{}] } }, /^asset\.hash\[/],
  ["its source", { asset: { source: {} } }, /^asset\.source\./],
  ["its status", { asset: { status: {} } }, /^asset\.status\./],
  [
    "its storage",
    { asset: { storage: { ipfs: { nftMetadata: {} }, status: { tasks: {} } } } },
    /^asset\.storage\./,
  ],
  ["its tracks", { asset: { videoSpec: { tracks: [{}] } } }, /^asset\.videoSpec\./],
])("each field of %s is looked for, as what it is documented to be", (_, answer, below) => {
  expect(told(answer).filter((each) => below.test(each))).toMatchSnapshot();
});

test("of a list twenty entries are looked at, and of all mismatches a hundred are told", () => {
  const hash = Array.from({ length: 60 }, () => ({ hash: 1, algorithm: 2 }));
  expect(told({ asset: { hash } }).filter((each) => /hash\[/.test(each))).toHaveLength(40);
  const profiles = Array.from({ length: 20 }, () => ({}));
  expect(findMismatches({ asset: { profiles } })).toHaveLength(MOST_MISMATCHES);
});

test("an object of names and values is plain, whichever realm it is of", () => {
  expect([{}, Object.create(null)].map(isPlainObject)).toEqual([true, true]);
  expect([null, [], "a", new Date(), new Map()].map(isPlainObject)).toEqual(Array(5).fill(false));
});
