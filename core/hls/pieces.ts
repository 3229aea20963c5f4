/** Pieces as they are read: fetched, decrypted, and with what they are read with. */
import { UploadError } from "../errors/errors.ts";
import { originOf } from "../redaction/redaction.ts";
import { kindOfBytes, otherKindError } from "../source/answer-kind.ts";
import { unreadable } from "../source/url-request.ts";
import { type Fetching, fetchBytes, Kept, Memory } from "./fetch-bytes.ts";
import type { PieceBytes } from "./piece.ts";
import { type Init, LIMITS, type Piece, type PieceKey } from "./playlist.ts";
import type { Unit } from "./timeline.ts";

export interface LoadedPiece extends PieceBytes {
  release(): void;
}

export interface PieceLoader {
  piece(piece: Piece, signal: AbortSignal): Promise<LoadedPiece>;
  init(init: Init, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** Asks for the first byte of a piece. */
  isThere(piece: Piece, signal: AbortSignal): Promise<boolean>;
}

type Encrypted = Pick<Piece, "href" | "sequence"> & { key: PieceKey };

/** Keys and inits that are kept: most videos have one of each, and some turn to the next after a while. */
const MOST_KEPT = 8;
/** Pieces that are fetched ahead of the one that is read, and that one. */
const MOST_FETCHED = 4;
const KEY_SIZE = 16;
const BLOCK_SIZE = 16;
/** Bytes in place of a key: a page that asks to sign in is told as what it is. */
const MOST_KEY_BYTES = 1024 ** 2;

export function pieceLoader(how: Fetching): PieceLoader {
  const memory = new Memory(MOST_FETCHED);
  const keys = new Kept<CryptoKey>(MOST_KEPT);
  const inits = new Kept<Uint8Array<ArrayBuffer>>(MOST_KEPT);

  const keyOf = (href: string, signal: AbortSignal) =>
    keys.get(href, signal, async () => {
      const wanted = { url: new URL(href), most: MOST_KEY_BYTES, anyKind: true };
      const bytes = dataIn(href) ?? (await fetchBytes(wanted, { ...how, signal })).bytes;
      if (bytes.length !== KEY_SIZE)
        throw refused(bytes, href, `gave a key of ${bytes.length} bytes, expected ${KEY_SIZE}`);
      return await crypto.subtle.importKey("raw", bytes, "AES-CBC", false, ["decrypt"]);
    });

  const decrypted = async (
    bytes: Uint8Array<ArrayBuffer>,
    { href: place, key: { href, iv }, sequence }: Encrypted,
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>> => {
    const key = await keyOf(href, signal);
    if (bytes.length % BLOCK_SIZE !== 0) {
      const state = `${bytes.length} bytes where whole blocks of ${BLOCK_SIZE} encrypted ones were expected`;
      throw refused(bytes, place, `gave ${state}`);
    }
    const algorithm = { name: "AES-CBC", iv: new Uint8Array(iv ?? ivOf(sequence)) };
    const plain = await crypto.subtle.decrypt(algorithm, key, bytes).catch(() => {
      throw refused(bytes, place, "gave a key that doesn't fit its pieces", href);
    });
    return new Uint8Array(plain);
  };

  const fetchInit = async ({ href, range, key }: Init, signal: AbortSignal) => {
    const wanted = { url: new URL(href), range, most: LIMITS.init, anyKind: key !== undefined };
    return (await fetchBytes(wanted, { ...how, signal })).bytes;
  };

  const initOf = (init: Init, signal: AbortSignal) => {
    const { href, range, key } = init;
    const name = JSON.stringify([href, range, key?.href, String(key?.iv)]);
    return inits.get(name, signal, async () => {
      const bytes = await fetchInit(init, signal);
      return key === undefined ? bytes : await decrypted(bytes, { href, key, sequence: 0 }, signal);
    });
  };

  const isThere: PieceLoader["isThere"] = async ({ href, range: own, init }, signal) => {
    const start = own?.start ?? 0;
    const wanted = { url: new URL(href), range: { start, end: start + 1 }, most: 1, anyKind: true };
    try {
      await fetchBytes(wanted, { ...how, signal });
    } catch (error) {
      if (isAbsent(error)) return false;
      if (!(error instanceof UploadError)) throw error;
      // Stores that list files to nobody answer 403 for none, as for an expired signature: the init tells which it is.
      const isHidden = error.httpStatus === 403 && init !== undefined;
      if (isHidden) await fetchInit(init, signal);
      // A server that gives no ranges has the piece, which is read when its turn comes.
      else if (error.code !== "source-unreadable" || error.retryable) throw error;
      return !isHidden;
    }
    return true;
  };

  const pieceOf: PieceLoader["piece"] = async (piece, signal) => {
    const { href, range, key, init, sequence } = piece;
    // Encrypted bytes may begin with anything, a tag of HTML too.
    const wanted = { url: new URL(href), range, most: LIMITS.piece, anyKind: key !== undefined, memory };
    const fetchPiece = () =>
      fetchBytes(wanted, { ...how, signal }).catch((error: unknown) => {
        throw isAbsent(error) ? new AbsentPiece(error.code, error.message, error) : error;
      });
    const [{ bytes }, initBytes] = await Promise.all([fetchPiece(), init && initOf(init, signal)]);
    if (key === undefined || bytes.length === 0)
      return { bytes, init: initBytes, release: () => memory.give(bytes) };
    const encrypted = { href, key, sequence };
    await keyOf(key.href, signal);
    const plain = await decrypted(bytes, encrypted, signal).catch(async () => {
      // A piece that was cut somewhere can't be decrypted, and is whole the second time.
      const again = await fetchPiece();
      return await decrypted(again.bytes, encrypted, signal);
    });
    memory.give(bytes);
    return { bytes: plain, init: initBytes, release: () => {} };
  };
  return { piece: pieceOf, init: initOf, isThere };
}

/** The bytes of an address that holds them itself (RFC 2397). */
function dataIn(href: string): Uint8Array<ArrayBuffer> | undefined {
  const [, base64, data] = /^data:[^,]*?(;base64)?,(.*)$/is.exec(href) ?? [];
  if (data === undefined) return undefined;
  const plain = data.replace(/%([\da-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(String(hex), 16)),
  );
  try {
    return Uint8Array.from(base64 ? atob(plain) : plain, (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
}

/** A piece that isn't there, while what it is read with may be. */
class AbsentPiece extends UploadError {}

function isAbsent(error: unknown): error is UploadError {
  return error instanceof UploadError && (error.httpStatus === 404 || error.httpStatus === 410);
}

/** Loads a piece of a plan. Where it isn't there while another one is, a new address wouldn't help. */
export async function loadUnit(
  load: PieceLoader,
  units: readonly Unit[],
  at: number,
  { name, signal }: { name: string; signal: AbortSignal },
): Promise<LoadedPiece> {
  try {
    return await load.piece((units[at] as Unit).piece, signal);
  } catch (error) {
    const beside = units[at + 1] === undefined ? at - 1 : at + 1;
    const other = units[beside];
    if (other === undefined || !(error instanceof AbsentPiece)) throw error;
    const found = await load.piece(other.piece, signal).catch(() => undefined);
    signal.throwIfAborted();
    if (found === undefined) throw error;
    found.release();
    const state = `piece ${at + 1} of ${units.length} isn't there, while piece ${beside + 1} is`;
    const words = `Cannot read the video from ${name}: ${state}. Take another quality`;
    throw new UploadError("source-refused", words, { httpStatus: error.httpStatus });
  }
}

/** By default the number of the piece is its IV. */
function ivOf(sequence: Piece["sequence"]): Uint8Array {
  const iv = new Uint8Array(16);
  new DataView(iv.buffer).setBigUint64(8, BigInt(sequence));
  return iv;
}

/** The error for bytes of an address that can't be what they should be: a text in their place says more than `what`. */
function refused(bytes: Uint8Array, href: string, what: string, culprit: string = href): Error {
  const other = kindOfBytes(bytes);
  return other ? otherKindError(other, originOf(href)) : unreadable(new URL(culprit), what);
}
