/**
 * Gives up what was begun: ends unfinished uploads at the service and forgets them.
 *
 * @module
 */

import type { Asset } from "./asset.ts";
import { contextsOf, type Journal, openPlace } from "./journal.ts";
import { OptionCheck } from "./options.ts";
import { type Fetch, runtimeFetch } from "./request.ts";
import { DEFAULT_RETRY, Interruption, isInterruption, type RetryOptions } from "./retry.ts";
import { checkSourceOptions, openSource, type SourceOptions, type Uploadable } from "./source/open.ts";
import { persist } from "./transfer/persist.ts";
import { chooseTransport, DEFAULT_TIMEOUTS, send, type TransferTimeouts } from "./transfer/transport.ts";
import { inProgress } from "./upload.ts";

/** Where an unfinished upload is remembered, and how its service is reached. */
export interface DiscardOptions extends SourceOptions {
  /** Remembers the unfinished uploads. */
  journal: Journal;
  /** Used for every request. @default the runtime's own */
  fetch?: Fetch;
  /** Further headers for the upload host. @default none */
  headers?: Record<string, string>;
  /** Stops; what was not ended stays remembered. `discard()` then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** How interruptions are met. */
  retry?: RetryOptions;
  /** How long to wait for the upload host. */
  timeouts?: TransferTimeouts;
}

/** What `discard()` did. */
export interface DiscardResult {
  /** The assets whose unfinished uploads were forgotten; the interface can't remove the assets themselves. */
  assets: Asset[];
  /** How many of the uploads were ended at the service. */
  ended: number;
}

const check = new OptionCheck("discard an upload");
const OPTION_NAMES =
  "journal fetch headers signal retry timeouts filename type size sourceHeaders sourceCredentials anyType".split(
    " ",
  );

/**
 * Ends the unfinished uploads of a source at the service (tus termination) and forgets them.
 *
 * The assets stay in the account: the interface has no call to remove one.
 *
 * @param given the same source, or another with the same content
 * @throws {UploadError} `in-progress` while one of them is running; `interrupted` when the service can't be
 * reached: what was not ended stays remembered.
 * @example
 * ```ts
 * import { discard, memoryJournal } from "@upcut/core";
 *
 * const video = new File(["…"], "launch.mp4", { type: "video/mp4" });
 * const { ended } = await discard(video, { journal: memoryJournal() });
 * console.log(ended); // 0: there was none
 * ```
 */
export async function discard(given: Uploadable, options: DiscardOptions): Promise<DiscardResult> {
  check.record(options, OPTION_NAMES);
  const { journal, signal = new AbortController().signal, headers = {} } = options;
  if (journal === undefined) check.refuse("journal", journal, "a journal");
  check.journal(journal);
  check.signal(signal);
  check.headers("headers", headers);
  checkSourceOptions(options, check);
  const retry = check.numbers("retry", options.retry, DEFAULT_RETRY);
  const timeouts = check.numbers("timeouts", options.timeouts, DEFAULT_TIMEOUTS);
  const source = await openSource(given, options, options.fetch ?? runtimeFetch, signal);
  const transport = chooseTransport(source, options.fetch);
  const result: DiscardResult = { assets: [], ended: 0 };

  const endUpload = async (url: string): Promise<void> => {
    const request = {
      method: "DELETE",
      url,
      headers: { ...headers, "Tus-Resumable": "1.0.0" },
      body: undefined,
    };
    const { status } = await send(transport, { ...request, signal, onHandedOver() {} }, timeouts);
    if (isInterruption(status) && status !== 501)
      throw new Interruption("status", `the upload host answered ${status}`, { status });
    // Any other refusal means that the service no longer has it, or ends no uploads: nothing is left to do.
    if (status >= 200 && status < 300) result.ended++;
  };

  try {
    const key = await source.identity();
    if (key === undefined) return result;
    for (const context of await contextsOf(journal, key)) {
      const place = await openPlace(journal, key, context);
      if (place === undefined) throw inProgress();
      try {
        const { record } = place;
        const uploadUrl = record?.uploadUrl;
        if (uploadUrl !== undefined) {
          await persist(() => endUpload(uploadUrl), { retry, signal, acknowledged: () => 0, onWait() {} });
        }
        await place.forget();
        if (record !== undefined) result.assets.push(record.asset);
      } finally {
        await place.release();
      }
    }
    return result;
  } finally {
    await source.close();
  }
}
