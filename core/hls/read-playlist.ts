/** Reads the text of a playlist, line by line. */
import type { InputError } from "../errors/errors.ts";
import {
  type ByteRange,
  badList,
  codecsIn,
  type Init,
  LIMITS,
  type MainPlaylist,
  type MediaPlaylist,
  type Piece,
  type PieceKey,
  type Problem,
  placeUrl,
} from "./playlist.ts";

export function readPlaylist(
  text: string,
  url: URL,
  main?: Variables,
): { playlist: MainPlaylist | MediaPlaylist; variables: Variables } {
  const refuse = (words: string) => badList(words, url);
  const variables = new Variables(url, main);
  const list: MainPlaylist = { kind: "main", url, variants: [], renditions: [], subtitles: [], named: [] };
  const media = new MediaReader(variables);
  let isFirst = true;
  for (const line of linesOf(text)) {
    if (isFirst && line !== "#EXTM3U") throw refuse("doesn't begin as a playlist does");
    isFirst = false;
    const quality = list.variants.at(-1);
    if (!line.startsWith("#")) {
      if (quality?.href === "") quality.href = variables.fill(line);
      else media.takePiece(line);
      continue;
    }
    const [, tag = "", value = ""] = TAG.exec(line) ?? [];
    if (tag === "#EXT-X-DEFINE") variables.define(value);
    if (!readMainTag(tag, value, list, variables)) media.takeTag(tag, value);
    if (list.variants.length > LIMITS.variants || list.renditions.length > LIMITS.renditions)
      throw refuse(`names over ${LIMITS.variants} qualities or ${LIMITS.renditions} renditions`);
  }
  if (isFirst) throw refuse("is empty");
  list.variants = list.variants.filter(({ href }) => href !== "");
  list.named.push(...list.variants.map(({ href }) => href));
  if (list.variants.length > 0) return { playlist: list, variables };
  return { playlist: media.finish(), variables };
}

const TAG = /^([^:]*):?(.*)$/s;

/** The lines that hold something; a text of one line is not split into as many as it has characters. */
function* linesOf(text: string): Generator<string> {
  for (let at = text.startsWith("\ufeff") ? 1 : 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? undefined : end).trim();
    if (line !== "" && (!line.startsWith("#") || line.startsWith("#EXT"))) yield line;
    if (end < 0) return;
    at = end + 1;
  }
}

type Attributes = ReadonlyMap<string, string>;

/** One attribute: a name, and a text in quotes or a word. */
const ATTRIBUTE = /^\s*([^\s="]{1,100})\s*=(.*)$/s;

/** Reads the attributes behind the colon of a tag; what is none is left out, and hides no other. */
function readAttributes(text: string, variables: Variables): Attributes {
  const attributes = new Map<string, string>();
  for (const item of itemsOf(text)) {
    const [, name, rest = ""] = ATTRIBUTE.exec(item) ?? [];
    if (name === undefined || attributes.has(name)) continue;
    const value = rest.trim();
    const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
    attributes.set(name, variables.fill(isQuoted ? value.slice(1, -1) : value));
  }
  return attributes;
}

/** The texts between commas that are in no quotes; a quote that isn't closed reaches to the end. */
function* itemsOf(text: string): Generator<string> {
  let start = 0;
  for (const { 0: found, index } of text.matchAll(/"[^"]*"?|,/g)) {
    if (found !== ",") continue;
    yield text.slice(start, index);
    start = index + 1;
  }
  yield text.slice(start);
}

/** The variables that EXT-X-DEFINE defines: a playlist's own variables, and those of the main playlist that it asks for. */
export class Variables {
  readonly url: URL;
  readonly #known = new Map<string, string>();
  readonly #main: ReadonlyMap<string, string>;

  constructor(url: URL, main?: Variables) {
    this.url = url;
    this.#main = main === undefined ? new Map() : main.#known;
  }

  define(text: string): void {
    const attributes = readAttributes(text, this);
    const [name, wanted, query] = ["NAME", "IMPORT", "QUERYPARAM"].map((key) => attributes.get(key));
    if (name !== undefined) this.#known.set(name, attributes.get("VALUE") ?? "");
    if (wanted !== undefined) this.#take(wanted, this.#main.get(wanted));
    if (query !== undefined) this.#take(query, this.url.searchParams.get(query));
  }

  /** Without the value of a variable, addresses would lead somewhere else (RFC 8216bis, 4.4.2.3). */
  #take(name: string, value: string | null | undefined): void {
    if (value === undefined || value === null)
      throw badList("asks for a variable that isn't there", this.url);
    this.#known.set(name, value);
  }

  fill(text: string): string {
    if (!text.includes("{$")) return text;
    let length = text.length;
    return text.replace(/\{\$([\w-]{1,100})\}/g, (_, name: string) => {
      const value = this.#known.get(name);
      if (value === undefined) throw badList("names a variable that isn't there", this.url);
      length += value.length;
      // Variables of variables would double with each.
      if (length > LIMITS.text) throw badList(`fills a text with over ${LIMITS.text} characters`, this.url);
      return value;
    });
  }
}

/** Takes a tag into a main playlist; `false` where it doesn't belong there. The address of a quality is the next line. */
function readMainTag(tag: string, value: string, list: MainPlaylist, variables: Variables): boolean {
  if (!/^#EXT-X-(STREAM-INF|I-FRAME-STREAM-INF|MEDIA)$/.test(tag)) return false;
  const attributes = readAttributes(value, variables);
  if (tag === "#EXT-X-STREAM-INF") {
    const [, width, height] =
      /^(\d{1,5})x(\d{1,5})$/i.exec(attributes.get("RESOLUTION") ?? "")?.map(Number) ?? [];
    list.variants.push({
      href: "",
      bandwidth: amount(attributes, "AVERAGE-BANDWIDTH") ?? amount(attributes, "BANDWIDTH") ?? 0,
      width,
      height,
      frameRate: amount(attributes, "FRAME-RATE"),
      codecs: codecsIn(attributes.get("CODECS") ?? ""),
      audio: attributes.get("AUDIO"),
    });
    return true;
  }
  const [href, type] = [attributes.get("URI"), attributes.get("TYPE")];
  // Addresses beyond the limits are not needed to take the video.
  if (href !== undefined && list.named.length < LIMITS.renditions) list.named.push(href);
  if (tag !== "#EXT-X-MEDIA") return true;
  const spoken = { name: attributes.get("NAME"), language: attributes.get("LANGUAGE") };
  if (type === "SUBTITLES" && list.subtitles.length < LIMITS.renditions) list.subtitles.push(spoken);
  if (type === "AUDIO") {
    const group = attributes.get("GROUP-ID") ?? "";
    const preference = ["AUTOSELECT", "DEFAULT"].findLastIndex((name) => attributes.get(name) === "YES") + 1;
    list.renditions.push({ group, href, ...spoken, preference });
  }
  return true;
}

/** A number above 0 that is no nonsense. */
function amount(attributes: Attributes, name: string): number | undefined {
  const text = attributes.get(name) ?? "";
  const value = /^\d{1,12}(\.\d{0,100})?$/.test(text) ? Number(text) : 0;
  return value > 0 ? value : undefined;
}

const UNREAD: ReadonlyMap<string, string> = new Map([
  ["#EXT-X-GAP", "a piece of it is marked as missing"],
  ["#EXT-X-I-FRAMES-ONLY", "it holds single pictures alone"],
  ["#EXT-X-SKIP", "its playlist leaves out pieces that an earlier one named (EXT-X-SKIP)"],
]);

class MediaReader {
  readonly #variables: Variables;
  #addresses = 0;
  readonly #pieces: Piece[] = [];
  #ended = false;
  #problem: Problem | undefined;
  #sequence = 0n;
  #run = 0;
  #duration: number | undefined;
  #total = 0;
  /** The range of the next piece, as its tag tells. */
  #range: string | undefined;
  #init: Init | undefined;
  #key: PieceKey | undefined;
  /** Protections that apply to the next pieces, for some of which there may be another key. */
  #protection: string | undefined;
  /** True if the last tag was one of a key: several of them in a row are ways to read the same pieces. */
  #inKeys = false;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  #refuse(words: string): InputError {
    return badList(words, this.#variables.url);
  }

  takeTag(tag: string, value: string): void {
    if (tag === "#EXTINF") this.#duration = Number(this.#found(SECONDS, value, "length of a piece")[1]);
    else if (tag === "#EXT-X-BYTERANGE") this.#range = value;
    else if (tag === "#EXT-X-DISCONTINUITY") this.#run++;
    else if (tag === "#EXT-X-MAP") this.#init = this.#readInit(value);
    else if (tag === "#EXT-X-KEY") this.#readKey(value);
    else if (tag === "#EXT-X-MEDIA-SEQUENCE")
      this.#sequence = BigInt(this.#found(SEQUENCE, value, "number of a piece")[0]);
    else if (tag === "#EXT-X-PLAYLIST-TYPE") this.#ended ||= value.trim().toUpperCase() === "VOD";
    else if (tag === "#EXT-X-ENDLIST") this.#ended = true;
    const message = UNREAD.get(tag);
    if (message !== undefined) this.#problem ??= { code: "unsupported-video", message };
    this.#inKeys = tag === "#EXT-X-KEY";
  }

  finish(): MediaPlaylist {
    if (this.#pieces.length === 0) throw this.#refuse("names no pieces");
    return {
      kind: "media",
      url: this.#variables.url,
      ended: this.#ended,
      pieces: this.#pieces,
      duration: this.#total,
      problem: this.#problem,
    };
  }

  takePiece(line: string): void {
    if (this.#duration === undefined) throw this.#refuse("names a piece without its length");
    const href = this.#checked(line);
    this.#noteProtection();
    if (this.#pieces.length >= LIMITS.pieces) throw this.#refuse(`names over ${LIMITS.pieces} pieces`);
    this.#total += this.#duration;
    if (this.#total > LIMITS.duration) throw this.#refuse("names pieces of over a week");
    const before = this.#pieces.at(-1);
    const range = this.#rangeOf(this.#range, before?.href === href ? before.range?.end : undefined);
    this.#pieces.push({
      href,
      range,
      duration: this.#duration,
      sequence: this.#sequence++,
      run: this.#run,
      init: this.#init,
      key: this.#key,
    });
    this.#duration = this.#range = undefined;
  }

  /** A tag without an address names no init. */
  #readInit(value: string): Init | undefined {
    const attributes = readAttributes(value, this.#variables);
    const uri = attributes.get("URI");
    if (uri === undefined) return undefined;
    // An init follows no other range: without a beginning it is the first bytes, as players take it.
    const range = this.#rangeOf(attributes.get("BYTERANGE"), 0);
    this.#noteProtection();
    return { href: this.#checked(uri), range, key: this.#key };
  }

  /** Several keys in a row are for the same pieces: one that everybody can read with is enough. */
  #readKey(value: string): void {
    const attributes = readAttributes(value, this.#variables);
    const method = attributes.get("METHOD") ?? "";
    const format = attributes.get("KEYFORMAT") ?? "identity";
    if (!this.#inKeys || method === "NONE") this.#key = this.#protection = undefined;
    if (method === "NONE") return;
    const uri = attributes.get("URI");
    if (method === "AES-128" && format === "identity" && uri !== undefined)
      this.#key = { href: this.#keyOf(uri), iv: this.#readIv(attributes.get("IV")) };
    else this.#protection = protectionWords(method, format);
  }

  /** The address of a key, which may be the key itself. */
  #keyOf(uri: string): string {
    return /^data:/i.test(uri) && uri.length < LONGEST_KEY ? uri : this.#checked(uri);
  }

  #readIv(text: string | undefined): Uint8Array | undefined {
    if (text === undefined) return undefined;
    const [, digits = ""] = this.#found(/^0x([\da-f]{1,32})$/i, text, "IV");
    const bytes = digits.padStart(32, "0").match(/../g) ?? [];
    return Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16));
  }

  /** @param follows where it begins unless it says so */
  #rangeOf(text: string | undefined, follows: number | undefined): ByteRange | undefined {
    if (text === undefined) return undefined;
    const [, size, begin] = this.#found(RANGE, text, "range of bytes");
    const start = begin === undefined ? follows : Number(begin);
    if (start === undefined) throw this.#refuse("names a range of bytes without its beginning");
    return { start, end: start + Number(size) };
  }

  #found(pattern: RegExp, text: string, what: string): RegExpExecArray {
    const found = pattern.exec(text);
    if (found === null) throw this.#refuse(`names an invalid ${what}`);
    return found;
  }

  #checked(reference: string): string {
    const { href } = placeUrl(this.#variables.fill(reference), this.#variables.url);
    this.#addresses += href.length;
    // Each address repeats that of the playlist, which may be long.
    if (this.#addresses > LIMITS.addresses) throw this.#refuse("names addresses that are too long");
    return href;
  }

  #noteProtection(): void {
    if (this.#protection !== undefined && this.#key === undefined)
      this.#problem ??= { code: "protected-video", message: this.#protection };
  }
}

/** Seconds with as many decimals as programs write; a title may follow. */
const SECONDS = /^\s*\+?((?:\d{1,15}(?:\.\d{0,100})?|\.\d{1,100})(?:e[+-]?\d{1,3})?)\s*(?:,|$)/i;
/** A number of up to 64 bits (RFC 8216, 4.2). */
const SEQUENCE = /^\s*\d{1,20}\s*$/;
/** A range, which is never empty. */
const RANGE = /^\s*(?!0+(?:@|\s*$))(\d{1,15})(?:@(\d{1,15}))?\s*$/;

/** Characters of a key in place of an address, at most. */
const LONGEST_KEY = 1_000;

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
