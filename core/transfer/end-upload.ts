/**
 * Ends an unfinished upload at its host (tus termination).
 *
 * @module
 */

import { isSuccess } from "../http/status.ts";
import type { Requester } from "../requester.ts";
import { chooseTransport } from "./choose-transport.ts";
import { Interruption, isInterruption } from "./interruption.ts";
import type { RetryOptions } from "./retry.ts";
import { retryUntilDone } from "./retry-until-done.ts";
import { send } from "./send.ts";
import type { Timeouts } from "./timeouts.ts";

/** How long to try. */
interface Limits {
  retry: Required<RetryOptions>;
  timeouts: Required<Timeouts>;
  signal: AbortSignal;
}

/**
 * Ends an upload.
 *
 * @returns whether the host ended it; else it no longer has it, or ends no uploads, and nothing is left to do
 */
export async function endUpload(
  requester: Requester,
  url: string,
  { retry, timeouts, signal }: Limits,
): Promise<boolean> {
  const transport = chooseTransport(undefined, requester.fetch);
  let ended = false;
  const attempt = async () => {
    const headers = { ...(await requester.uploadHeaders?.()), "Tus-Resumable": "1.0.0" };
    const request = { method: "DELETE", url, headers, body: undefined, signal, onHandedOver() {} };
    const { status: httpStatus } = await send(transport, request, timeouts);
    if (isInterruption(httpStatus) && httpStatus !== 501)
      throw new Interruption("http-status", `the upload host answered ${httpStatus}`, { httpStatus });
    ended = isSuccess({ status: httpStatus });
  };
  await retryUntilDone(attempt, {
    purpose: "discard an upload",
    retry,
    signal,
    acknowledged: () => 0,
    onWait() {},
  });
  return ended;
}
