/**
 * The checks that forms use too: of an address, a token, a stream id and a create-asset request; and of what a foreign
 * page or playlist names: hosts, files and percent-encoded texts.
 *
 * @example Tell a person what is wrong before anything is sent
 * ```ts
 * import { isUpcutError, readBaseUrl } from "@upcut/core/validate";
 *
 * try {
 *   readBaseUrl("ftp://video.example");
 * } catch (error) {
 *   if (!isUpcutError(error)) throw error;
 *   console.log(error.message); // Cannot create a client: baseUrl begins with "ftp:", expected "https:" or "http:"
 * }
 * ```
 *
 * @module
 */

export { decodeOrKeep } from "./decode-or-keep.ts";
export { ERROR_CODES, type ErrorFacts, errorFacts, isErrorCode, type NextStep } from "./error-codes.ts";
export { isUpcutError } from "./errors.ts";
export { isLoopback } from "./loopback.ts";
export { mayBeVideo, VIDEO_ENDINGS } from "./media-type.ts";
export { isOwnNetwork } from "./own-network.ts";
export { WAITING_REASONS } from "./progress/progress.ts";
export { redact } from "./redaction/redaction.ts";
export type { PlaybackPolicy } from "./service/asset.ts";
export { checkAssetRequest, LONGEST_NAME, lacksWebhookId } from "./service/asset-request.ts";
export { readBaseUrl } from "./service/base-url.ts";
export { type BrokenText, findBrokenText } from "./service/broken-text.ts";
export { type OriginRefusal, readOriginRefusal } from "./service/origin-refusal.ts";
export { streamSegment } from "./service/paths.ts";
export {
  type AssetRequest,
  filledFields,
  REQUEST_FIELD_NAMES,
  REQUEST_FIELDS,
  type RequestField,
  type RequestFields,
} from "./service/request-fields.ts";
export { readToken } from "./service/token.ts";
export { isVideoByContent } from "./source/beginning.ts";
