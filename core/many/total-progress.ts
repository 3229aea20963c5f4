/** The progress of many uploads together. */
import type { Progress } from "../progress/progress.ts";
import { steadyNow } from "../time/clock.ts";
import type { UploadAllProgress } from "./options.ts";

/** Milliseconds between two reports that only bytes moved. */
const REPORT_INTERVAL = 50;

export type End = "uploaded" | "alreadyThere" | "failed";

/** A report with those uploads apart that were there already: they have not failed, and their bytes don't count. */
export interface Totals extends UploadAllProgress {
  alreadyThere: number;
}

export class TotalProgress implements Record<End, number> {
  uploaded = 0;
  alreadyThere = 0;
  failed = 0;
  sources: number | undefined;
  speed: number | undefined;
  readonly #report: (totals: Totals) => void;
  /** Sizes of sources that are known before these are taken. */
  readonly #sizes: ReadonlyMap<number, number>;
  readonly #running = new Map<number, { sent: number; total: number | undefined }>();
  #started = 0;
  /** Bytes of uploads that have ended. */
  #settled = 0;
  #sized: { sources: number; bytes: number };
  /** Sources of known size that were not taken so far. */
  #waiting: { sources: number; bytes: number };
  #reported = 0;

  constructor(
    sources: number | undefined,
    report: (totals: Totals) => void,
    sizes: ReadonlyMap<number, number> = new Map(),
  ) {
    this.sources = sources;
    this.#report = report;
    this.#sizes = sizes;
    this.#sized = { sources: sizes.size, bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0) };
    this.#waiting = { ...this.#sized };
  }

  get ended(): number {
    return this.uploaded + this.alreadyThere + this.failed;
  }

  start(index: number, isAgain: boolean): void {
    const total = this.#sizes.get(index);
    if (!isAgain) {
      this.#started++;
      this.#waiting.sources -= Number(total !== undefined);
      this.#waiting.bytes -= total ?? 0;
    }
    this.#running.set(index, { sent: 0, total });
    this.emit();
  }

  postpone(index: number): void {
    this.#running.delete(index);
    this.emit();
  }

  update(index: number, { state, sent, total }: Progress): void {
    const upload = this.#running.get(index);
    if (upload === undefined) return;
    if (upload.total === undefined && total !== undefined) {
      this.#sized.sources++;
      this.#sized.bytes += total;
    }
    Object.assign(upload, { sent, total: total ?? upload.total });
    // After another state nothing may come for a while.
    if (state !== "sending" || steadyNow() - this.#reported >= REPORT_INTERVAL) this.emit();
  }

  end(index: number, how: End): void {
    if (how !== "alreadyThere") this.#settled += this.#running.get(index)?.sent ?? 0;
    this.#running.delete(index);
    this[how]++;
    this.emit();
  }

  emit(): void {
    this.#reported = steadyNow();
    const { sources, uploaded, alreadyThere, failed, speed } = this;
    const running = [...this.#running.values()];
    const sent = running.reduce((sum, upload) => sum + upload.sent, this.#settled);
    const left = this.#left(running);
    const total = left === undefined ? undefined : sent + left;
    const isOver = this.ended === sources;
    const fraction = total === undefined ? undefined : total === 0 ? 0 : Math.min(0.99, sent / total);
    const pace = speed || undefined;
    this.#report({
      sources,
      started: this.#started,
      running: running.length,
      uploaded,
      alreadyThere,
      failed,
      sent,
      total,
      fraction: isOver ? 1 : fraction,
      speed,
      timeLeft: isOver ? 0 : left && pace && (left / pace) * 1000,
    });
  }

  /** Bytes that are left, those of unknown size by the average. */
  #left(running: { sent: number; total: number | undefined }[]): number | undefined {
    const { sources, bytes } = this.#sized;
    if (this.sources === undefined || (sources === 0 && this.#started < this.sources)) return undefined;
    const average = sources === 0 ? 0 : bytes / sources;
    const begun = running.map(({ sent, total = average }) => Math.max(0, total - sent));
    const unknown = this.sources - this.#started - this.#waiting.sources;
    return begun.reduce((sum, each) => sum + each, this.#waiting.bytes + unknown * average);
  }
}
