/** The reports of a running upload: its position, the bytes it has sent twice, and why it waits. */
import type { Asset } from "../service/asset.ts";
import { steadyNow } from "../time/clock.ts";
import { SpeedMeter } from "./speed.ts";

/**
 * The reasons for which an upload waits. A reason that is added here needs words in `cli/format.ts` and a message in each
 * language of the extension.
 *
 * @internal
 */
export const WAITING_REASONS = [
  /** The connection broke, or none came about. */
  "connection",
  /** No byte got through for a while. */
  "stalled",
  /** No answer came after the last byte. */
  "unanswered",
  /** A host asked to wait: 429. */
  "rate-limited",
  /** A host failed, or couldn't take the request now. */
  "http-status",
  /** The upload host doesn't find the upload, which may be there all the same. */
  "not-found",
  /** The upload host counts other bytes than were sent. */
  "offset",
  /** The machine knows of no network. */
  "offline",
  /** The service may still be storing what it has received. */
  "settling",
] as const;

/** @internal */
type WaitingReason = (typeof WAITING_REASONS)[number];

/** Why an upload waits, and until when. */
export type Waiting = NonNullable<Progress["waiting"]>;

/** A report of a running upload. */
export interface Progress {
  /**
   * The stage of the upload.
   *
   * - `requesting`: asks for an upload location
   * - `sending`: hands over bytes
   * - `finishing`: has handed over the last byte and waits for the service's answer
   * - `waiting`: was interrupted and goes on by itself, see `waiting`
   * - `done`: the service has all of it
   */
  state: "requesting" | "sending" | "finishing" | "waiting" | "done";
  /** The asset, from the moment it exists. */
  asset: Asset | undefined;
  /** Position in the source up to which bytes were handed over to the network, some MiB ahead of the service. */
  sent: number;
  /** Bytes the service has acknowledged, moved only by its answers; may go back. */
  acknowledged: number;
  /** Bytes of the source, or `undefined` for a stream of unknown length. */
  total: number | undefined;
  /** From 0 to 1 for a progress bar, at most 0.99 until the service has answered; `undefined` without a total. */
  fraction: number | undefined;
  /**
   * Bytes handed over per second, those sent again included: a moving average over some seconds. `undefined` until it is
   * known, about a second after the first byte.
   */
  speed: number | undefined;
  /**
   * Milliseconds that what is left takes at this speed, without the service's answer; 0 once it is done. `undefined` until
   * it is known, without a total, and while nothing is sent.
   */
  timeLeft: number | undefined;
  /**
   * True if another call could resume the upload now: the journal holds it. `false` for a stream, before the asset
   * exists, and while the journal can't be written.
   */
  resumable: boolean;
  /** Why and how long it waits; `undefined` unless `state` is `waiting`. */
  waiting:
    | {
        /** The cause, whichever host answered: `settling` while the service may still store what it has received. */
        reason: WaitingReason;
        /** HTTP status of the answer that interrupted it, if there was one. */
        httpStatus?: number | undefined;
        /** Milliseconds since 1970; `undefined` while the machine is offline. */
        until: number | undefined;
        /** Attempts in a row without progress. */
        attempt: number;
      }
    | undefined;
}

/** Milliseconds between two reports of the same state. */
const REPORT_INTERVAL = 50;

export class ProgressMeter {
  /** Bytes handed over, those sent again included. */
  sent = 0;
  /** Bytes handed over that had been handed over before in this run. */
  resent = 0;
  acknowledged = 0;
  /** True if the service has said by now how much it has. */
  isAcknowledged = false;
  /** True if another call could resume the upload now. */
  resumable: () => boolean = () => false;
  asset: Asset | undefined;
  readonly #total: number | undefined;
  readonly #report: (progress: Progress) => void;
  readonly #onHandedOver: (bytes: number) => void;
  readonly #speed: SpeedMeter = new SpeedMeter();
  #state: Progress["state"] = "requesting";
  #waiting: Waiting | undefined;
  #position = 0;
  #furthest = 0;
  #reported = 0;

  /** @param onHandedOver called with the bytes of each piece that was handed over */
  constructor(
    total: number | undefined,
    report: (progress: Progress) => void,
    onHandedOver: (bytes: number) => void = () => {},
  ) {
    this.#total = total;
    this.#report = report;
    this.#onHandedOver = onHandedOver;
  }

  enter(state: Progress["state"], waiting?: Waiting): void {
    this.#state = state;
    this.#waiting = waiting;
    if (state === "waiting") this.#speed.pause();
    this.#emit();
  }

  acknowledge(offset: number): void {
    this.acknowledged = offset;
    this.isAcknowledged = true;
    this.#position = offset;
    this.#furthest = Math.max(this.#furthest, offset);
    this.#emit();
  }

  body(start: number): (bytes: number) => void {
    const before = this.#furthest;
    let handed = 0;
    this.#position = start;
    return (bytes) => {
      if (bytes <= handed) return;
      const [from, to] = [start + handed, start + bytes];
      handed = bytes;
      this.sent += to - from;
      this.#speed.add(to - from);
      this.#onHandedOver(to - from);
      this.resent += Math.max(0, Math.min(to, before) - from);
      this.#position = to;
      this.#furthest = Math.max(this.#furthest, to);
      const state = to === this.#total ? "finishing" : "sending";
      if (state !== this.#state) this.enter(state);
      else if (steadyNow() - this.#reported >= REPORT_INTERVAL) this.#emit();
    };
  }

  #emit(): void {
    this.#reported = steadyNow();
    const total = this.#total;
    const done = this.#state === "done";
    const left = this.#state === "sending" && total !== undefined ? total - this.#position : undefined;
    this.#report({
      state: this.#state,
      asset: this.asset,
      sent: this.#position,
      acknowledged: this.acknowledged,
      total,
      fraction: done ? 1 : total === undefined ? undefined : Math.min(0.99, this.#position / total),
      speed: this.#speed.speed,
      timeLeft: done ? 0 : left && this.#speed.timeFor(left),
      resumable: this.resumable(),
      waiting: this.#waiting,
    });
  }
}
