/**
 * How long to wait for the upload host, and for the server of a video.
 *
 * @module
 */

import type { Complete } from "../options.ts";

/** How long to wait for progress or an answer. */
export interface Timeouts {
  /**
   * Milliseconds without a byte handed over until a transfer counts as stalled. The same for a video that is read from
   * an address: without an answer of its server, or a byte of that.
   * @default 30000
   */
  stall?: number | undefined;
  /**
   * Least milliseconds for an answer after the last byte. Sockets hold some MiB back, so it grows to the time of
   * 8 MiB at the measured rate.
   * @default 60000
   */
  answer?: number | undefined;
  /**
   * Least milliseconds that the host's offset must stand still after a request broke, before more is sent. The store
   * behind it goes on storing what it received, and what is sent meanwhile may be stored shifted or twice. It grows
   * to three times the slowest answer seen, 30 s at most; nothing is waited for where no whole part can be on its way.
   * @default 1000
   */
  settle?: number | undefined;
}

/** `Timeouts` with the defaults filled in. */
export const DEFAULT_TIMEOUTS: Complete<Timeouts> = { stall: 30_000, answer: 60_000, settle: 1_000 };
