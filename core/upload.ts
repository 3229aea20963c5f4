/**
 * From a source to an asset: asks for a location, sends the bytes, and goes on after every interruption.
 *
 * There is no upload object. Abort the signal and call `upload()` again with the same source and journal: it
 * resumes the same asset at the service's own offset, in another process too.
 *
 * @module
 */

import type { Requester } from "./requester.ts";
import { runUpload, type UploadResult } from "./run-upload.ts";
import type { Uploadable } from "./source/open.ts";
import type { UploadOptions } from "./upload-options.ts";

/**
 * Uploads a video into a new asset, or resumes the unfinished upload of the same source.
 *
 * Sends to the resumable location, and small files to the direct one (interface document: "Resumable upload", "Direct
 * upload"). Success removes the journal's entry, so the same file uploaded again is a new asset.
 *
 * A redirect of the upload host ends the upload. In a page it is followed first, with all bytes, unless the page's own
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
  return await runUpload(requester, given, options);
}
