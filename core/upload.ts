/**
 * From a source to an asset: asks for a location, sends the bytes, and goes on after every interruption.
 *
 * There is no upload object. Abort the signal and call `upload()` again with the same source and journal: it
 * resumes the same asset at the service's own offset, in another process too.
 *
 * @module
 */

import { canonical, digest } from "./digest.ts";
import { type ErrorCode, InputError, isUpcutError, withResume } from "./errors.ts";
import { runtimeFetch } from "./http/fetch.ts";
import { memoryJournal, type UploadRecord } from "./journal.ts";
import { type JournalSlot, openSlot } from "./journal-slot.ts";
import { ProgressMeter } from "./progress.ts";
import { accountOf, type Requester, scopeOf } from "./requester.ts";
import type { Asset, AssetRequest, Mismatch, UploadLocation } from "./service/asset.ts";
import { checkAssetRequest } from "./service/asset-request.ts";
import { openSource, type Uploadable } from "./source/open.ts";
import type { ReadableSource } from "./source/source.ts";
import { requestUnknown, switchMethod } from "./transfer/request-location.ts";
import { transferUntilDone } from "./transfer/transfer-until-done.ts";
import { readUploadOptions, type UploadOptions, type UploadSettings } from "./upload-options.ts";

/** A finished upload. */
export interface UploadResult {
  /** The asset as it was created; the interface has no call to read it again. */
  asset: Asset;
  /** The task created for the asset, if the service named one. */
  task: UploadLocation["task"];
  /** Where the creation answer differs from the interface document. */
  mismatches: Mismatch[];
  /** Bytes of the source. */
  size: number;
  /** Bytes handed over by this call, those sent again included. */
  sent: number;
  /** Bytes that this call handed over more than once. */
  resent: number;
  /** Whether this call resumed an upload begun by an earlier one. */
  resumed: boolean;
  /** Milliseconds this call took. */
  duration: number;
}

/**
 * Uploads a video into a new asset, or resumes the unfinished upload of the same source.
 *
 * Sends to the resumable location, and small files to the direct one (interface document: "Resumable upload", "Direct
 * upload"). Success removes the journal's entry, so the same file uploaded again is a new asset.
 *
 * @param requester who asks for the location, for example a client
 * @param given a Blob or File, a web stream, a URL, or an opened file
 * @param options name and fields of the asset, how it is sent, and what to call
 * @returns the asset as it was created, once the service has every byte
 * @throws {InputError} before anything is sent.
 * @throws {ServiceError} when the service gives no location, or the upload host refuses the upload (`rejected`).
 * @throws {ConnectionError} `unreachable`, or `asset-unknown` when the answer to the request was lost.
 * @throws {UploadError} when the transfer can't go on; `resume` says what the next call resumes.
 * @example Upload a file
 * ```ts
 * import { createClient, isUpcutError, upload } from "@upcut/core";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * const video = new File(["…"], "launch.mp4", { type: "video/mp4" });
 * try {
 *   const { asset } = await upload(client, video, { name: "Launch video", retry: { attempts: 0 } });
 *   console.log(asset.id);
 * } catch (error) {
 *   if (!isUpcutError(error)) throw error;
 *   console.log(error.code); // "unreachable": nothing listens there
 * }
 * ```
 */
export async function upload(
  requester: Requester,
  given: Uploadable,
  options: UploadOptions = {},
): Promise<UploadResult> {
  const started = Date.now();
  const settings = readUploadOptions(requester, options);
  const stopper = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stopper.signal]) : stopper.signal;
  signal.throwIfAborted();
  const source = await openSource(given, options, requester.fetch ?? runtimeFetch, signal);
  const meter = new ProgressMeter(source.size, (progress) => {
    try {
      options.onProgress?.(progress);
    } catch (error) {
      stopper.abort(error);
    }
  });
  let slot: JournalSlot | undefined;
  let finished: UploadRecord | undefined;
  try {
    const request = requestOf(source, settings, options.name);
    const { lasts, ...opened } = await openUploadSlot(requester, source, settings, request);
    slot = opened.slot;
    meter.resumable = () => lasts && opened.slot.stored;
    const resumed = await prepareSlot(slot, source, settings);
    finished = await transferUntilDone({ requester, source, settings, request, slot, meter, signal });
    const { asset, task, mismatches } = finished;
    // The asset is whole: a journal that fails now can only make the same source find it again.
    await slot.forget().catch(() => {});
    await source.verify?.();
    meter.enter("done");
    const { acknowledged: size, sent, resent } = meter;
    return { asset, task, mismatches, size, sent, resent, resumed, duration: Date.now() - started };
  } catch (error) {
    signal.throwIfAborted();
    throw withRecord(error, slot?.record ?? finished, meter);
  } finally {
    // What was reached counts, also where a lease can't be given back: it ends by itself.
    await slot?.release().catch(() => {});
    await source.close();
  }
}

/** The request for a source, checked before anything is asked or remembered. */
function requestOf(source: ReadableSource, settings: UploadSettings, name: string | undefined): AssetRequest {
  const request = checkAssetRequest({
    ...settings.request,
    name: name === undefined ? (source.name ?? "Untitled video") : name,
  });
  if (settings.method === "direct" && source.size === undefined) {
    const advice = 'Give its size, or use method "resumable"';
    throw new InputError(
      "invalid-source",
      `Cannot upload directly: the length of the stream is unknown. ${advice}`,
    );
  }
  return request;
}

/** Leases the upload's slot in the journal; a source without identity has one of its own, which ends with the call. */
async function openUploadSlot(
  requester: Requester,
  source: ReadableSource,
  { journal, method }: UploadSettings,
  request: AssetRequest,
): Promise<{ slot: JournalSlot; lasts: boolean }> {
  const key = await source.identity();
  const scope = await scopeOf(requester);
  // "auto" mostly is "resumable", and each resumes what the other began.
  const kind = method === "auto" ? "resumable" : method;
  const context = await digest([scope, kind, canonical(request)]);
  const address = { key: key ?? "one-pass", account: await accountOf(scope), context };
  const slot = await openSlot(key === undefined ? memoryJournal() : journal, address);
  return { slot, lasts: key !== undefined };
}

/** Decides whether what an earlier call left is resumed. */
async function prepareSlot(
  slot: JournalSlot,
  source: ReadableSource,
  { resume, method }: UploadSettings,
): Promise<boolean> {
  if (slot.hasRequestNote) throw await requestUnknown(slot);
  if (!resume) Object.assign(slot, { record: undefined, stored: false });
  else switchMethod(slot, method);
  if (slot.record?.parts !== undefined) source.expect?.(slot.record.parts);
  return slot.record !== undefined;
}

/** Failures after which the same location or upload can't be resumed. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  "location-refused",
  "upload-gone",
  "offset-beyond-end",
  "length-refused",
  "rejected",
  "source-changed",
  "unexpected-answer",
]);

function withRecord(error: unknown, record: UploadRecord | undefined, meter: ProgressMeter): unknown {
  if (!isUpcutError(error) || record === undefined || error.code === "in-progress") return error;
  const possible = meter.resumable() && !FINAL.has(error.code);
  return withResume(error, { assetId: record.asset.id, offset: meter.acknowledged, possible });
}
