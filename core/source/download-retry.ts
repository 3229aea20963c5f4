/** How often a broken download is opened again. */

import { delay } from "../abort.ts";
import { UploadError } from "../errors.ts";

/** Attempts in a row without progress after which a broken download is given up. */
const MOST_FAILURES = 5;
/** Milliseconds: whoever asks for more time than this doesn't give the video now. */
const LONGEST_RETRY_AFTER = 5 * 60_000;
/** Bytes that count as progress: at a few in each attempt, a download would never end. */
const LEAST_PROGRESS = 64 * 1024;

/** Where a video is read from, as errors name it: its address, of which they show the origin, or another place. */
export type Place = Pick<URL, "origin">;

/** The error for a download that ends before the video does. */
export function brokenOff({ origin }: Place, at: number): UploadError {
  return new UploadError(
    "source-unreadable",
    `Cannot read the video: the download from ${origin} breaks off at byte ${at}`,
    { retryable: true },
  );
}

/** Counts how often in a row a download broke without progress, and waits before it is opened again. */
export class DownloadRetry {
  #failures = 0;
  #moved = 0;

  moved(bytes: number): void {
    this.#moved += bytes;
    if (this.#moved < LEAST_PROGRESS) return;
    this.#moved = 0;
    this.#failures = 0;
  }

  /**
   * @param at the byte it breaks off at
   * @throws what can't get better by trying again, and `source-unreadable` when it was tried often enough
   */
  async after(error: unknown, place: Place, at: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { retryable = true, retryAfter = 0 } = error instanceof UploadError ? error : {};
    if (!retryable || retryAfter > LONGEST_RETRY_AFTER) throw error;
    if (++this.#failures > MOST_FAILURES) throw brokenOff(place, at);
    await delay(Math.max(retryAfter, 200 * 2 ** this.#failures * Math.random()), signal);
  }
}
