/**
 * Pieces as they are read: fetched, decrypted, and with what they are read with.
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import { originOf } from "../redaction/redaction.ts";
import { endsWithBox } from "./boxes.ts";
import { TS_START } from "./demux.ts";
import { type Fetching, fetchBytes } from "./fetch-bytes.ts";
import { Memory } from "./memory.ts";
import { type Init, LIMITS, type Piece, type PieceKey } from "./playlist.ts";

/** A piece that can be read. */
export interface LoadedPiece {
  bytes: Uint8Array<ArrayBuffer>;
  /** The same object for all pieces that share it. */
  init: Uint8Array<ArrayBuffer> | undefined;
  /** Says that its bytes are not needed any more. */
  release(): void;
}

/** Loads pieces, and what they are read with. */
export interface PieceLoader {
  piece(piece: Piece, signal: AbortSignal): Promise<LoadedPiece>;
  init(init: Init, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
}

/** Keys and inits that are kept: most videos have one of each, and some turn to the next after a while. */
const MOST_KEPT = 8;
/** Pieces that are fetched ahead of the one that is read, and that one. */
const MOST_FETCHED = 4;
const KEY_SIZE = 16;
const TS_PACKET = 188;

/** Makes a loader that fetches shared keys and inits once. */
export function pieceLoader(how: Fetching): PieceLoader {
  const memory = new Memory(MOST_FETCHED);
  const keys = new Map<string, Promise<CryptoKey>>();
  const inits = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  const keyOf = (href: string, signal: AbortSignal) =>
    kept(keys, href, async () => {
      const { bytes } = await fetchBytes({ url: new URL(href), most: 64 }, { ...how, signal });
      if (bytes.length !== KEY_SIZE)
        throw unreadable(href, `gave a key of ${bytes.length} bytes, expected ${KEY_SIZE}`);
      return await crypto.subtle.importKey("raw", bytes, "AES-CBC", false, ["decrypt"]);
    });

  const decrypted = async (
    bytes: Uint8Array<ArrayBuffer>,
    { href, iv }: PieceKey,
    sequence: number,
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>> => {
    const key = await keyOf(href, signal);
    const algorithm = { name: "AES-CBC", iv: new Uint8Array(iv ?? ivOf(sequence)) };
    const plain = await crypto.subtle.decrypt(algorithm, key, bytes).catch(() => {
      throw unreadable(href, "gave a key that doesn't fit its pieces");
    });
    return new Uint8Array(plain);
  };

  const initOf = (init: Init, signal: AbortSignal) =>
    kept(inits, JSON.stringify([init.href, init.range, init.key?.href]), async () => {
      const { href, range, key } = init;
      const { bytes } = await fetchBytes(
        { url: new URL(href), range, most: LIMITS.init },
        { ...how, signal },
      );
      return key === undefined ? bytes : await decrypted(bytes, key, 0, signal);
    });

  const pieceOf: PieceLoader["piece"] = async (piece, signal) => {
    const { href, range, key, init, sequence } = piece;
    const lack = (bytes: Uint8Array) => whatLacks(bytes, key !== undefined, init !== undefined);
    const wanted = { url: new URL(href), range, most: LIMITS.piece, lack, memory };
    const [{ bytes }, initBytes] = await Promise.all([
      fetchBytes(wanted, { ...how, signal }).catch((error: unknown) => {
        if (piece.mayBeMissing && isMissing(error)) return { bytes: new Uint8Array(0) };
        throw error;
      }),
      init && initOf(init, signal),
    ]);
    if (bytes.length === 0) return { bytes, init: initBytes, release: () => {} };
    if (key === undefined) return { bytes, init: initBytes, release: () => memory.give(bytes) };
    const plain = await decrypted(bytes, key, sequence, signal);
    memory.give(bytes);
    return { bytes: plain, init: initBytes, release: () => {} };
  };
  return { piece: pieceOf, init: initOf };
}

function isMissing(error: unknown): boolean {
  return error instanceof UploadError && error.httpStatus === 404;
}

/** Work that is done once for a key, and again where it failed. */
function kept<T>(results: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  const known = results.get(key);
  if (known !== undefined) return known;
  const result = work();
  results.set(key, result);
  result.catch(() => results.delete(key));
  const [oldest] = results.keys();
  if (results.size > MOST_KEPT && oldest !== undefined) results.delete(oldest);
  return result;
}

/** By default the number of the piece is its IV. */
function ivOf(sequence: number): Uint8Array {
  const iv = new Uint8Array(16);
  new DataView(iv.buffer).setBigUint64(8, BigInt(sequence));
  return iv;
}

/** What shows that a download ended before the piece did, where no server told its length. */
function whatLacks(bytes: Uint8Array, isEncrypted: boolean, hasInit: boolean): string | undefined {
  const words = "broke off in a piece";
  if (bytes.length === 0) return words;
  if (isEncrypted) return bytes.length % 16 === 0 ? undefined : words;
  if (bytes[0] === TS_START) return bytes.length % TS_PACKET === 0 ? undefined : words;
  return hasInit && !endsWithBox(bytes) ? words : undefined;
}

function unreadable(href: string, what: string): UploadError {
  return new UploadError("source-unreadable", `Cannot read the video: ${originOf(href)} ${what}`);
}
