/**
 * Upload a video to your account, and cut a live stream: for browsers, extensions, Deno, Bun, Node and edge workers.
 *
 * @example
 * ```ts
 * import { createClient, isUpcutError, upload } from "@upcut/core";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * const video = new File(["…"], "launch.mp4", { type: "video/mp4" });
 * try {
 *   const { asset } = await upload(client, video, {
 *     name: "Launch video",
 *     onProgress: ({ fraction }) => console.log(fraction),
 *     retry: { attempts: 0 },
 *   });
 *   console.log(asset.id);
 *   await client.terminateStream("my-stream");
 * } catch (error) {
 *   if (!isUpcutError(error)) throw error;
 *   console.log(error.message);
 * }
 * ```
 *
 * @module
 */

export { type Paths, readBaseUrl, streamSegment } from "./address.ts";
export type {
  Asset,
  AssetHash,
  AssetRequest,
  AssetStatus,
  AssetStorage,
  Mismatch,
  PlaybackPolicy,
  Task,
  Track,
  TranscodeProfile,
  UploadLocation,
  VideoSpec,
} from "./asset.ts";
export { checkAssetRequest } from "./asset-schema.ts";
export {
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
} from "./client.ts";
export { type DiscardOptions, type DiscardResult, discard } from "./discard.ts";
export {
  ConnectionError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorRecord,
  errorFromRecord,
  InputError,
  isUpcutError,
  type Kept,
  ServiceError,
  UpcutError,
  UploadError,
} from "./errors.ts";
export {
  type Journal,
  type JournalEntry,
  memoryJournal,
  type Release,
  type UploadRecord,
} from "./journal.ts";
export type { Progress, UploadState, WaitingReason } from "./progress.ts";
export type { Fetch } from "./request.ts";
export type { InterruptionReason, RetryOptions } from "./retry.ts";
export type { SourceOptions, Uploadable } from "./source/open.ts";
export type { Slice, Source } from "./source/source.ts";
export { readToken } from "./token.ts";
export type { TransferAnswer, TransferRequest, TransferTimeouts, Transport } from "./transfer/transport.ts";
export { type UploadResult, upload } from "./upload.ts";
export type { Requester, UploadMethod, UploadOptions } from "./upload-options.ts";
