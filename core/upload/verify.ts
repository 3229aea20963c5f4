/**
 * Compares what the service has stored with the source: by the hash that its record of the asset names, else by the size.
 *
 * @module
 */

import { algorithmName, type ContentHash, openContentHash } from "../content-hash.ts";
import { isUpcutError, UploadError } from "../errors.ts";
import { excerpt, shorten } from "../redaction/redaction.ts";
import { canReadAssets, type Requester } from "../requester.ts";
import type { Asset } from "../service/asset.ts";
import { PART_SIZE } from "../source/parts.ts";
import type { ReadableSource } from "../source/source.ts";
import { watchAsset } from "../watch-asset.ts";

/** The one algorithm by which a stream, whose bytes pass once, is hashed meanwhile. */
const OF_STREAMS = "sha256";

/** A digest of a source that is made while it is sent, or in a reading of its own. */
export interface SourceDigest {
  /** Told each piece of a stream, once and in order. */
  onRead(piece: Uint8Array): void;
  /** The digest, or `undefined` where nothing here knows the algorithm. */
  of(algorithm: string, source: ReadableSource): Promise<string | undefined>;
}

/** Prepares the digest of a source, so that a missing package is told before anything is sent. */
export async function prepareDigest(): Promise<SourceDigest> {
  const passing = await openContentHash(OF_STREAMS);
  let digest: Promise<string> | undefined;
  return {
    onRead: (piece) => passing?.update(piece),
    async of(algorithm, source) {
      if (source.rereadable || source.parts !== undefined) return await readAndHash(algorithm, source);
      const isKnown = algorithmName(algorithm) === OF_STREAMS;
      digest ??= passing?.digest();
      return isKnown ? await digest : undefined;
    },
  };
}

async function readAndHash(algorithm: string, source: ReadableSource): Promise<string | undefined> {
  const hash = await openContentHash(algorithm);
  if (hash === undefined) return undefined;
  if (!source.rereadable && source.whole !== undefined)
    await addPieces(hash, (await source.whole()).pieces(true));
  else
    for (let at = 0, isOver = false; !isOver; ) {
      const { size, last, pieces } = await source.slice(at, at + PART_SIZE);
      await addPieces(hash, pieces(true));
      at += size;
      isOver = last;
    }
  return await hash.digest();
}

async function addPieces(hash: ContentHash, pieces: AsyncIterator<Uint8Array, undefined>): Promise<void> {
  for await (const piece of { [Symbol.asyncIterator]: () => pieces }) hash.update(piece);
}

/** The values that are compared. */
export interface StoredUpload {
  /** Who asks for the record; all uploads of one share their turns. */
  account: Requester;
  source: ReadableSource;
  digest: SourceDigest;
  assetId: string;
  /** Bytes that were sent. */
  size: number;
  signal: AbortSignal;
  /** Milliseconds until the service counts as one that doesn't tell. */
  limit: number;
  secrets: string[];
}

/** How far the content was compared. */
export interface Verification {
  /** The algorithm by which both are the same; `size` where no hash was named that is known here. */
  verified: string | false;
  /** Why it isn't, in a sentence for a person. */
  notVerified?: string;
}

/**
 * Waits until the service names what it has stored, and compares that.
 *
 * @throws {UploadError} `content-differs`
 */
export async function verifyStored(upload: StoredUpload): Promise<Verification> {
  const { account, assetId, size, signal, limit } = upload;
  let verification: Verification = { verified: false, notVerified: "the service didn't tell in time" };
  if (!canReadAssets(account)) return verification;
  try {
    for await (const { asset, phase } of watchAsset(account, assetId, { signal, limit })) {
      const hashes = namedHashes(asset);
      const isOver = phase === "ready" || phase === "failed";
      if (isOver) verification = { verified: false, notVerified: "the service names no size" };
      if (typeof asset.size !== "number" || (hashes.length === 0 && !isOver)) continue;
      if (asset.size !== size) throw differs(upload, `${asset.size} bytes, while ${size} were sent`);
      const verified = (await compare(upload, hashes)) ?? "size";
      verification = { verified };
      // A hash of an algorithm that is known may still come.
      if (verified !== "size") break;
    }
  } catch (error) {
    signal.throwIfAborted();
    // Nothing differs where the service can't be asked, or the source is gone by now.
    if (!isUpcutError(error) || error.code === "content-differs") throw error;
    return { verified: false, notVerified: error.message };
  }
  return verification;
}

/** Characters of a hash that are shown: no algorithm in use gives more. */
const LONGEST_SHOWN = 150;

interface NamedHash {
  hash: string;
  algorithm: string;
}

function namedHashes({ hash }: Asset): NamedHash[] {
  const named: unknown[] = Array.isArray(hash) ? hash : [];
  return named.filter(
    (each): each is NamedHash =>
      typeof (each as NamedHash | null)?.hash === "string" &&
      typeof (each as NamedHash | null)?.algorithm === "string",
  );
}

async function compare(upload: StoredUpload, hashes: NamedHash[]): Promise<string | undefined> {
  const { source, digest, secrets } = upload;
  for (const { hash, algorithm } of hashes) {
    const own = await digest.of(algorithm, source);
    if (own === undefined) continue;
    if (hash.trim().toLowerCase() !== own)
      throw differs(
        upload,
        `${shorten(excerpt(`${algorithm} ${hash}`, secrets), LONGEST_SHOWN)}, while that of the source is ${own}`,
      );
    return algorithmName(algorithm);
  }
  return undefined;
}

function differs({ assetId, secrets }: StoredUpload, found: string): UploadError {
  const state = `the service has stored other content in asset ${excerpt(assetId, secrets)}: ${found}`;
  return new UploadError("content-differs", `Cannot upload: ${state}. Upload it again, as a new asset`);
}
