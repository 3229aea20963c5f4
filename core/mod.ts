/**
 * Upload a video to your account, and cut a live stream: for browsers, extensions, Deno, Bun, Node and edge workers.
 *
 * @example Upload a video, then end a stream
 * ```ts
 * import { createClient, isUpcutError, type Progress, upload } from "@upcut/core";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * const video = new File(["…"], "launch.mp4", { type: "video/mp4" });
 * const onProgress = ({ fraction }: Progress) => console.log(fraction);
 * try {
 *   const { asset } = await upload(client, video, { name: "Launch video", onProgress, retry: false });
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
export { discard } from "./discard.ts";
export { ERROR_CODES } from "./errors/error-codes.ts";
export {
  type ErrorCode,
  type ErrorRecord,
  errorFromRecord,
  isUpcutError,
  type UpcutError,
} from "./errors/errors.ts";
export type { Journal, UnfinishedUpload } from "./journal/journal.ts";
export { journalKey } from "./journal/key.ts";
export { readJournalEntry } from "./journal/listing.ts";
export { memoryJournal } from "./journal/memory.ts";
export type { UploadAllOptions, UploadItem, UploadOutcome } from "./many/options.ts";
export type { Progress } from "./progress/progress.ts";
export type { Asset, PlaybackPolicy, TranscodeProfile, UploadLocation } from "./service/asset.ts";
export type { RequestFields } from "./service/request-fields.ts";
export type { Requester } from "./service/requester.ts";
export type { Uploadable } from "./source/open.ts";
export { openUrl, type UrlOptions } from "./source/open-url.ts";
export type { Source } from "./source/source.ts";
export type { UploadOptions } from "./upload/options.ts";
export { type UploadResult, upload } from "./upload.ts";
export { uploadAll } from "./upload-all.ts";
export { watchAsset } from "./watch-asset.ts";
