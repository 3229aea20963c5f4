/** That work on a text grows with its length and not with its square, however fast the machine is. */
import { expect } from "vitest";

/** Long enough for a square to outweigh all else; from 100,000 on Bun searches a text in another, slower way. */
const LENGTH = 10_000;
const FACTOR = 8;
/** Between what is linear (8) and the square (64). */
const LIMIT = FACTOR * 4;
/** As many as a busy machine may need for one that nothing disturbs; what is linear mostly takes a few. */
const MOST_ROUNDS = 30;
const LEAST_ROUNDS = 3;

/**
 * Fails if eight times as much to do takes far more than eight times as long; the square of it would take 64 times as
 * long. The fastest of several rounds counts for each size, so that what else the machine does hardly matters.
 *
 * @param work does something with a text of about the given length
 */
export function expectLinear(work: (size: number) => void): void {
  const fastest = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY };
  // What takes next to no time can't be compared.
  const ratio = () => fastest.long / Math.max(fastest.short, 0.5);
  for (let round = 0; round < LEAST_ROUNDS || (round < MOST_ROUNDS && ratio() >= LIMIT); round++) {
    fastest.short = Math.min(
      fastest.short,
      millisecondsOf(() => work(LENGTH)),
    );
    fastest.long = Math.min(
      fastest.long,
      millisecondsOf(() => work(LENGTH * FACTOR)),
    );
  }
  expect(ratio()).toBeLessThan(LIMIT);
}

/** Of the processor: what else a busy machine does is not counted. */
function millisecondsOf(work: () => void): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}
