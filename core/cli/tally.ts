/** Counts of the videos of a command by their outcomes, and their progress together in words. */
import { type End, TotalProgress, type Totals } from "../many/total-progress.ts";
import { bytes, time } from "./format.ts";

/** Failures that are named at the end: as many as a screen shows at once. */
const MOST_NAMED = 20;

export class Tally extends TotalProgress {
  readonly failures: string[] = [];
  /** Files and folders that were found, and are left out with a word about it. */
  leftOut = 0;
  /** Files that were to be deleted, and were not. */
  kept = 0;
  /** Uploads that have an asset, and no outcome. */
  underWay = 0;

  /** @param videos all of them, where they were counted ahead; their numbers begin at 1 */
  constructor(report: (totals: Totals) => void, videos?: readonly { size?: number | undefined }[]) {
    const sizes = new Map<number, number>();
    for (const [at, { size }] of (videos ?? []).entries()) if (size !== undefined) sizes.set(at + 1, size);
    super(videos?.length, report, sizes);
  }

  /** Counts a video that has failed, for a reason that a line tells. */
  fail(number: number, line: string): void {
    this.end(number, "failed");
    if (this.failed <= MOST_NAMED) this.failures.push(line);
  }
}

/** The progress of all of them: "1.0 GB of 2.0 GB, 5.0 MB/s, 3 min 20 s left". */
export function paceOf({ sent, total, speed, timeLeft }: Totals): string {
  const amount = total === undefined ? bytes(sent) : `${bytes(sent)} of ${bytes(total)}`;
  const pace = speed === undefined ? "" : `, ${bytes(speed)}/s`;
  return `${amount}${pace}${timeLeft === undefined ? "" : `, ${time(timeLeft)} left`}`;
}

/** The outcome for a person: "2 uploaded", or "2 of 8 uploaded" where it isn't over. */
export function outcomeOf(
  { uploaded, alreadyThere, failed }: Record<End, number>,
  of: number | "?" | undefined = undefined,
): string {
  const there = `${alreadyThere} ${alreadyThere === 1 ? "was" : "were"} there already`;
  const first = of === undefined ? `${uploaded} uploaded` : `${uploaded} of ${of} uploaded`;
  const parts = [first, alreadyThere > 0 && there, failed > 0 && `${failed} failed`];
  return parts.filter((part) => part !== false).join(", ");
}
