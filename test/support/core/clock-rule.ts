/** The rule that waits are held against, and the steps of a clock that a person or a time server sets. */
import type { Outcome } from "./waiting-places.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const SPANS = { "10 minutes": 10 * MINUTE, "an hour": 60 * MINUTE, "a day": DAY, "30 days": 30 * DAY };

export const STEPS: [string, number][] = Object.entries({ ...SPANS, "a year": 365 * DAY }).flatMap(
  ([name, span]): [string, number][] => [
    [`${name} forward`, span],
    [`${name} back`, -span],
  ],
);

/** Milliseconds that a busy machine adds. */
const SLACK = 1_000;
/** Timers may fire a moment before their time. */
const EARLY = 5;
/** A body sets its stall timer for each piece; a loop without a wait would set thousands. */
const MOST_TIMERS = 200;

export function isWrong({ least, most, lasted, timers }: Outcome): boolean {
  return lasted < least - EARLY || lasted > most + SLACK || timers > MOST_TIMERS;
}
