import { expect, test } from "vitest";
import { TotalProgress, type Totals } from "../../../core/many/total-progress.ts";
import type { Progress } from "../../../core/progress/progress.ts";

/** Totals of a list, and all that they told. */
function open(sources: number | undefined, sizes: Record<number, number> = {}) {
  const told: Totals[] = [];
  const known = new Map(Object.entries(sizes).map(([index, size]) => [Number(index), size]));
  return { told, totals: new TotalProgress(sources, (each) => told.push(each), known) };
}

const progress = (state: Progress["state"], sent: number, total?: number) =>
  ({ state, sent, total }) as Progress;

test("a list of known sizes knows its total from the start, and is whole at its end alone", () => {
  const { told, totals } = open(2, { 0: 100, 1: 300 });
  totals.emit();
  totals.start(0, false);
  totals.update(0, progress("waiting", 40, 100));
  totals.end(0, "uploaded");
  totals.start(1, false);
  totals.update(1, progress("finishing", 300, 300));
  totals.end(1, "uploaded");
  expect(
    told.map(({ started, running, sent, total, fraction }) => [started, running, sent, total, fraction]),
  ).toEqual([
    [0, 0, 0, 400, 0],
    [1, 1, 0, 400, 0],
    [1, 1, 40, 400, 0.1],
    [1, 0, 40, 340, 40 / 340],
    [2, 1, 40, 340, 40 / 340],
    [2, 1, 340, 340, 0.99],
    [2, 0, 340, 340, 1],
  ]);
  expect(told.at(-1)).toMatchObject({ sources: 2, uploaded: 2, alreadyThere: 0, failed: 0, timeLeft: 0 });
});

test("a source of unknown size counts as the average of those that are known", () => {
  const { told, totals } = open(3, { 0: 100 });
  totals.start(0, false);
  expect(told.at(-1)).toMatchObject({ sent: 0, total: 300 });
  totals.start(1, false);
  totals.update(1, progress("waiting", 50, 200));
  // 100 and 200 are known, and 150 stand for the third.
  expect(told.at(-1)).toMatchObject({ sent: 50, total: 450 });
  totals.start(2, false);
  expect(told.at(-1)).toMatchObject({ sent: 50, total: 450 });
  totals.update(2, progress("waiting", 200));
  // More is sent than the average.
  expect(told.at(-1)).toMatchObject({ sent: 250, total: 500 });
});

test("what is there already, or failed, sends no more, and one that comes again is not counted again", () => {
  const { told, totals } = open(2, { 0: 100, 1: 100 });
  totals.start(0, false);
  totals.postpone(0);
  expect(told.at(-1)).toMatchObject({ started: 1, running: 0, sent: 0, total: 100 });
  totals.start(1, false);
  totals.update(1, progress("waiting", 30, 100));
  totals.end(1, "failed");
  totals.start(0, true);
  expect(told.at(-1)).toMatchObject({ started: 2, running: 1, failed: 1, sent: 30, total: 130 });
  totals.update(0, progress("waiting", 20, 100));
  totals.end(0, "alreadyThere");
  expect(told.at(-1)).toMatchObject({ alreadyThere: 1, sent: 30, total: 30, fraction: 1 });
  expect(totals.ended).toBe(2);
  const before = told.length;
  totals.update(0, progress("waiting", 40, 100));
  expect(told).toHaveLength(before);
});

test("without a number of sources, or any size, there is no total", () => {
  for (const { told, totals } of [open(undefined, { 0: 100 }), open(2)]) {
    totals.start(0, false);
    expect(told.at(-1)).toMatchObject({ total: undefined, fraction: undefined, timeLeft: undefined });
  }
  const { told, totals } = open(0);
  totals.emit();
  expect(told).toMatchObject([{ total: 0, fraction: 1, timeLeft: 0 }]);
});

test("the time that is left follows from the speed, where there is one", () => {
  const { told, totals } = open(1, { 0: 100 });
  for (const [speed, timeLeft] of [
    [undefined, undefined],
    [0, undefined],
    [20, 5000],
  ]) {
    totals.speed = speed;
    totals.emit();
    expect(told.at(-1)).toMatchObject({ speed, timeLeft });
  }
});

test("bytes that are sent are told at intervals", () => {
  const { told, totals } = open(1, { 0: 1e9 });
  totals.start(0, false);
  for (let sent = 0; sent < 50; sent++) totals.update(0, progress("sending", sent, 1e9));
  expect(told.length).toBeLessThan(50);
});
