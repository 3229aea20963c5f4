import { expect, test } from "vitest";
import { findDone, forgetDone, noteDone } from "../../../core/journal/done.ts";
import type { DoneUpload } from "../../../core/journal/journal.ts";
import { memoryJournal } from "../../../core/journal/memory.ts";
import { caught } from "../../support/caught.ts";

const KEY = "0f".repeat(32);
const done = (id: string, doneAt: number, account = "one"): DoneUpload => ({
  asset: { id },
  mismatches: [],
  account,
  size: 9,
  doneAt,
});
const confirmed = async () => {};

/** A journal in which three uploads of a source are finished, one of them of another account. */
async function filled() {
  const place = { journal: memoryJournal(), key: KEY };
  await noteDone(place, "a", done("older", 1), confirmed);
  await noteDone(place, "b", done("newer", 2), confirmed);
  await noteDone(place, "c", done("others", 3, "two"), confirmed);
  return place;
}

test("findDone() gives the newest of some contexts, in whichever order they are named", async () => {
  const place = await filled();
  for (const contexts of [
    ["a", "b", "gone"],
    ["b", "a"],
  ])
    expect(await findDone(place, contexts)).toEqual(done("newer", 2));
  expect(await findDone(place, ["a"])).toEqual(done("older", 1));
  expect(await findDone(place, ["toString"])).toBeUndefined();
  expect(await findDone({ ...place, key: "1e".repeat(32) }, ["a"])).toBeUndefined();
});

test("noteDone() keeps the entry of unfinished uploads apart, and notes nothing that isn't confirmed", async () => {
  const place = await filled();
  expect(await place.journal.get(KEY)).toBeUndefined();
  const taken = new Error("taken");
  expect(await caught(noteDone(place, "a", done("late", 9), () => Promise.reject(taken)))).toBe(taken);
  expect(await findDone(place, ["a"])).toEqual(done("older", 1));
});

test("forgetDone() forgets those of an account, or one of them, and gives them back", async () => {
  const place = await filled();
  expect(await forgetDone(place, "one", "others")).toEqual([]);
  expect(await forgetDone(place, "one", "newer")).toEqual([done("newer", 2)]);
  expect(await findDone(place, ["a", "b"])).toEqual(done("older", 1));
  expect(await forgetDone(place, "one")).toEqual([done("older", 1)]);
  expect(await forgetDone(place, "one")).toEqual([]);
  expect(await findDone(place, ["a", "b", "c"])).toEqual(done("others", 3, "two"));
});

test("what can't be read is an error, unless it is replaced", async () => {
  const place = await filled();
  const { size: _, ...broken } = done("broken", 4);
  await place.journal.set(`${KEY}.done`, {
    version: 1,
    uploads: {},
    done: { a: broken, b: done("newer", 2) },
  });
  const error = await caught(findDone(place, ["a", "b"]));
  expect(error).toMatchObject({ code: "journal-failed", retryable: false });
  expect(error.message).toContain("its record of a finished upload has another shape");
  expect(await findDone({ ...place, replaces: true }, ["a", "b"])).toEqual(done("newer", 2));
  await place.journal.set(`${KEY}.done`, { version: 2 });
  expect(await caught(findDone(place, ["a"]))).toMatchObject({ code: "journal-failed" });
  expect(await caught(forgetDone(place, "one"))).toMatchObject({ code: "journal-failed" });
  expect(await findDone({ ...place, replaces: true }, ["a"])).toBeUndefined();
  await noteDone(place, "a", done("anew", 5), confirmed);
  expect(await findDone(place, ["a"])).toEqual(done("anew", 5));
});
