/** Sets the clocks of core, in this process alone. */
import { takeClock } from "../../../core/time/clock.ts";

/** @param ahead milliseconds before the machine's own clocks, which may change meanwhile. @default none: the machine's own */
export function setClocks(ahead: { steady?: number; date?: number } = {}): void {
  takeClock({
    steady: () => performance.now() + (ahead.steady ?? 0),
    date: () => Date.now() + (ahead.date ?? 0),
  });
}
