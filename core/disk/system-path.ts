/** Paths as a file system has them, where a text alone can't say them. */
import { Buffer } from "node:buffer";
import { platform } from "node:os";
import { win32 } from "node:path";

/** Matches a valid sequence of UTF-8, its bytes as Latin-1 shows them, or else a single byte. */
const SEQUENCE =
  /[\0-\x7f]+|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|([\x80-\xff])/g;
/** Half a character, which stands for a byte that is no UTF-8: U+DC80 for 0x80, as in Python. */
const BYTE = /([\udc80-\udcff])/u;

/** A path from its bytes: those that are no UTF-8 become halves of characters, so that `systemPath()` gives the same bytes. */
export function pathText(bytes: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = bytes;
  const latin1 = Buffer.from(buffer, byteOffset, byteLength).toString("latin1");
  return latin1.replace(SEQUENCE, (sequence: string, byte: string | undefined) =>
    byte === undefined
      ? Buffer.from(sequence, "latin1").toString()
      : String.fromCharCode(0xdc00 + byte.charCodeAt(0)),
  );
}

/**
 * A path as the file system takes it: the bytes of `pathText()`; on Windows without the limit of 260 characters and with names
 * that stand for devices elsewhere, such as `aux.mp4`.
 */
export function systemPath(path: string, system: string = platform()): string | Buffer {
  if (system === "win32") return win32.toNamespacedPath(path);
  if (!BYTE.test(path)) return path;
  const parts = path.split(BYTE);
  return Buffer.concat(
    parts.map((part, at) => (at % 2 === 0 ? Buffer.from(part) : Buffer.of(part.charCodeAt(0) & 0xff))),
  );
}

/** A path or a name for people and services, with each byte that is no UTF-8 as `\xE9`. */
export function shownPath(path: string): string {
  return path
    .split(BYTE)
    .map((part, at) => (at % 2 === 0 ? part : `\\x${(part.charCodeAt(0) & 0xff).toString(16).toUpperCase()}`))
    .join("");
}
