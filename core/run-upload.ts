/**
 * One upload, be it alone or one of many: from what it was called with to its result.
 *
 * @module
 */

import { briefly, endingSoon, joinSignals } from "./abort.ts";
import { canonical, digest } from "./digest.ts";
import { type ErrorCode, InputError, isUpcutError, type UploadError, withResume } from "./errors.ts";
import { runtimeFetch } from "./http/fetch.ts";
import { noteAcknowledged } from "./journal/acknowledged.ts";
import { locationSecrets } from "./journal/entry.ts";
import type { UploadRecord } from "./journal/journal.ts";
import { memoryJournal } from "./journal/memory.ts";
import { type JournalSlot, openSlot } from "./journal/slot.ts";
import { type Progress, ProgressMeter } from "./progress/progress.ts";
import { excerpt } from "./redaction/redaction.ts";
import {
  accountOf,
  type GuardedRequester,
  guardedRequester,
  isRequesterFailure,
  type Requester,
  scopeOf,
} from "./requester.ts";
import type { Asset, AssetRequest, Mismatch, UploadLocation } from "./service/asset.ts";
import { checkAssetRequest } from "./service/asset-request.ts";
import { openSource, type Uploadable } from "./source/open.ts";
import type { ReadableSource } from "./source/source.ts";
import { tell } from "./tell.ts";
import type { BandwidthLimit } from "./transfer/bandwidth.ts";
import { requestUnknown, switchMethod } from "./transfer/request-location.ts";
import { transferUntilDone } from "./transfer/transfer-until-done.ts";
import { unexpectedFailure } from "./unexpected-failure.ts";
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

/** What an upload has in common with others that run beside it. */
export interface UploadSharing {
  /** Instead of a limit of its own. */
  bandwidth?: BandwidthLimit | undefined;
  /** Called with the bytes of each piece that was handed over. */
  onHandedOver?: (bytes: number) => void;
}

/** Runs an upload; `upload()` says what it does. */
export async function runUpload(
  requester: Requester,
  given: Uploadable,
  options: UploadOptions,
  { bandwidth, onHandedOver }: UploadSharing = {},
): Promise<UploadResult> {
  const own = readUploadOptions(requester, options);
  const settings = { ...own, bandwidth: bandwidth ?? own.bandwidth };
  const { signal, abort, leave } = joinSignals(options.signal);
  signal.throwIfAborted();
  // What it throws or rejects with ends the upload.
  const report = (progress: Progress) => tell(options.onProgress, progress, abort);
  const call = {
    requester: guardedRequester("upload", requester),
    given,
    options,
    settings,
    signal,
    abort,
    report,
    onHandedOver,
  };
  try {
    return await endingSoon(signal, () => perform(call));
  } finally {
    leave();
  }
}

/** A call of `upload()` with what was made of its options. */
interface UploadCall {
  requester: GuardedRequester;
  given: Uploadable;
  options: UploadOptions;
  settings: UploadSettings;
  signal: AbortSignal;
  abort: (reason: unknown) => void;
  report: (progress: Progress) => void;
  onHandedOver: UploadSharing["onHandedOver"];
}

async function perform(call: UploadCall): Promise<UploadResult> {
  const { requester, given, options, settings, signal, abort, report, onHandedOver } = call;
  const started = Date.now();
  const { fetch = runtimeFetch } = requester;
  const source = await openSource(given, options, {
    fetch,
    signal,
    stall: settings.timeouts.stall,
    hooks: settings.hooks,
  });
  const meter = new ProgressMeter(source.size, report, onHandedOver);
  let slot: JournalSlot | undefined;
  let finished: UploadRecord | undefined;
  try {
    const request = requestOf(source, settings, options.name);
    const { lasts, ...opened } = await openUploadSlot(requester, source, settings, request, abort);
    slot = opened.slot;
    // A journal may have taken its time.
    signal.throwIfAborted();
    meter.resumable = () => lasts && opened.slot.stored;
    const resumed = await prepareSlot(slot, source, settings);
    finished = await transferUntilDone({ requester, source, settings, request, slot, meter, signal });
    const { asset, task, mismatches } = finished;
    // The asset is whole: a journal that fails now can only make the same source find it again.
    await slot.forget().catch((error: UploadError) => {
      // Whoever took the upload over is the one to report it.
      if (error.code === "in-progress") throw error;
    });
    await source.verify?.();
    meter.enter("done");
    const { acknowledged: size, sent, resent } = meter;
    return { asset, task, mismatches, size, sent, resent, resumed, duration: Date.now() - started };
  } catch (error) {
    signal.throwIfAborted();
    // An abort has no time for it: the lease is to be free when the call ends.
    await briefly(slot && noteAcknowledged(slot, meter));
    throw withRecord(error, slot?.record ?? finished, meter, requester.secrets());
  } finally {
    // What was reached counts, also where a lease can't be given back: it ends by itself.
    await briefly(slot?.release());
    await briefly(source.close());
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
  { journal, method, resume }: UploadSettings,
  request: AssetRequest,
  onLost: (error: UploadError) => void,
): Promise<{ slot: JournalSlot; lasts: boolean }> {
  const key = await source.identity();
  const scope = await scopeOf(requester);
  // "auto" mostly is "resumable", and each resumes what the other began.
  const kind = method === "auto" ? "resumable" : method;
  const context = await digest([scope, kind, canonical(request)]);
  const address = { key: key ?? "one-pass", account: await accountOf(scope), context };
  const memory = key === undefined ? memoryJournal() : journal;
  const slot = await openSlot(memory, address, { replaces: !resume, onLost });
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

function withRecord(
  thrown: unknown,
  record: UploadRecord | undefined,
  meter: ProgressMeter,
  secrets: string[],
): unknown {
  if (!isUpcutError(thrown) && isRequesterFailure(thrown)) return thrown;
  const error = isUpcutError(thrown) ? thrown : unexpectedFailure("upload", thrown);
  if (record === undefined || error.code === "in-progress") return error;
  const possible = meter.resumable() && !FINAL.has(error.code);
  // The service chose it, and may have put into it what it was sent.
  const assetId = excerpt(record.asset.id, [...secrets, ...locationSecrets(record)]);
  return withResume(error, { assetId, offset: meter.acknowledged, possible });
}
