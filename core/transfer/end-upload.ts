/**
 * Ends an unfinished upload at its host (tus termination).
 *
 * @module
 */

import { observed, type RequestHooks } from "../http/observe.ts";
import { isSuccess } from "../http/status.ts";
import type { UploadRecord } from "../journal/journal.ts";
import type { Requester } from "../requester.ts";
import { chooseTransport } from "./choose-transport.ts";
import { Interruption, isInterruption } from "./interruption.ts";
import type { RetryOptions } from "./retry.ts";
import { retryUntilDone } from "./retry-until-done.ts";
import { send } from "./send.ts";
import type { Timeouts } from "./timeouts.ts";
import { uploadHeadersFor } from "./upload-headers.ts";

/** How long to try. */
interface Limits {
  retry: Required<RetryOptions>;
  timeouts: Required<Timeouts>;
  signal: AbortSignal;
  hooks: RequestHooks;
  /** Called before each attempt; rejects once somebody else may have resumed the upload. */
  confirm(): Promise<void>;
}

/**
 * Ends an upload.
 *
 * @returns whether the host ended it; else it no longer has it, or ends no uploads, and nothing is left to do
 */
export async function endUpload(
  requester: Requester,
  record: UploadRecord,
  { retry, timeouts, signal, hooks, confirm }: Limits,
): Promise<boolean> {
  const transport = chooseTransport(undefined, requester);
  let ended = false;
  const url = record.uploadUrl;
  if (url === undefined) return false;
  const attempt = async () => {
    const own = await uploadHeadersFor(requester, record, url);
    const headers = { ...own.headers, "Tus-Resumable": "1.0.0" };
    const request = { method: "DELETE", url, headers, body: undefined, signal, onHandedOver() {} };
    await confirm();
    const { status: httpStatus } = await observed(
      hooks,
      { kind: "end", method: "DELETE", origin: new URL(url).origin, bytes: 0 },
      () => send(transport, request, timeouts),
    );
    if (isInterruption(httpStatus))
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
