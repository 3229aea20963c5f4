import { expect, test } from "vitest";
import { createWorkQueue } from "../../entrypoints/popup/work-queue.ts";

/** A queue whose slices the test runs, on a clock on which each piece of work takes 4 of a slice's 10 ms. */
function makeQueue() {
  const slices: (() => void)[] = [];
  const done: string[] = [];
  let time = 0;
  let sliceCount = 0;
  const queue = createWorkQueue<string, string>({
    schedule: (run) => void slices.push(run),
    work(item) {
      done.push(item);
      time += 4;
    },
    onSlice: () => void sliceCount++,
    now: () => time,
  });
  return { queue, slices, done, runSlice: () => slices.shift()?.(), sliceCount: () => sliceCount };
}

test("works in slices until nothing waits, and schedules one slice at a time", () => {
  const { queue, slices, done, runSlice, sliceCount } = makeQueue();
  for (const key of ["a", "b", "c", "d"]) queue.add(key, key);
  expect(slices).toHaveLength(1);
  runSlice();
  expect(done).toEqual(["a", "b", "c"]);
  expect(queue.waiting()).toEqual(["d"]);
  expect(slices).toHaveLength(1);
  runSlice();
  expect(done).toEqual(["a", "b", "c", "d"]);
  expect(slices).toHaveLength(0);
  expect(sliceCount()).toBe(2);
});

test("an item that was added twice runs once, with its last value, and a removed one not at all", () => {
  const { queue, done, runSlice } = makeQueue();
  queue.add("a", "old");
  queue.add("b", "b");
  queue.add("a", "new");
  queue.delete("b");
  expect([queue.has("a"), queue.has("b")]).toEqual([true, false]);
  runSlice();
  expect(done).toEqual(["new"]);
});

test("goes on with what waits after something that fails", () => {
  const { slices, done, runSlice } = makeQueue();
  const queue = createWorkQueue<string, string>({
    schedule: (run) => void slices.push(run),
    work(item) {
      if (item === "b") throw new Error("it can't be drawn");
      done.push(item);
    },
    now: () => 0,
  });
  for (const key of ["a", "b", "c"]) queue.add(key, key);
  expect(runSlice).toThrow("it can't be drawn");
  expect(queue.waiting()).toEqual(["c"]);
  runSlice();
  expect(done).toEqual(["a", "c"]);
});
