/** Checks that work on a text grows with its length and not with its square, however fast the machine is. */
import { expect } from "vitest";

/** From 100,000 on Bun searches a text in another, slower way. */
const LENGTH = 1_500;
const FACTOR = 64;
/** As far from what is linear (64) as from the square (4096). */
const LIMIT = FACTOR * 8;
/** The fastest counts: whatever else a machine does makes a round slower, and never faster. */
const MOST_ROUNDS = 10;

/**
 * Fails if 64 times as much to do takes far more than 64 times as long; the square of it would take 4096 times as long.
 * (What a regular expression steps through can't be counted, so its time on the processor stands for it.)
 *
 * @param work does something with a text of about the given length
 */
export function expectLinear(work: (size: number) => void): void {
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // What takes next to no time can't be compared.
  const ratio = () => long / Math.max(short, 0.5);
  for (let round = 0; round < MOST_ROUNDS && !(ratio() < LIMIT); round++) {
    short = Math.min(
      short,
      millisecondsOf(() => work(LENGTH)),
    );
    long = Math.min(
      long,
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
