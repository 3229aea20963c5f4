/** Plain lines about uploads, where nothing can be redrawn. */
import type { Progress, Waiting } from "../progress/progress.ts";
import { dateNow, steadyNow } from "../time/clock.ts";
import { plain, reasonOf } from "./format.ts";
import { printNote } from "./output.ts";
import { outcomeOf, paceOf } from "./tally.ts";
import type { Rows } from "./terminal.ts";

/** Milliseconds between two lines about all uploads. */
const LINE_INTERVAL = 60_000;

export function plainLines(): Rows {
  let told = steadyNow();
  const standstill = new Standstill();
  return {
    update({ label, number }, progress) {
      const words = standstill.note(number, progress, steadyNow());
      if (words !== undefined) printNote(`${plain(`${label} ${words}`)}\n`);
    },
    remove: ({ number }) => standstill.end(number),
    total(totals) {
      if (steadyNow() - told < LINE_INTERVAL) return;
      told = steadyNow();
      printNote(`${outcomeOf(totals, totals.sources ?? "?")}: ${paceOf(totals)}\n`);
    },
    above: (print) => print(),
    red: (text) => text,
    close() {},
  };
}

/** Milliseconds without a new byte until that is told. */
const PATIENCE = 5_000;

interface Standing {
  furthest: number;
  /** When the first attempt failed that brought nothing. */
  since: number | undefined;
  told: Waiting["reason"] | undefined;
}

/** Uploads that stand still, told once each time and not at every attempt: most interruptions are over within a second. */
export class Standstill {
  readonly #uploads = new Map<number, Standing>();

  /** @returns the words that are to be told of the upload, if any */
  note(number: number, { sent, waiting }: Progress, now: number): string | undefined {
    const upload = this.#uploads.get(number) ?? { furthest: 0, since: undefined, told: undefined };
    this.#uploads.set(number, upload);
    if (waiting === undefined) {
      if (sent <= upload.furthest) return undefined;
      const { told } = upload;
      Object.assign(upload, { furthest: sent, since: undefined, told: undefined });
      return told === undefined ? undefined : "resumes";
    }
    upload.since ??= now;
    const { reason, httpStatus, until = 0 } = waiting;
    // A host that answered may have asked for a longer wait, of which nothing more is heard until it is over.
    const isLong = httpStatus !== undefined && until - dateNow() >= PATIENCE;
    // Settling is a matter of seconds.
    if (reason === "settling" || upload.told !== undefined || (now - upload.since < PATIENCE && !isLong))
      return undefined;
    // Uploads that wait at the same time mostly wait for the same, which is told once.
    if ([...this.#uploads.values()].some(({ told }) => told === reason)) return undefined;
    upload.told = reason;
    return `waits: ${reasonOf(waiting)}`;
  }

  end(number: number): void {
    this.#uploads.delete(number);
  }
}
