/**
 * Tries for a host that has never answered in this process: a mistyped address must not be waited for like an outage.
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import { Interruption } from "./interruption.ts";
import { isWaitingForNetwork, pause, type RetryLoop } from "./retry-until-done.ts";

/** With the waits between them, three tries take about 5 s. */
const MOST_TRIES = 3;
/** Milliseconds of a try, after which no other follows. */
const LONGEST_TRY = 5_000;

/**
 * Runs an attempt, and again while nobody has ever answered; what happens after an answer is the caller's.
 *
 * @throws {UpcutError} when there was no answer in all tries
 */
export async function throughFirstContact(attempt: () => Promise<void>, how: RetryLoop): Promise<void> {
  const { retry, signal } = how;
  for (let tries = 1; ; tries++) {
    // It stops while the machine sleeps, which is no time of the try.
    const began = performance.now();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Interruption) || error.neverAnswered === undefined) throw error;
      // Waiting for the network is no try.
      if (isWaitingForNetwork()) throw error;
      const lasted = performance.now() - began;
      if (tries >= Math.min(MOST_TRIES, retry.attempts + 1) || lasted > LONGEST_TRY)
        throw givenUp(error, error.neverAnswered, tries);
      const wait = retry.outageDelay * (0.5 + Math.random() / 2);
      how.onWait(error, tries, Date.now() + wait);
      signal.throwIfAborted();
      await pause(wait, signal);
    }
  }
}

function givenUp({ error, message }: Interruption, host: string, tries: number): Error {
  if (error !== undefined) return error;
  const counted = `${tries} ${tries === 1 ? "attempt" : "attempts"}`;
  const hint = `The service named ${host}: check the network, or ask whoever runs the service`;
  return new UploadError("interrupted", `Cannot upload: ${message}; stopped after ${counted}. ${hint}`, {
    retryable: true,
  });
}
