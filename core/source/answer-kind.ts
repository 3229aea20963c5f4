/**
 * The answers that servers give in place of a video: told by their type and their first bytes, since the address of a
 * video also ends in ".mp4" where it leads to a page that asks to sign in.
 */
import { InputError, UploadError } from "../errors.ts";
import { isMarkup } from "../http/html.ts";

export interface OtherKind {
  /** Completes "answered with". */
  words: string;
  /** True for a text, which in place of a video mostly says why there is none. */
  isText: boolean;
}

const LONGEST = 1_000;

const PAGE: OtherKind = { words: "an HTML page", isText: true };
const JSON_TEXT: OtherKind = { words: "JSON", isText: true };
const XML: OtherKind = { words: "XML", isText: true };
const TEXT: OtherKind = { words: "text", isText: true };
const PLAYLIST: OtherKind = { words: "a playlist", isText: false };
const PICTURE: OtherKind = { words: "a picture", isText: false };
const OTHER: OtherKind = { words: "another kind of file", isText: false };

/** The last words of media types that are texts, whatever their first one is. */
const TEXT_WORDS = /^(css|csv|graphql|php|plain|rtf|sh|sql|text|toml|urlencoded|ya?ml)$/;

/** The content that the type of an answer names, if that is no video; of several types each counts. */
export function kindOfType(header: string | null): OtherKind | undefined {
  const types = (header ?? "")
    .slice(0, LONGEST)
    .toLowerCase()
    .replace(/"[^"]*"/g, "")
    .replace(/\s/g, "");
  const kinds = types.split(",").map((type) => kindOfOne(type.split(";", 1)[0] ?? ""));
  return kinds.find((kind) => kind?.isText) ?? kinds.find((kind) => kind !== undefined);
}

function kindOfOne(type: string): OtherKind | undefined {
  const [first = "", second = ""] = type.split("/");
  const words = second.split(/[.+_-]/);
  if (/mpegurl|^m3u8?$/.test(second) || (words.includes("dash") && /^(xml|mpd)$/.test(words.at(-1) ?? "")))
    return PLAYLIST;
  if (first === "video") return undefined;
  for (const word of words) {
    if (word.endsWith("html")) return PAGE;
    if (/json(\d|l|lines)?$/.test(word)) return JSON_TEXT;
    if (word.endsWith("xml")) return XML;
    if (word.endsWith("script") || TEXT_WORDS.test(word)) return TEXT;
  }
  if (first.startsWith("text") || /^(html|json|xml)$/.test(first)) return TEXT;
  if (first === "image") return PICTURE;
  return /^(font|message|model|multipart)$/.test(first) ? OTHER : undefined;
}

/** Bytes of a beginning by which texts are told from videos. */
export const SNIFF_SIZE = 1024;

/** True if texts begin with this byte and no video does: then more bytes say which text it is. */
export function mayBeText(byte: number | undefined): boolean {
  return byte !== undefined && "\t\n\v\f\r #<[{\u00ef\u00fe\u00ff".includes(String.fromCharCode(byte));
}

export function kindOfBytes(bytes: Uint8Array): OtherKind | undefined {
  if (!mayBeText(bytes[0])) return undefined;
  // Beginnings of texts are ASCII, in one byte for each character or in two.
  const text = String.fromCharCode(...bytes.subarray(0, SNIFF_SIZE))
    .replace(/^(\u00ef\u00bb\u00bf|\u00fe\u00ff|\u00ff\u00fe)/, "")
    .replaceAll("\0", "")
    .trimStart();
  if (text.startsWith("<?xml")) return XML;
  if (isMarkup(text)) return PAGE;
  if (/^(\{\s*["}]|\[\s*["{[\]])/.test(text)) return JSON_TEXT;
  return text.startsWith("#EXTM3U") ? PLAYLIST : undefined;
}

export function otherKindError({ words, isText }: OtherKind, origin: string): UploadError | InputError {
  if (!isText)
    return new InputError(
      "not-a-video",
      `Cannot upload from ${origin}: it answered with ${words}, not with a video. Set anyType to upload it all the same`,
    );
  return new UploadError(
    "source-refused",
    `Cannot read the video: ${origin} answered with ${words} in its place, which mostly asks to sign in. Open the address again and take the new one`,
  );
}
