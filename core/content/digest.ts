/** Fingerprints: what stands in a journal in place of addresses, tokens and file names. */
import { InputError } from "../errors/errors.ts";
import { builtInCrypto } from "../runtime.ts";

/** The sha-256 of texts and bytes, in hex; each part is prefixed by its length, so that parts can't run together. */
export async function digest(parts: Iterable<string | Uint8Array>): Promise<string> {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  for (const part of parts) {
    const bytes = typeof part === "string" ? encoder.encode(part) : part;
    pieces.push(encoder.encode(`${bytes.length}:`), bytes);
  }
  const hash = builtInCrypto()?.createHash("sha256");
  if (hash === undefined) return await sha256(joined(pieces));
  for (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}

export function joined(
  parts: readonly Uint8Array[],
  allocate: (size: number) => Uint8Array<ArrayBuffer> = (size) => new Uint8Array(size),
): Uint8Array<ArrayBuffer> {
  const whole = allocate(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The HMAC of texts by sha-256, in hex: nobody makes it without the key. Rejects an empty one, as WebCrypto does. */
export async function authenticate(key: string, texts: readonly string[]): Promise<string> {
  if (key === "") throw new TypeError("the key is empty");
  const text = JSON.stringify(texts);
  const builtIn = builtInCrypto();
  if (builtIn !== undefined) return builtIn.createHmac("sha256", key).update(text).digest("hex");
  const { subtle } = globalThis.crypto;
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await subtle.importKey("raw", encoder.encode(key), algorithm, false, ["sign"]);
  return hex(await subtle.sign("HMAC", imported, encoder.encode(text)));
}

export async function sha256(bytes: BufferSource): Promise<string> {
  const { subtle } = globalThis.crypto;
  if (subtle === undefined) {
    throw new InputError(
      "invalid-option",
      "Cannot fingerprint a source: this page is not a secure context. Serve it over https or from localhost",
    );
  }
  return hex(await subtle.digest("SHA-256", bytes));
}

export function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** JSON with its keys in order, so that equal records give equal text. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
