/** Compares what the record of an asset names with what was sent: by a hash, else by the size. */
import { algorithmName, openContentHash } from "../content/content-hash.ts";
import { UploadError } from "../errors/errors.ts";
import { excerpt, shorten } from "../redaction/redaction.ts";
import type { Asset } from "../service/asset.ts";
import { blobSource } from "../source/blob.ts";
import { PART_SIZE } from "../source/parts.ts";
import type { ReadableSource } from "../source/source.ts";
import { isObject } from "../text/is-object.ts";

export interface SentContent {
  size: number;
  /** The digest of the content in hex, or `undefined` where the algorithm isn't known or the content can't be read any more. */
  digest(algorithm: string): Promise<string | undefined>;
  /** Texts that no error may repeat. */
  secrets: string[];
}

/**
 * Compares the content that a record names.
 *
 * @param isOver whether nothing more will be named: only then does the size alone count
 * @returns the algorithm by which both are the same, `size`, or `undefined` where too little is named
 * @throws {UploadError} `content-differs`
 */
export async function compareStored(
  asset: Asset,
  sent: SentContent,
  isOver: boolean,
): Promise<string | undefined> {
  const hashes = namedHashes(asset);
  if (typeof asset.size !== "number" || (hashes.length === 0 && !isOver)) return undefined;
  if (asset.size !== sent.size)
    throw differs(asset, sent, `${asset.size} bytes, while ${sent.size} were sent`);
  for (const { hash, algorithm } of hashes) {
    const own = await sent.digest(algorithm);
    if (own === undefined) continue;
    if (hash.trim().toLowerCase() === own) return algorithmName(algorithm);
    const named = shorten(excerpt(`${algorithm} ${hash}`, sent.secrets), LONGEST_SHOWN);
    throw differs(asset, sent, `${named}, while that of the source is ${own}`);
  }
  return "size";
}

/** Characters of a hash that are shown: no algorithm in use gives more. */
const LONGEST_SHOWN = 150;

function namedHashes({ hash }: Asset): Record<"hash" | "algorithm", string>[] {
  const named: unknown[] = Array.isArray(hash) ? hash : [];
  return named.filter(
    (each): each is Record<"hash" | "algorithm", string> =>
      isObject(each) && typeof each.hash === "string" && typeof each.algorithm === "string",
  );
}

function differs({ id }: Asset, { secrets }: SentContent, found: string): UploadError {
  const state = `the service has stored other content in asset ${excerpt(id, secrets)}: ${found}`;
  return new UploadError("content-differs", `Cannot upload: ${state}. Upload it again, as a new asset`);
}

type HowToHash = Parameters<typeof openContentHash>;

export async function digestOfBlob(blob: Blob, ...how: HowToHash): Promise<string | undefined> {
  return await digestOf(await blobSource(blob), ...how);
}

/** The digest of a source, read once more for it; `undefined` where nothing here knows the algorithm. */
export async function digestOf(source: ReadableSource, ...how: HowToHash): Promise<string | undefined> {
  const hash = await openContentHash(...how);
  if (hash === undefined) return undefined;
  const whole = source.rereadable ? undefined : source.whole;
  for (let at = 0, isOver = false; !isOver; ) {
    const slice = await (whole?.() ?? source.slice(at, at + PART_SIZE));
    const pieces = slice.pieces(true);
    for await (const piece of { [Symbol.asyncIterator]: () => pieces }) hash.update(piece);
    at += slice.size;
    isOver = slice.last;
  }
  return await hash.digest();
}
