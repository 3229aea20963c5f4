/** A call of `upload()`, or one of the uploads of a list: what it was given, checked before anything is done. */

import { InputError } from "../errors/errors.ts";
import { tell } from "../options/tell.ts";
import type { Progress } from "../progress/progress.ts";
import { checkAssetRequest } from "../service/asset-request.ts";
import type { AssetRequest } from "../service/request-fields.ts";
import { type GuardedRequester, guardedRequester, type Requester } from "../service/requester.ts";
import type { Uploadable } from "../source/open.ts";
import type { ReadableSource } from "../source/source.ts";
import { joinSignals } from "../time/abort.ts";
import { dateNow } from "../time/clock.ts";
import type { BandwidthLimit } from "../transfer/transport.ts";
import { readUploadOptions, type UploadOptions, type UploadSettings } from "./options.ts";

export interface UploadSharing {
  /** Instead of a limit of its own. */
  bandwidth?: BandwidthLimit | undefined;
  onHandedOver?: (bytes: number) => void;
  /** When the call began that an upload belongs to: milliseconds since 1970. */
  startedAt?: number;
  /** True if it waits for another upload of the same source, with `once`. @default true */
  waits?: boolean;
}

export interface UploadCall extends Required<Pick<UploadSharing, "startedAt" | "waits">> {
  requester: GuardedRequester;
  /** The requester as it was given, which all its uploads share. */
  account: Requester;
  given: Uploadable;
  options: UploadOptions;
  settings: UploadSettings;
  /** Ends the upload: the caller's own, or `abort()`. */
  signal: AbortSignal;
  abort: (reason: unknown) => void;
  report: (progress: Progress) => void;
  onHandedOver: UploadSharing["onHandedOver"];
  leave(): void;
}

/** @throws {InputError} `invalid-option`; or the reason of a signal that is aborted already */
export function openCall(
  requester: Requester,
  given: Uploadable,
  options: UploadOptions,
  { bandwidth, onHandedOver, startedAt = dateNow(), waits = true }: UploadSharing = {},
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
