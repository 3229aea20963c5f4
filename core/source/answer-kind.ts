/** The answers in place of a video: an address that ends in ".mp4" may lead to a page that asks to sign in. */
import { InputError, UploadError } from "../errors/errors.ts";
import { isMarkup } from "../text/html.ts";

/** The kinds that mostly say, in place of a video, why there is none. */
const TEXTS = ["an HTML page", "JSON", "XML", "text"] as const;

/** Completes "answered with". */
export type OtherKind = (typeof TEXTS)[number] | "a playlist" | "a picture" | "another kind of file";

export function isText(kind: OtherKind | undefined): boolean {
  return TEXTS.some((text) => text === kind);
}

const LONGEST = 1_000;

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
  return kinds.find(isText) ?? kinds.find((kind) => kind !== undefined);
}

function kindOfOne(type: string): OtherKind | undefined {
  const [first = "", second = ""] = type.split("/");
  const words = second.split(/[.+_-]/);
  if (/mpegurl|^m3u8?$/.test(second) || (words.includes("dash") && /^(xml|mpd)$/.test(words.at(-1) ?? "")))
    return "a playlist";
  if (first === "video") return undefined;
  for (const word of words) {
    if (word.endsWith("html")) return "an HTML page";
    if (/json(\d|l|lines)?$/.test(word)) return "JSON";
    if (word.endsWith("xml")) return "XML";
    if (word.endsWith("script") || TEXT_WORDS.test(word)) return "text";
  }
  if (first.startsWith("text") || /^(html|json|xml)$/.test(first)) return "text";
  if (first === "image") return "a picture";
  return /^(font|message|model|multipart)$/.test(first) ? "another kind of file" : undefined;
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
  if (text.startsWith("<?xml")) return "XML";
  if (isMarkup(text)) return "an HTML page";
  if (/^(\{\s*["}]|\[\s*["{[\]])/.test(text)) return "JSON";
  return text.startsWith("#EXTM3U") ? "a playlist" : undefined;
}

export function otherKindError(kind: OtherKind, origin: string): UploadError | InputError {
  if (!isText(kind)) {
    const state = `it answered with ${kind}, not with a video. Give type "any" to upload it all the same`;
    return new InputError("not-a-video", `Cannot upload from ${origin}: ${state}`);
  }
  const state = `${origin} answered with ${kind} in its place, which mostly asks to sign in`;
  const advice = "Open the address again and take the new one";
  return new UploadError("source-refused", `Cannot read the video: ${state}. ${advice}`);
}
