/**
 * From a source to an asset: asks for a location, sends the bytes, and goes on after every interruption.
 *
 * There is no upload object. Abort the signal and call `upload()` again with the same source and journal: it
 * continues the same asset at the service's own offset, in another process too.
 *
 * @module
 */

import type { Asset, AssetRequest, Mismatch, Task } from "./asset.ts";
import { checkAssetRequest } from "./asset-schema.ts";
import { canonical, digest } from "./digest.ts";
import { type ErrorCode, InputError, isUpcutError, UploadError } from "./errors.ts";
import { type JournalPlace, memoryJournal, openPlace, type UploadRecord } from "./journal.ts";
import { ProgressMeter } from "./progress.ts";
import { runtimeFetch } from "./request.ts";
import { type LocationRequest, requestLocation, requestUnknown, switchMethod } from "./request-location.ts";
import { Interruption } from "./retry.ts";
import { shortFileName } from "./source/file-name.ts";
import { mediaTypeOf } from "./source/media-type.ts";
import { openSource, type Uploadable } from "./source/open.ts";
import type { Source } from "./source/source.ts";
import { transferDirect } from "./transfer/direct.ts";
import { PART_SIZE } from "./transfer/parts.ts";
import { isOffline, pause, persist } from "./transfer/persist.ts";
import { transferResumable } from "./transfer/resumable.ts";
import { Settling } from "./transfer/settling.ts";
import type { Transfer } from "./transfer/transfer.ts";
import { chooseTransport, send, type Transport } from "./transfer/transport.ts";
import {
  type Requester,
  readUploadOptions,
  type UploadOptions,
  type UploadSettings,
} from "./upload-options.ts";

/** A finished upload. */
export interface UploadResult {
  /** The asset as it was created; the interface has no call to read it again. */
  asset: Asset;
  /** The task created for the asset, if the service named one. */
  task: Task | undefined;
  /** Where the creation answer differs from the interface document. */
  mismatches: Mismatch[];
  /** Bytes of the source. */
  size: number;
  /** Bytes handed over by this call, those sent again included. */
  sent: number;
  /** Bytes that this call handed over more than once. */
  resent: number;
  /** Whether this call continued an upload begun by an earlier one. */
  continued: boolean;
  /** Milliseconds this call took. */
  duration: number;
}

/**
 * Uploads a video into a new asset, or continues the unfinished upload of the same source.
 *
 * Sends to the resumable location, and small files to the direct one (interface document: "Resumable upload", "Direct
 * upload"). Success removes the journal's entry, so the same file uploaded again is a new asset.
 *
 * @param requester who asks for the location, for example a client
 * @param given a Blob or File, a web stream, a URL, or an opened file
 * @throws {InputError} before anything is sent.
 * @throws {ServiceError} when no location was given.
 * @throws {ConnectionError} `asset-unknown` when the answer to the request was lost.
 * @throws {UploadError} when the transfer can't go on; `kept` says what the next call continues.
 * @example
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
 *   console.log(error.code); // "not-reached": nothing listens there
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
  const opened = await openSource(given, options, requester.fetch ?? runtimeFetch, signal);
  const transport = chooseTransport(opened, requester.fetch);
  const inParts = settings.method !== "direct" && !transport.streams;
  const source: Source = inParts ? { ...opened, ...opened.ahead?.() } : opened;
  const meter = new ProgressMeter(source.size, (progress) => {
    try {
      options.onProgress?.(progress);
    } catch (error) {
      stopper.abort(error);
    }
  });
  let place: JournalPlace | undefined;
  let finished: UploadRecord | undefined;
  try {
    const request = checkAssetRequest({
      ...settings.request,
      name: options.name === undefined ? (source.name ?? "Untitled video") : options.name,
    });
    if (settings.method === "direct" && source.size === undefined) {
      const advice = 'Give its size, or use method "resumable"';
      throw new InputError(
        "invalid-source",
        `Cannot upload directly: the length of the stream is unknown. ${advice}`,
      );
    }
    const claimed = await claimPlace(requester, source, settings, request);
    place = claimed.place;
    meter.continues = () => claimed.lasting && claimed.place.stored;
    if (place.hasRequestNote) throw await requestUnknown(place);
    if (settings.fresh) Object.assign(place, { record: undefined, stored: false });
    else switchMethod(place, settings.method);
    const continued = place.record !== undefined;
    if (place.record?.parts !== undefined) source.expect?.(place.record.parts);
    const attempt = makeAttempt({ requester, source, transport, settings, request, place, meter, signal });
    await persist(attempt, {
      retry: settings.retry,
      signal,
      acknowledged: () => meter.acknowledged,
      handedOver: () => meter.sent,
      neverCarried: () =>
        place?.record?.method === "direct"
          ? 'This line never carries the whole file at once: use method "resumable"'
          : "This line never carries 8 MiB at once, the least that services of parts count: use a steadier one",
      onWait({ reason }, number, until) {
        meter.enter("waiting", { reason: until === undefined ? "offline" : reason, until, attempt: number });
      },
    });
    finished = recordOf(place);
    const { asset, task, mismatches } = finished;
    // The asset is whole: a journal that fails now can only make the same source find it again.
    await place.forget().catch(() => {});
    await source.verify?.();
    meter.enter("done");
    const { acknowledged: size, sent, resent } = meter;
    return { asset, task, mismatches, size, sent, resent, continued, duration: Date.now() - started };
  } catch (error) {
    signal.throwIfAborted();
    throw withKept(error, place?.record ?? finished, meter.acknowledged, meter.continues());
  } finally {
    // What was reached counts, also where a claim can't be given back: it ends by itself.
    await place?.release().catch(() => {});
    await source.close();
  }
}

/** Claims the upload's place in the journal; a source without identity has one of its own, which ends with the call. */
async function claimPlace(
  requester: Requester,
  source: Source,
  { journal, method }: UploadSettings,
  request: AssetRequest,
): Promise<{ place: JournalPlace; lasting: boolean }> {
  const key = await source.identity();
  const scope = typeof requester.scope === "function" ? await requester.scope() : requester.scope;
  // "auto" mostly is "resumable", and each continues what the other began.
  const kind = method === "auto" ? "resumable" : method;
  const context = await digest([scope, kind, canonical(request)]);
  const place = await openPlace(key === undefined ? memoryJournal() : journal, key ?? "one-pass", context);
  if (place === undefined) throw inProgress();
  return { place, lasting: key !== undefined };
}

/** The error for a source that another call, perhaps of another process, is uploading. */
export function inProgress(): UploadError {
  const advice = "Wait for it to end, or stop it";
  return new UploadError(
    "in-progress",
    `Cannot upload: another upload of the same source is under way. ${advice}`,
    {
      retryable: true,
    },
  );
}

interface Run extends LocationRequest {
  transport: Transport;
}

/** One attempt: asks for a location unless there is one, then sends what the service doesn't have. */
function makeAttempt(run: Run): () => Promise<void> {
  const { requester, source, transport, settings, place, meter, signal } = run;
  let locationUsed = place.record !== undefined;
  let settling: Settling | undefined;
  return async () => {
    if (place.record === undefined) locationUsed = await requestLocation(run);
    settling ??= new Settling(settings.timeouts.settle, locationUsed, transport.repeats);
    meter.asset = recordOf(place).asset;
    const transfer: Transfer = {
      source,
      signal,
      locationUsed,
      transport,
      settling,
      filename: shortFileName(source.name ?? "video"),
      filetype: mediaTypeOf(source.type, source.name),
      chunkSize: settings.chunkSize ?? defaultChunk(source, transport),
      record: () => recordOf(place),
      save: (record) => place.save(record),
      acknowledge: (offset) => meter.acknowledge(offset),
      async waitForStore(milliseconds) {
        meter.enter("waiting", { reason: "settling", until: Date.now() + milliseconds, attempt: 1 });
        await pause(milliseconds, signal);
      },
      async send({ method, url, headers, body, start = 0 }, told) {
        const count = body && meter.body(start);
        if (body !== undefined) meter.enter("sending");
        const onHandedOver = (bytes: number) => {
          count?.(bytes);
          told?.(bytes);
        };
        const all = { ...(await requester.uploadHeaders?.()), ...headers };
        return await send(
          transport,
          { method, url, headers: all, body, signal, onHandedOver },
          settings.timeouts,
        );
      },
    };
    locationUsed = true;
    const { method } = recordOf(place);
    await (method === "direct" ? transferDirect(transfer) : transferResumable(transfer)).catch(waitOffline);
  };
}

/** A source that can't be reached while there is no network is waited for like the service. */
function waitOffline(error: unknown): never {
  const unreachable = isUpcutError(error) && error.code === "source-unreadable" && error.retryable;
  if (unreachable && isOffline()) throw new Interruption("connection", error.message, { error });
  throw error;
}

/**
 * Bytes of one request. A browser may send a request again by itself at once, while the host still stores parts of it:
 * there one part is sent at a time.
 */
function defaultChunk(source: Source, transport: Transport): number {
  return source.rereadable && !transport.repeats ? Number.POSITIVE_INFINITY : PART_SIZE;
}

function recordOf(place: JournalPlace): UploadRecord {
  if (place.record === undefined)
    throw new UploadError("location-refused", "Cannot upload: there is no location");
  return place.record;
}

/** Failures after which the same location or upload can't be continued. */
const ENDS: ReadonlySet<ErrorCode> = new Set([
  "location-refused",
  "upload-gone",
  "offset-beyond-end",
  "length-refused",
  "rejected",
  "source-changed",
  "unexpected-answer",
]);

function withKept(error: unknown, record: UploadRecord | undefined, bytes: number, lasts: boolean): unknown {
  if (!isUpcutError(error) || record === undefined || error.code === "in-progress") return error;
  error.kept = { assetId: record.asset.id, bytes, continues: lasts && !ENDS.has(error.code) };
  return error;
}
