/**
 * Ends an unfinished upload at its host (tus termination).
 *
 * @module
 */

import { observed, type RequestHooks } from "../http/observe.ts";
import { isSuccess } from "../http/status.ts";
import type { UploadRecord } from "../journal/journal.ts";
import type { Complete } from "../options.ts";
import { originOf, redact } from "../redaction/redaction.ts";
import type { GuardedRequester } from "../requester.ts";
import { chooseTransport } from "./choose-transport.ts";
import { Interruption, isInterruption } from "./interruption.ts";
import { type RetryOptions, retryUntilDone } from "./retry.ts";
import { send } from "./send.ts";
import type { Timeouts } from "./timeouts.ts";
import { readCount } from "./tus-requests.ts";
import { uploadHeadersFor } from "./upload-headers.ts";

/** How long to try. */
interface Limits {
  retry: Complete<RetryOptions>;
  timeouts: Complete<Timeouts>;
  signal: AbortSignal;
  hooks: RequestHooks;
  /** Called before each attempt; rejects once somebody else may have resumed the upload. */
  confirm(): Promise<void>;
}

/**
 * Ends an upload.
 *
 * @returns whether the host ended it; else it is whole or gone, or its host ends no uploads, and nothing is left to do
 */
export async function endUpload(
  requester: GuardedRequester,
  record: UploadRecord,
  { retry, timeouts, signal, hooks, confirm }: Limits,
): Promise<boolean> {
  const transport = chooseTransport(undefined, requester);
  let ended = false;
  const url = record.uploadUrl;
  if (url === undefined) return false;
  const ask = async (method: "HEAD" | "DELETE", kind: "offset" | "end") => {
    const own = await uploadHeadersFor(requester, record, url);
    const headers = { ...own.headers, "Tus-Resumable": "1.0.0" };
    const request = { method, url, headers, body: undefined, signal, onHandedOver() {} };
    const origin = redact(originOf(url), [...requester.tokens(), ...own.secrets]);
    await confirm();
    const answer = await observed(hooks, { kind, method, origin, bytes: 0 }, () =>
      send(transport, request, timeouts),
    );
    const { status: httpStatus } = answer;
    if (isInterruption(httpStatus))
      throw new Interruption("http-status", `the upload host answered ${httpStatus}`, { httpStatus });
    return answer;
  };
  const attempt = async () => {
    const found = await ask("HEAD", "offset");
    // Ending what is whole would take the finished video's bytes.
    const size = readCount(found.header("upload-length")) ?? record.source?.size;
    const isWhole = size !== undefined && readCount(found.header("upload-offset")) === size;
    if (isSuccess(found) && !isWhole) ended = isSuccess(await ask("DELETE", "end"));
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
