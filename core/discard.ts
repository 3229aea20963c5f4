/** Makes a journal forget: unfinished uploads, which are ended at the service, or finished ones. */
import * as v from "valibot";
import { asUpcutError } from "./errors/errors.ts";
import { processHosts } from "./hosts/host.ts";
import { runtimeFetch } from "./http/fetch.ts";
import { type RequestHooks, requestHooks } from "./http/observe.ts";
import { ownHeaders } from "./http/own-headers.ts";
import { isSuccess } from "./http/status.ts";
import { forgetDone } from "./journal/done.ts";
import type { Journal, UploadRecord } from "./journal/journal.ts";
import { keyOfGiven } from "./journal/key.ts";
import { journalOf } from "./journal/memory.ts";
import { contextsOf, openSlot } from "./journal/slot.ts";
import { journal } from "./journal/terms.ts";
import { abortSignal, oneOf, readOptions } from "./options/checks.ts";
import { ProgressMeter } from "./progress/progress.ts";
import type { Asset } from "./service/asset.ts";
import {
  accountOf,
  canReadAssets,
  checkRequester,
  type GuardedRequester,
  guardedRequester,
  type Requester,
  scopeOf,
} from "./service/requester.ts";
import type { Uploadable } from "./source/open.ts";
import { briefly, endingSoon, type Held, joinSignals } from "./time/abort.ts";
import { chooseTransport, retryUntilDone } from "./transfer/attempts.ts";
import { isInterruption } from "./transfer/interruption.ts";
import { openShowOrigin, sendRequest, type TransferSettings } from "./transfer/request.ts";
import { readCount, TUS } from "./transfer/settling.ts";
import { limits, type UploadOptions } from "./upload/options.ts";

const discardOptions = v.strictObject({
  journal: v.optional(journal),
  signal: v.optional(abortSignal),
  which: v.optional(oneOf(["unfinished", "finished"]), "unfinished"),
  ...limits,
  headers: ownHeaders,
  ...requestHooks,
});

/**
 * Ends an account's unfinished uploads of a source at the service (tus termination) and forgets them; or forgets that it was
 * uploaded, so that `upload()` with `once` makes a new asset of it.
 *
 * The assets stay in the account: the interface has no call to remove one. What can't be read in the journal is
 * forgotten without being ended, and so is an asset that the service works on already, where the requester reads assets.
 *
 * @param requester whose uploads they are, for example a client
 * @param given the same source, another with the same content, or `{ journalKey }` with what `journalKey()` returned
 * @param options as for `upload()`: the journal that remembers them, and how their service is reached; and which uploads:
 * `unfinished`, or `finished`, of which the service is told nothing
 * @returns the assets whose uploads were forgotten, and how many of those were ended at the service
 * @throws {InputError} before anything is done.
 * @throws {UploadError} `journal-failed`; `in-progress` while one of them is running; `interrupted` when the service can't be
 * reached: what was not ended stays remembered.
 * @example Give up an upload
 * ```ts
 * import { createClient, discard } from "@upcut/core";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * const video = new File(["…"], "launch.mp4", { type: "video/mp4" });
 * const { ended } = await discard(client, video);
 * console.log(ended); // 0: there was none
 * const { assets } = await discard(client, video, { which: "finished" });
 * console.log(assets.length); // 0: it was not uploaded
 * ```
 */
export async function discard(
  requester: Requester,
  given: Uploadable | { journalKey: string },
  options: Pick<
    UploadOptions,
    "journal" | "signal" | "retry" | "timeout" | "headers" | keyof RequestHooks
  > & { which?: "unfinished" | "finished" | undefined } = {},
): Promise<{ assets: Asset[]; ended: number }> {
  checkRequester("discard an upload", requester);
  const checked = readOptions("discard an upload", discardOptions, options);
  const { journal: memory = journalOf(requester), signal = new AbortController().signal } = checked;
  signal.throwIfAborted();
  const settings = { ...checked, hooks: options };
  const guarded = guardedRequester("discard an upload", requester);
  const held: Held = { giveBack: async () => {} };
  const run = async () => {
    const result: Awaited<ReturnType<typeof discard>> = { assets: [], ended: 0 };
    const fetch = guarded.fetch ?? runtimeFetch;
    const key = await keyOfGiven(given, { fetch, signal, stall: settings.timeout.stall, hooks: options });
    if (key === undefined) return result;
    if (checked.which === "finished")
      return { ...result, assets: await forgetFinished(guarded, memory, key) };
    const account = await accountOf(await scopeOf(guarded));
    for (const context of await contextsOf(memory, key, account)) {
      const ending = joinSignals(signal);
      const taking = { replaces: true, onLost: ending.abort, held, signal };
      const slot = await openSlot(memory, { key, account, context }, taking);
      try {
        ending.signal.throwIfAborted();
        const { record, confirm } = slot;
        if (record !== undefined && !(await isTaken(requester, record.asset.id, ending.signal)))
          if (await endUpload(guarded, record, confirm, settings, ending.signal)) result.ended++;
        await slot.forget();
        if (record !== undefined) result.assets.push(record.asset);
      } finally {
        ending.leave();
        await briefly(slot.release());
      }
    }
    return result;
  };
  try {
    return await endingSoon(signal, run, held);
  } catch (error) {
    signal.throwIfAborted();
    throw guarded.isOwnFailure(error) ? error : asUpcutError("discard an upload", error);
  }
}

/** Phases in which the service has all bytes: ending such an upload could take them. */
const TAKEN: ReadonlySet<string> = new Set(["processing", "ready", "failed"]);

async function isTaken(requester: Requester, id: string, signal: AbortSignal): Promise<boolean> {
  if (!canReadAssets(requester)) return false;
  try {
    const { asset } = await requester.getAsset(id, { signal });
    return TAKEN.has(`${asset.status?.phase}`);
  } catch {
    // The upload host alone tells then.
    signal.throwIfAborted();
    return false;
  }
}

/** @returns whether the host ended it; else it is whole or gone, or its host ends no uploads, and nothing is left to do */
async function endUpload(
  requester: GuardedRequester,
  record: UploadRecord,
  confirm: () => Promise<void>,
  settings: Pick<TransferSettings, "retry" | "timeout" | "hooks" | "headers">,
  signal: AbortSignal,
): Promise<boolean> {
  const url = record.uploadUrl;
  if (url === undefined) return false;
  const context = {
    requester,
    transport: chooseTransport(undefined, requester),
    settings,
    signal,
    hosts: processHosts,
    showOrigin: openShowOrigin(),
    record: () => record,
    confirm,
    confirmAfterPause: async () => {},
  };
  let ended = false;
  const ask = async (method: "HEAD" | "DELETE") => {
    const answer = await sendRequest(context, { method, url, headers: TUS });
    if (isInterruption(answer.status)) throw answer.refusal;
    return answer;
  };
  const attempt = async () => {
    const found = await ask("HEAD");
    // Ending what is whole would take the finished video's bytes.
    const size = readCount(found.header("upload-length")) ?? record.source?.size;
    const offset = readCount(found.header("upload-offset"));
    // A page may not be shown the offset.
    if (isSuccess(found) && offset !== undefined && offset !== size) ended = isSuccess(await ask("DELETE"));
  };
  const purpose = "discard an upload";
  const meter = new ProgressMeter(undefined, () => {});
  await retryUntilDone(attempt, { ...settings, purpose, signal, meter });
  return ended;
}

/** Forgets that an account has uploaded a source, whatever was asked for. */
async function forgetFinished(requester: Requester, journal: Journal, key: string): Promise<Asset[]> {
  const forgotten = await forgetDone({ journal, key }, await accountOf(await scopeOf(requester)));
  return forgotten.map(({ asset }) => asset);
}
