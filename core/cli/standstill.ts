/**
 * Uploads that stand still, told once each time and not at every attempt: most interruptions are over within a second.
 */
import type { Progress, Waiting } from "../progress/progress.ts";
import { reasonOf } from "./format.ts";

/** Milliseconds without a new byte until that is told. */
const PATIENCE = 5_000;

interface Standing {
  /** Furthest byte that was handed over. */
  furthest: number;
  /** When the first attempt failed that brought nothing. */
  since: number | undefined;
  /** Why, once it was told. */
  told: Waiting["reason"] | undefined;
}

/** Watches the uploads of a command. */
export class Standstill {
  readonly #uploads = new Map<number, Standing>();

  /**
   * An upload has reported.
   *
   * @param now milliseconds of any clock
   * @returns what is to be told of it, if anything
   */
  note(number: number, { sent, waiting }: Progress, now: number): string | undefined {
    const upload = this.#uploads.get(number) ?? { furthest: 0, since: undefined, told: undefined };
    this.#uploads.set(number, upload);
    if (waiting === undefined) return sent > upload.furthest ? this.#goOn(upload, sent) : undefined;
    upload.since ??= now;
    const { reason, httpStatus, until = 0 } = waiting;
    // A host that answered may have asked for a longer wait, of which nothing more is heard until it is over.
    const isLong = httpStatus !== undefined && until - Date.now() >= PATIENCE;
    // Settling is a matter of seconds.
    if (reason === "settling" || upload.told !== undefined || (now - upload.since < PATIENCE && !isLong))
      return undefined;
    // Others mostly wait for the same.
    if ([...this.#uploads.values()].some(({ told }) => told === reason)) return undefined;
    upload.told = reason;
    return `waits: ${reasonOf(waiting)}`;
  }

  /** An upload has ended. */
  end(number: number): void {
    this.#uploads.delete(number);
  }

  #goOn(upload: Standing, sent: number): string | undefined {
    const { told } = upload;
    Object.assign(upload, { furthest: sent, since: undefined, told: undefined });
    return told === undefined ? undefined : "resumes";
  }
}
