/**
 * Upload a video to your account, and cut a live stream: for browsers, extensions, Deno, Bun, Node and edge workers.
 *
 * @example Upload a video, then end a stream
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

export { type Client, type ClientOptions, createClient } from "./client.ts";
export { type DiscardOptions, type DiscardResult, discard } from "./discard.ts";
export {
  ConnectionError,
  type ErrorCode,
  type ErrorRecord,
  errorFromRecord,
  InputError,
  isUpcutError,
  ServiceError,
  UpcutError,
  UploadError,
} from "./errors.ts";
export type { RequestHooks } from "./http/observe.ts";
export type { Journal } from "./journal/journal.ts";
export { memoryJournal } from "./journal/memory.ts";
export type { Progress } from "./progress/progress.ts";
export type { Requester } from "./requester.ts";
export type {
  Asset,
  AssetRecord,
  Mismatch,
  PlaybackPolicy,
  TranscodeProfile,
  UploadLocation,
} from "./service/asset.ts";
export type { AssetRequest } from "./service/request-fields.ts";
export type { SourceOptions, Uploadable } from "./source/open.ts";
export type { Source } from "./source/source.ts";
export type { Timeouts } from "./transfer/request.ts";
export type { RetryDecision, RetryOptions, RetryReport } from "./transfer/retry.ts";
export type { UploadOptions } from "./upload/options.ts";
export { type UploadResult, upload } from "./upload.ts";
export { type AssetChange, type WatchOptions, watchAsset } from "./watch-asset.ts";
