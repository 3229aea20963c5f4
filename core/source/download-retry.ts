/**
 * How often a broken download is opened again.
 *
 * @module
 */

import { UploadError } from "../errors.ts";

/** Attempts in a row without progress after which a broken download is given up. */
const MOST_FAILURES = 5;

/** The error for a download that ends before the video does. */
export function brokenOff(url: URL, at: number): UploadError {
  return new UploadError(
    "source-unreadable",
    `Cannot read the video: the download from ${url.origin} breaks off at byte ${at}`,
    { retryable: true },
  );
}

/** Counts how often in a row a download broke without progress, and waits before it is opened again. */
export class DownloadRetry {
  #failures = 0;

  moved(): void {
    this.#failures = 0;
  }

  /**
   * @param at the byte it breaks off at
   * @throws what can't get better by trying again, and `source-unreadable` when it was tried often enough
   */
  async after(error: unknown, url: URL, at: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (error instanceof UploadError && !error.retryable) throw error;
    if (++this.#failures > MOST_FAILURES) throw brokenOff(url, at);
    await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** this.#failures * Math.random()));
  }
}
