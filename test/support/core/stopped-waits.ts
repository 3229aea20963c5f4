/** What becomes of core's waits in a process that stands still while they last. */
import { setTimeout as delay } from "node:timers/promises";
import { runScript } from "../programs/script.ts";
import type { Outcome } from "./waiting-places.ts";

/** @returns each wait, with the milliseconds from the moment in which the process went on to its end */
export async function waitsThroughStop(
  milliseconds: number,
  which: "usual" | "all",
): Promise<(Outcome & { after: number })[]> {
  const script = runScript("test/support/programs/waiting-process.ts", [which], {});
  const signal = (name: "SIGSTOP" | "SIGCONT") => process.kill(script.process.pid ?? 0, name);
  try {
    await script.prints("waiting");
    signal("SIGSTOP");
    // A process that stands still can be given no other clock.
    await delay(milliseconds);
    const resumed = performance.timeOrigin + performance.now();
    signal("SIGCONT");
    const { output } = await script.ended();
    const outcomes: Outcome[] = JSON.parse(output.slice(output.indexOf("[{")));
    return outcomes.map((outcome) => ({ ...outcome, after: outcome.endedAt - resumed }));
  } finally {
    script.process.kill("SIGKILL");
  }
}
