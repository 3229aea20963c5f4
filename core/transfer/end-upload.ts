/**
 * Ends an unfinished upload at its host (tus termination).
 *
 * @module
 */

import { isSuccess } from "../http/status.ts";
import type { UploadRecord } from "../journal/journal.ts";
import type { GuardedRequester } from "../requester.ts";
import { isInterruption } from "./interruption.ts";
import { chooseTransport, sendRequest, type TransferSettings } from "./request.ts";
import { retryUntilDone } from "./retry.ts";
import { readCount } from "./tus-requests.ts";

/** Limits of the tries. */
interface Limits
  extends Pick<TransferSettings, "retry" | "timeouts" | "hooks" | "headers" | "onShouldRetry"> {
  signal: AbortSignal;
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
  { retry, timeouts, signal, hooks, headers, onShouldRetry, confirm }: Limits,
): Promise<boolean> {
  const url = record.uploadUrl;
  if (url === undefined) return false;
  const context = {
    requester,
    transport: chooseTransport(undefined, requester),
    settings: { timeouts, hooks, headers },
    signal,
    record: () => record,
    confirm,
    confirmAfterPause: async () => {},
  };
  let ended = false;
  const ask = async (method: "HEAD" | "DELETE") => {
    const answer = await sendRequest(context, { method, url, headers: { "Tus-Resumable": "1.0.0" } });
    if (isInterruption(answer.status)) throw answer.refusal;
    return answer;
  };
  const attempt = async () => {
    const found = await ask("HEAD");
    // Ending what is whole would take the finished video's bytes.
    const size = readCount(found.header("upload-length")) ?? record.source?.size;
    const isWhole = size !== undefined && readCount(found.header("upload-offset")) === size;
    if (isSuccess(found) && !isWhole) ended = isSuccess(await ask("DELETE"));
  };
  await retryUntilDone(attempt, {
    purpose: "discard an upload",
    retry,
    signal,
    onShouldRetry,
    acknowledged: () => 0,
    onWait() {},
  });
  return ended;
}
