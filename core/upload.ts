/**
 * From a source to an asset: asks for a location, sends the bytes, and goes on after every interruption.
 *
 * There is no upload object. Abort the signal and call `upload()` again with the same source and journal: it
 * resumes the same asset at the service's own offset, in another process too.
 */

import { errorFacts } from "./errors/error-codes.ts";
import { asUpcutError, InputError, isUpcutError, withResume } from "./errors/errors.ts";
import { processHosts } from "./hosts/host.ts";
import { runtimeFetch } from "./http/fetch.ts";
import { locationSecrets } from "./journal/entry.ts";
import type { DoneUpload, UploadRecord } from "./journal/journal.ts";
import { noteAcknowledged } from "./journal/slot.ts";
import { tell } from "./options/tell.ts";
import { ProgressMeter } from "./progress/progress.ts";
import { excerpt } from "./redaction/redaction.ts";
import type { Asset, UploadLocation } from "./service/asset.ts";
import { checkAssetRequest } from "./service/asset-request.ts";
import type { AssetRequest } from "./service/request-fields.ts";
import { type GuardedRequester, guardedRequester, type Requester } from "./service/requester.ts";
import { openSource, type Uploadable } from "./source/open.ts";
import type { ReadableSource } from "./source/source.ts";
import { briefly, endingSoon, type Held, joinSignals } from "./time/abort.ts";
import { dateNow, startTimer } from "./time/clock.ts";
import { transferUntilDone } from "./transfer/attempts.ts";
import { StoredTwice } from "./transfer/settling.ts";
import { readUploadOptions, type UploadCall, type UploadOptions } from "./upload/options.ts";
import { forgetUpload, openUploadSlot, prepareSlot, type UploadMemory } from "./upload/slot.ts";
import { prepareDigest, verifyStored } from "./upload/verify.ts";

/** A finished upload. */
export interface UploadResult {
  /** The asset as it was created; the interface has no call to read it again. */
  asset: Asset;
  /** The task created for the asset, if the service named one. */
  task: UploadLocation["task"];
  /** Where the creation answer differs from the interface document. */
  mismatches: UploadLocation["mismatches"];
  /** Bytes of the source. */
  size: number;
  /** Bytes handed over by this call, those sent again included. */
  sent: number;
  /** Bytes that this call handed over more than once. */
  resent: number;
  /** True if this call resumed an upload begun by an earlier one. */
  resumed: boolean;
  /**
   * With `verify`: the algorithm by which the service's hash is that of the source, such as `sha256`; `size` where it names
   * no hash that is known here; `false` where it couldn't be compared. `undefined` without `verify`.
   */
  verified: string | false | undefined;
  /** Why `verified` is `false`, in a sentence for a person. */
  notVerified?: string | undefined;
  /** True if it had been uploaded before, so that this call, with `once`, sent nothing. */
  uploadedBefore: boolean;
  /** With `once`: false if the journal could note nothing of it, so that a later call would make a second asset. */
  remembered: boolean | undefined;
  /** Milliseconds this call took. */
  duration: number;
}

/**
 * Uploads a video into a new asset, or resumes the unfinished upload of the same source.
 *
 * Sends to the resumable location, and small files to the direct one (interface document: "Resumable upload", "Direct
 * upload"). Success removes the journal's entry, so the same file uploaded again is a new asset, except with `once`.
 *
 * A redirect of the upload host ends the upload. In a page, the parts of a file go to a host with HTTP/2 as a stream, which
 * follows none. All else goes by XMLHttpRequest, and is redirected first, with all bytes, unless the page's own
 * Content-Security-Policy (`connect-src`) forbids it, or the requester has `fetch` or `xhrFor`.
 *
 * @param requester who asks for the location, for example a client
 * @param given a Blob or File, bytes, a stream or async iterable of them, a URL, or an opened file
 * @param options name and fields of the asset, how it is sent, and what to call
 * @returns the asset as it was created, once the service has every byte
 * @throws {InputError} before anything is sent.
 * @throws {ServiceError} when the service gives no location, or the upload host refuses the upload (`rejected`).
 * @throws {ConnectionError} `unreachable`, or `asset-unknown` when the answer to the request was lost.
 * @throws {UploadError} when the transfer can't go on; `resume` says what the next call resumes.
 * @example One asset, however often this runs
 * ```ts
 * import { createClient, memoryJournal, upload } from "@upcut/core";
 *
 * const journal = memoryJournal({ keepDoneFor: 365 * 24 * 60 * 60 * 1000 });
 * async function sendOnce(video: File): Promise<string> {
 *   const client = createClient({ baseUrl: "https://video.example", token: "<API_KEY>" });
 *   const { asset, uploadedBefore } = await upload(client, video, { journal, once: true });
 *   return uploadedBefore ? `${asset.id} is there already` : `${asset.id} is new`;
 * }
 * console.log(typeof sendOnce); // "function"
 * ```
 */
export async function upload(
  requester: Requester,
  given: Uploadable,
  options: UploadOptions = {},
): Promise<UploadResult> {
  return await runCall(openCall(requester, given, options));
}

/** What an upload of a list has in common with the others; a limit of bandwidth comes before its own. */
type Shared = Pick<UploadCall, "onHandedOver" | "startedAt" | "waits" | "hosts"> &
  Pick<UploadCall["settings"], "bandwidth">;

/** @throws {InputError} `invalid-option`; or the reason of a signal that is aborted already */
export function openCall(
  requester: Requester,
  given: Uploadable,
  options: UploadOptions,
  {
    bandwidth,
    onHandedOver,
    startedAt = dateNow(),
    waits = true,
    hosts = processHosts,
  }: Partial<Shared> = {},
): UploadCall {
  const own = readUploadOptions(requester, options);
  const { signal, abort, leave } = joinSignals(options.signal);
  signal.throwIfAborted();
  return {
    requester: guardedRequester("upload", requester),
    account: requester,
    given,
    options,
    settings: { ...own, bandwidth: bandwidth ?? own.bandwidth },
    signal,
    abort,
    // An error that the listener throws or rejects with ends the upload.
    report: (progress) => tell(options.onProgress, progress, abort),
    onHandedOver,
    startedAt,
    waits,
    hosts,
    leave,
  };
}

export function requestFor(source: ReadableSource, { settings }: UploadCall): AssetRequest {
  const request = checkAssetRequest({ name: source.name ?? "Untitled video", ...settings.request });
  if (settings.method === "direct" && source.size === undefined) {
    const state = "the length of the stream is unknown";
    const advice = 'Give its size, or use method "resumable"';
    throw new InputError("invalid-source", `Cannot upload directly: ${state}. ${advice}`);
  }
  return request;
}

export async function runCall(call: UploadCall): Promise<UploadResult> {
  const held: Held = { giveBack: async () => {} };
  try {
    return await endingSoon(call.signal, () => perform(call, held), held);
  } finally {
    call.leave();
  }
}

async function perform(call: UploadCall, held: Held): Promise<UploadResult> {
  const { requester, settings, signal, hosts } = call;
  const { hooks, timeout } = settings;
  const duration = startTimer();
  const digest = settings.verify === false ? undefined : await prepareDigest(settings.verify);
  const reading = {
    ...{ fetch: requester.fetch ?? runtimeFetch, signal, stall: timeout.stall, hooks, hosts },
    ...(digest && { onRead: digest.onRead }),
  };
  const source = await openSource(call.given, call.options, reading);
  const meter = new ProgressMeter(source.size, call.report, call.onHandedOver);
  const resultOf = (
    { asset, task, mismatches }: UploadRecord | DoneUpload,
    more: Partial<UploadResult>,
  ): UploadResult => {
    meter.enter("done");
    const { acknowledged: size, sent, resent } = meter;
    const usual = { resumed: false, verified: undefined, uploadedBefore: false, remembered: undefined };
    return { asset, task, mismatches, size, sent, resent, ...usual, ...more, duration: duration() };
  };
  let opened: UploadMemory | undefined;
  let finished: UploadRecord | undefined;
  try {
    const request = requestFor(source, call);
    opened = await openUploadSlot(call, source, request, held);
    const { slot, identity, finished: memory } = opened;
    let leaving: Promise<void> | undefined;
    held.giveBack = () => (leaving ??= briefly(noteAcknowledged(slot, meter)).then(() => slot.release()));
    // A journal may have taken its time.
    signal.throwIfAborted();
    meter.resumable = () => identity !== undefined && slot.stored;
    const resumed = await prepareSlot(slot, source, settings);
    const verify = async (assetId: string, size: number) => {
      const stored = { source, assetId, size, signal, limit: timeout.verify, secrets: requester.secrets() };
      return digest && (await verifyStored({ ...stored, account: call.account, digest }));
    };
    const before = await memory?.find();
    if (before !== undefined) {
      const { asset, size } = before;
      if (resumed) await forgetUpload(slot);
      const found = await verify(asset.id, size).catch(async (error: unknown) => {
        if (isWrong(error)) await memory?.forget(asset.id);
        throw error;
      });
      meter.asset = asset;
      meter.acknowledge(size);
      return resultOf(before, { ...found, uploadedBefore: true, remembered: true });
    }
    // Asks for a location where none is remembered.
    finished = await transferUntilDone({ requester, source, settings, request, slot, meter, signal, hosts });
    const size = meter.acknowledged;
    await source.verify?.();
    const found = await verify(finished.asset.id, size);
    const noted = await memory?.note(finished, size);
    // Until it is noted, the record alone keeps the next call from making a second asset: of a direct upload, one that says
    // that all was handed over.
    const isKnown = slot.stored && (finished.method === "resumable" || slot.isCurrent);
    const remembered = noted === false ? isKnown : noted;
    if (noted !== false) await forgetUpload(slot);
    return resultOf(finished, { ...found, resumed, remembered });
  } catch (error) {
    signal.throwIfAborted();
    const failure = failureOf(error, requester, opened?.slot.record ?? finished, meter);
    // The next call can't tell that its offset is wrong.
    if (opened !== undefined && error instanceof StoredTwice) await forgetUpload(opened.slot);
    // A mixture of contents, or content that is stored wrong, is not resumed: the next call may take its file for the same.
    if (opened !== undefined && isWrong(error)) {
      const isKnown = source.verify && (await source.identity().catch(() => undefined)) === opened.identity;
      if (finished !== undefined || isKnown) await forgetUpload(opened.slot);
    }
    throw failure;
  } finally {
    // The result counts, also where a lease can't be given back: it ends by itself.
    await briefly(held.giveBack());
    await briefly(source.close());
  }
}

function isWrong(error: unknown): boolean {
  return isUpcutError(error) && ["source-changed", "content-differs", "asset-failed"].includes(error.code);
}

/** The error of a failed upload, with what can be resumed after it; a requester's own as it came. */
function failureOf(
  thrown: unknown,
  requester: GuardedRequester,
  record: UploadRecord | undefined,
  meter: ProgressMeter,
): unknown {
  if (!isUpcutError(thrown) && requester.isOwnFailure(thrown)) return thrown;
  const error = asUpcutError("upload", thrown);
  if (record === undefined || error.code === "in-progress") return error;
  const { kept } = errorFacts(error.code);
  const possible = meter.resumable() && kept !== "asset" && kept !== "unknown";
  // The service chose the identifier, and may have put into it what it was sent.
  const assetId = excerpt(record.asset.id, [...requester.secrets(), ...locationSecrets(record)]);
  return withResume(error, { assetId, offset: meter.acknowledged, possible });
}
