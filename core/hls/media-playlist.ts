/**
 * The tags of a media playlist: pieces, and how they are read.
 *
 * @module
 */

import type { InputError } from "../errors.ts";
import { readAttributes, type Variables } from "./attributes.ts";
import { placeUrl } from "./places.ts";
import {
  type ByteRange,
  type Init,
  LIMITS,
  type MediaPlaylist,
  type Piece,
  type PieceKey,
  type Problem,
} from "./playlist.ts";

/** Collects the pieces of a media playlist. */
export class MediaReader {
  readonly #url: URL;
  readonly #variables: Variables;
  readonly #refuse: (what: string) => InputError;
  #addresses = 0;
  readonly #pieces: Piece[] = [];
  #ended = false;
  #problem: Problem | undefined;
  #sequence = 0n;
  #run = 0;
  #duration: number | undefined;
  #total = 0;
  #range: ByteRange | undefined;
  #lastRange: (ByteRange & { href: string }) | undefined;
  #init: Init | undefined;
  #key: PieceKey | undefined;
  /** Protections that apply to the next pieces, for some of which there may be another key. */
  #protection: string | undefined;
  /** Whether the last tag was one of a key: several of them in a row are ways to read the same pieces. */
  #inKeys = false;

  constructor(url: URL, variables: Variables, refuse: (what: string) => InputError) {
    this.#url = url;
    this.#variables = variables;
    this.#refuse = refuse;
  }

  take(line: string): void {
    if (!line.startsWith("#")) {
      this.#takePiece(line);
      return;
    }
    const colon = line.indexOf(":");
    const [tag, value] = colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1)];
    this.#takeTag(tag, value);
    this.#inKeys = tag === "#EXT-X-KEY";
  }

  #takeTag(tag: string, value: string): void {
    if (tag === "#EXTINF") this.#duration = this.#number(value.split(",", 1)[0] ?? "", "length of a piece");
    else if (tag === "#EXT-X-BYTERANGE") this.#range = this.#readRange(value);
    else if (tag === "#EXT-X-DISCONTINUITY") this.#run++;
    else if (tag === "#EXT-X-MAP") this.#init = this.#readInit(value);
    else if (tag === "#EXT-X-KEY") this.#readKey(value);
    else if (tag === "#EXT-X-MEDIA-SEQUENCE") this.#sequence = this.#whole(value, "number of a piece");
    else if (tag === "#EXT-X-GAP") this.#note("unsupported-video", "a piece of it is marked as missing");
    else if (tag === "#EXT-X-I-FRAMES-ONLY")
      this.#note("unsupported-video", "it holds single pictures alone");
    else if (tag === "#EXT-X-PLAYLIST-TYPE") this.#ended ||= value.trim().toUpperCase() === "VOD";
    else if (tag === "#EXT-X-SKIP")
      this.#note(
        "unsupported-video",
        "its playlist leaves out pieces that an earlier one named (EXT-X-SKIP)",
      );
    else if (tag === "#EXT-X-ENDLIST") this.#ended = true;
  }

  finish(): MediaPlaylist {
    if (this.#pieces.length === 0) throw this.#refuse("names no pieces");
    return {
      kind: "media",
      url: this.#url,
      ended: this.#ended,
      pieces: this.#pieces,
      duration: this.#total,
      problem: this.#problem,
    };
  }

  #takePiece(line: string): void {
    if (this.#duration === undefined) throw this.#refuse("names a piece without its length");
    const href = this.#checked(line);
    if (this.#protection !== undefined && this.#key === undefined)
      this.#note("protected-video", this.#protection);
    if (this.#pieces.length >= LIMITS.pieces) throw this.#refuse(`names over ${LIMITS.pieces} pieces`);
    this.#total += this.#duration;
    if (this.#total > LIMITS.duration) throw this.#refuse("names pieces of over a week");
    if (this.#range !== undefined && this.#range.start < 0) {
      const { href: last, end = 0 } = this.#lastRange ?? {};
      if (last !== href) throw this.#refuse("names a range of bytes without its beginning");
      this.#range = { start: end, end: end - this.#range.start - 1 };
    }
    this.#lastRange = this.#range && { ...this.#range, href };
    this.#pieces.push({
      href,
      range: this.#range,
      duration: this.#duration,
      sequence: this.#sequence++,
      run: this.#run,
      init: this.#init,
      key: this.#key,
    });
    this.#duration = undefined;
    this.#range = undefined;
  }

  /** None where it doesn't say what it is. */
  #readInit(value: string): Init | undefined {
    const attributes = readAttributes(value, this.#variables);
    const uri = attributes.get("URI");
    if (uri === undefined) return undefined;
    const range = attributes.get("BYTERANGE");
    const found = range === undefined ? undefined : this.#readRange(range);
    // It follows no other range: without a beginning it is the first bytes, as players take it.
    const read = found !== undefined && found.start < 0 ? { start: 0, end: -found.start - 1 } : found;
    if (this.#protection !== undefined && this.#key === undefined)
      this.#note("protected-video", this.#protection);
    return { href: this.#checked(uri), range: read, key: this.#key };
  }

  /** Several keys in a row are for the same pieces: one that everybody can read with is enough. */
  #readKey(value: string): void {
    const attributes = readAttributes(value, this.#variables);
    const method = attributes.get("METHOD") ?? "";
    const format = attributes.get("KEYFORMAT") ?? "identity";
    if (!this.#inKeys || method === "NONE") {
      this.#key = undefined;
      this.#protection = undefined;
    }
    if (method === "NONE") return;
    const uri = attributes.get("URI");
    if (method === "AES-128" && format === "identity" && uri !== undefined)
      this.#key = { href: this.#checked(uri), iv: this.#readIv(attributes.get("IV")) };
    else this.#protection = protectionWords(method, format);
  }

  #readIv(text: string | undefined): Uint8Array | undefined {
    if (text === undefined) return undefined;
    const digits = /^0x([\da-f]{1,32})$/i.exec(text)?.[1]?.padStart(32, "0");
    if (digits === undefined) throw this.#refuse("names an invalid IV");
    return Uint8Array.from({ length: 16 }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16));
  }

  /** A range without its beginning follows the last one: it begins below 0 until that is known. */
  #readRange(text: string): ByteRange {
    const found = /^(\d{1,15})(?:@(\d{1,15}))?$/.exec(text.trim());
    const length = Number(found?.[1] ?? 0);
    if (found === null || length === 0) throw this.#refuse("names an invalid range of bytes");
    if (found[2] === undefined) return { start: -length - 1, end: -1 };
    return { start: Number(found[2]), end: Number(found[2]) + length };
  }

  /** Seconds, with as many decimals as programs write. */
  #number(text: string, what: string): number {
    const value = SECONDS.test(text) ? Number(text) : Number.NaN;
    if (!Number.isFinite(value)) throw this.#refuse(`names an invalid ${what}`);
    return value;
  }

  /** A number of up to 64 bits (RFC 8216, 4.2). */
  #whole(text: string, what: string): bigint {
    if (!/^\s*\d{1,20}\s*$/.test(text)) throw this.#refuse(`names an invalid ${what}`);
    return BigInt(text);
  }

  #checked(reference: string): string {
    const { href } = placeUrl(this.#variables.fill(reference), this.#url);
    this.#addresses += href.length;
    // Each repeats the address of the playlist, which may be long.
    if (this.#addresses > LIMITS.addresses) throw this.#refuse("names addresses that are too long");
    return href;
  }

  #note(code: Problem["code"], words: string): void {
    this.#problem ??= { code, words };
  }
}

const SECONDS = /^\s*\+?(\d{1,15}(\.\d{0,100})?|\.\d{1,100})(e[+-]?\d{1,3})?\s*$/i;

const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ["com.apple.streamingkeydelivery", "FairPlay"],
  ["com.microsoft.playready", "PlayReady"],
  ["urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed", "Widevine"],
  ["urn:uuid:9a04f079-9840-4286-ab92-e65be0885f95", "PlayReady"],
  ["com.widevine", "Widevine"],
]);

function protectionWords(method: string, format: string): string {
  const system = SYSTEMS.get(format.toLowerCase());
  const how = /^[A-Z0-9-]{1,30}$/.test(method) ? method : "an unknown method";
  return `it is protected by ${system === undefined ? how : `${system} (${how})`}, which only its own players can read`;
}
