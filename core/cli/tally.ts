/** Counts of the videos of a command by their outcomes, and of the bytes that are left. */
import type { UploadAllProgress } from "../many/total-progress.ts";
import type { Progress } from "../progress/progress.ts";
import { bytes, time } from "./format.ts";

export type End = "uploaded" | "alreadyThere" | "failed";

/** The state of all videos together: those that were there already have not failed, and their bytes don't count. */
export interface Totals extends UploadAllProgress {
  alreadyThere: number;
}

interface Counted {
  number: number;
  size: number | undefined;
}

/** Failures that are named at the end: as many as a screen shows at once. */
const MOST_NAMED = 20;

export class Tally implements Record<End, number> {
  uploaded = 0;
  alreadyThere = 0;
  failed = 0;
  readonly failures: string[] = [];
  /** How many there are, once that is known. */
  videos: number | undefined;
  /** Bytes of those whose size is known, without those that are not uploaded. */
  #total = 0;
  #unsized = 0;
  #done = 0;
  readonly #running = new Map<number, { sent: number; size: number | undefined }>();

  /** @param videos all of them, where they were counted ahead */
  constructor(videos?: readonly { size?: number | undefined }[]) {
    this.videos = videos?.length;
    for (const { size } of videos ?? []) {
      if (size === undefined) this.#unsized++;
      else this.#total += size;
    }
  }

  get total(): number | undefined {
    return this.videos === undefined || this.#unsized > 0 ? undefined : this.#total;
  }

  get ended(): number {
    return this.uploaded + this.alreadyThere + this.failed;
  }

  update({ number, size: named }: Counted, { sent, total }: Progress): void {
    const size = named ?? this.#running.get(number)?.size;
    if (size === undefined && total !== undefined) {
      this.#unsized--;
      this.#total += total;
    }
    this.#running.set(number, { sent, size: size ?? total });
  }

  pause({ number }: Counted): void {
    const running = this.#running.get(number);
    if (running !== undefined) running.sent = 0;
  }

  end({ number, size: named }: Counted, end: End): void {
    const running = this.#running.get(number);
    const size = named ?? running?.size;
    this[end]++;
    this.#running.delete(number);
    if (end === "uploaded") this.#done += size ?? running?.sent ?? 0;
    else if (size === undefined) this.#unsized--;
    else this.#total -= size;
  }

  /** It has failed, for a reason that a line tells. */
  fail(upload: Counted, line: string): void {
    this.end(upload, "failed");
    if (this.failed <= MOST_NAMED) this.failures.push(line);
  }

  with(progress: UploadAllProgress): Totals {
    const { uploaded, alreadyThere, failed, videos: sources, total } = this;
    const sent = [...this.#running.values()].reduce((sum, upload) => sum + upload.sent, this.#done);
    const isOver = this.ended === sources;
    const left = total === undefined ? undefined : Math.max(0, total - sent);
    const pace = progress.speed || undefined;
    const part = total === undefined ? undefined : total === 0 ? 0 : Math.min(0.99, sent / total);
    return {
      ...progress,
      sources,
      uploaded,
      alreadyThere,
      failed,
      sent,
      total,
      fraction: isOver ? 1 : part,
      timeLeft: isOver ? 0 : left && pace && (left / pace) * 1000,
    };
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
