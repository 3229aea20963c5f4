/** Waits until the service names what it has stored of an upload, and compares that with the source. */
import { algorithmName, type ContentHash, openContentHash } from "../content/content-hash.ts";
import { errorFacts } from "../errors/error-codes.ts";
import { isUpcutError, UploadError } from "../errors/errors.ts";
import { invalidOption } from "../options/checks.ts";
import { excerpt } from "../redaction/redaction.ts";
import type { Asset } from "../service/asset.ts";
import { canReadAssets, type Requester } from "../service/requester.ts";
import type { ReadableSource } from "../source/source.ts";
import { watchAsset } from "../watch-asset.ts";
import { compareStored, digestOf } from "./stored-content.ts";

/** The one algorithm by which a stream, whose bytes pass once, is hashed meanwhile. */
const OF_STREAMS = "sha256";
const SHA256_OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

export interface SourceDigest {
  /** Told each piece of a stream, once and in order. */
  onRead(piece: Uint8Array): void;
  /** The digest, or `undefined` where nothing here knows the algorithm. */
  of(algorithm: string, source: ReadableSource): Promise<string | undefined>;
}

/**
 * Prepares the digest of a source: by the runtime, or by a function that opens a sha-256.
 *
 * @throws {InputError} `invalid-option` where that makes another digest, by which right content would seem to differ
 */
export async function prepareDigest(how: true | (() => Promise<ContentHash>)): Promise<SourceDigest> {
  const own = how === true ? undefined : how;
  const ofNothing = async () => (await own?.())?.digest();
  if (own !== undefined && (await ofNothing().catch(() => undefined)) !== SHA256_OF_NOTHING) {
    const policy =
      "If it is WebAssembly, add 'wasm-unsafe-eval' to script-src of the page's Content-Security-Policy";
    throw invalidOption("upload", `the function verify makes no sha-256 here. ${policy}`);
  }
  const passing = await openContentHash(OF_STREAMS, own);
  let digest: ReturnType<ContentHash["digest"]> | undefined;
  return {
    onRead: (piece) => passing?.update(piece),
    async of(algorithm, source) {
      if (source.rereadable || source.parts !== undefined) return await digestOf(source, algorithm, own);
      const isKnown = algorithmName(algorithm) === OF_STREAMS;
      digest ??= passing?.digest();
      return isKnown ? await digest : undefined;
    },
  };
}

export interface StoredUpload {
  /** Who asks for the record; all uploads of one share their turns. */
  account: Requester;
  source: ReadableSource;
  digest: SourceDigest;
  assetId: string;
  size: number;
  signal: AbortSignal;
  /** Milliseconds until the service counts as one that doesn't tell. */
  limit: number;
  secrets: string[];
}

export interface Verification {
  /** The algorithm by which both are the same; `size` where no hash was named that is known here. */
  verified: string | false;
  /** Why it isn't, in a sentence for a person. */
  notVerified?: string;
}

/**
 * Waits until the service names what it has stored, and compares that.
 *
 * @throws {UploadError} `content-differs`, or `asset-failed` where the service failed before it told a hash
 */
export async function verifyStored(upload: StoredUpload): Promise<Verification> {
  const { account, assetId, source, digest, size, secrets, signal, limit } = upload;
  let verification: Verification = { verified: false, notVerified: "the service didn't tell in time" };
  if (!canReadAssets(account)) return verification;
  const sent = { size, secrets, digest: (algorithm: string) => digest.of(algorithm, source) };
  try {
    for await (const { asset, phase } of watchAsset(account, assetId, { signal, timeout: limit })) {
      const verified = await compareStored(asset, sent, phase === "ready");
      if (verified !== undefined) verification = { verified };
      else if (phase === "ready")
        verification = { verified: false, notVerified: "the service names no size" };
      // A hash of an algorithm that is known may still come.
      if (verified !== undefined && verified !== "size") break;
      if (phase === "failed") throw assetFailed(asset, secrets);
    }
  } catch (error) {
    signal.throwIfAborted();
    // Nothing differs where the service can't be asked, or the source is gone by now.
    if (!isUpcutError(error) || errorFacts(error.code).next === "start-over") throw error;
    return { verified: false, notVerified: error.message };
  }
  return verification;
}

function assetFailed({ id, status }: Asset, secrets: string[]): UploadError {
  const told: unknown = status?.errorMessage;
  const reason = typeof told === "string" && told !== "" ? `: ${excerpt(told, secrets)}` : "";
  const state = `the service could not process asset ${excerpt(id, secrets)}${reason}`;
  return new UploadError("asset-failed", `Cannot upload: ${state}. Upload it again, as a new asset`);
}
