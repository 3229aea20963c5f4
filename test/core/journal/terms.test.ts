import * as v from "valibot";
import { expect, test } from "vitest";
import { memoryJournal } from "../../../core/journal/memory.ts";
import {
  doneKey,
  isDoneKey,
  isWritingKey,
  journal,
  leaseTimeoutCheck,
  lifetimeChecks,
  lifetimeOf,
  takeReserved,
  writingKey,
} from "../../../core/journal/terms.ts";

const DAY = 24 * 60 * 60 * 1000;

test("a key tells what is under it: finished uploads, or a lease for writing", () => {
  const [done, writing] = [doneKey("0f"), writingKey("0f")];
  expect([done, writing]).toEqual(["0f.done", "0f.write"]);
  expect(["0f", done, writing].map(isDoneKey)).toEqual([false, true, false]);
  expect(["0f", done, writing].map(isWritingKey)).toEqual([false, false, true]);
});

test("an entry lives as long as its key says, in whole milliseconds and no longer than dates last", () => {
  const lifetimes = { maxAge: 0.5, keepDoneFor: Number.POSITIVE_INFINITY };
  expect(lifetimeOf("0f", lifetimes)).toBe(1);
  expect(lifetimeOf(doneKey("0f"), lifetimes)).toBe(100 * 365 * DAY);
});

test("what reserves space for a key is taken once, and no other key's", () => {
  const reserved = new Map([
    ["one", "a"],
    ["two", "b"],
    ["three", "b"],
  ]);
  expect(["b", "b", "b", "c"].map((key) => takeReserved(reserved, key))).toEqual([
    "two",
    "three",
    undefined,
    undefined,
  ]);
  expect([...reserved]).toEqual([["one", "a"]]);
});

test.each([
  [lifetimeChecks.maxAge, [0.5, Number.POSITIVE_INFINITY], [0, -1, "1", Number.NaN], 7 * DAY],
  [lifetimeChecks.keepDoneFor, [0.5, Number.POSITIVE_INFINITY], [0, -1, "1", Number.NaN], 90 * DAY],
  [leaseTimeoutCheck(3000), [3000, 2 ** 31 - 1], [2999, 2 ** 31, "3000"], 30_000],
] as const)("a time is taken within its bounds, and has a default", (schema, good, bad, usual) => {
  expect(good.map((value) => v.is(schema, value))).toEqual(good.map(() => true));
  expect(bad.map((value) => v.is(schema, value))).toEqual(bad.map(() => false));
  expect(v.parse(schema, undefined)).toBe(usual);
});

test("a journal is what has the calls of one", () => {
  const whole = memoryJournal();
  expect(v.is(journal, whole)).toBe(true);
  expect(v.is(journal, { ...whole, list: undefined, reserve: undefined })).toBe(true);
  for (const name of ["get", "set", "delete", "claim"]) {
    const { issues } = v.safeParse(journal, { ...whole, [name]: undefined });
    expect(issues?.[0].message).toContain(`is an object, expected a journal; it has no ${name}()`);
  }
  expect(v.safeParse(journal, { ...whole, reserve: 1 }).issues?.[0].message).toContain("it has no reserve()");
  expect(v.safeParse(journal, null).issues?.[0].message).toContain("is null, expected a journal");
});
