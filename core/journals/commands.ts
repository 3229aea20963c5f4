/** Commands to a store elsewhere: tried again while it can't be reached for a moment, and ended in time. */

import { UploadError } from "../errors/errors.ts";
import { delay, untilAborted } from "../time/abort.ts";
import { startTimer } from "../time/clock.ts";

/** Milliseconds for a command, tries after a lost connection included. */
const COMMAND_TIMEOUT = 5_000;
const RETRY_INTERVAL = 100;

/**
 * Carries out a command that may be carried out twice, since a connection that was lost doesn't tell whether it was.
 *
 * @param store as errors name it
 * @param timeout milliseconds in all
 * @throws {UploadError} `journal-failed`
 */
export async function tryUntilDone<T>(
  command: () => Promise<T>,
  store: string,
  timeout: number = COMMAND_TIMEOUT,
): Promise<T> {
  const since = startTimer();
  for (;;) {
    try {
      const limit = { milliseconds: timeout - since(), late: () => new Error("no answer") };
      return await untilAborted(command(), undefined, limit);
    } catch (error) {
      // Any other failure may pass, such as that of a connection.
      if (error instanceof UploadError) throw error;
      if (since() + RETRY_INTERVAL >= timeout)
        throw failed(`${store} gave no answer for ${timeout / 1000} s`);
      await delay(RETRY_INTERVAL, undefined);
    }
  }
}

export function failed(state: string): UploadError {
  return new UploadError("journal-failed", `Cannot use the journal: ${state}`, { retryable: true });
}
