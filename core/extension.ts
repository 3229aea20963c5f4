/**
 * The checks that the extension's own forms use too, beside the module's public face: of an address, a token, a stream id and
 * a create-asset request; and of what a foreign page or playlist names: hosts, files and percent-encoded texts. Beside them the
 * calls that the background makes, and the comparison of what is stored.
 */

export { type AccountCheck, checkAccount } from "./account-check.ts";
export { algorithmName } from "./content/content-hash.ts";
export { sha256 } from "./content/digest.ts";
export { mayBeVideo, VIDEO_ENDINGS } from "./content/media-type.ts";
export { endStream } from "./end-stream.ts";
export { ERROR_CODES, errorFacts, isErrorCode, type NextStep } from "./errors/error-codes.ts";
export { assetUnknown, ConnectionError, isUpcutError, UploadError } from "./errors/errors.ts";
export type { HlsLanguage, HlsQuality } from "./hls/options.ts";
export { isLoopback } from "./hosts/loopback.ts";
export { isOwnNetwork } from "./hosts/own-network.ts";
export type { Fetch } from "./http/fetch.ts";
export { recordsOf } from "./journal/entry.ts";
export type { JournalEntry } from "./journal/journal.ts";
export { WAITING_REASONS } from "./progress/progress.ts";
export { redact } from "./redaction/redaction.ts";
export {
  type BrokenText,
  checkAssetRequest,
  findBrokenText,
  lacksWebhookId,
} from "./service/asset-request.ts";
export { readBaseUrl } from "./service/base-url.ts";
export { type OriginRefusal, readOriginRefusal } from "./service/origin-refusal.ts";
export { PREFIXED_PATHS, streamSegment } from "./service/paths.ts";
export {
  type AssetRequest,
  filledFields,
  REQUEST_FIELD_NAMES,
  REQUEST_FIELDS,
  type RequestField,
  type RequestFields,
} from "./service/request-fields.ts";
export { readToken } from "./service/token.ts";
export { BEGINNING_SIZE, beginsAsText, isVideoByContent } from "./source/beginning.ts";
export { decodeOrKeep } from "./text/decode-or-keep.ts";
export { isObject } from "./text/is-object.ts";
export { plainText } from "./text/plain-text.ts";
export { METHODS } from "./upload/methods.ts";
export { compareStored, digestOfBlob } from "./upload/stored-content.ts";
