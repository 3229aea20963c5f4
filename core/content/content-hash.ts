/** The digest of content that is too long to be held: made piece by piece, by whatever the runtime has for it. */

import { builtInCrypto } from "../runtime.ts";
import { hex } from "./digest.ts";

export interface ContentHash {
  /** Takes the next bytes, which may change afterwards. */
  update(bytes: Uint8Array): unknown;
  /** The digest of all bytes, in hex; asked once. */
  digest(): string | Promise<string>;
}

/** True if the runtime hashes piece by piece, which pages don't. */
export function hashesPieces(): boolean {
  return builtInCrypto() !== undefined || "DigestStream" in globalThis.crypto;
}

/**
 * Opens a digest: the caller's own, `node:crypto` in Node, Bun and Deno, or the stream that edge workers have.
 *
 * @param algorithm as a service names it, such as `sha256` or `SHA-256`
 * @param sha256 opens the caller's own
 * @returns `undefined` where nothing here knows the algorithm
 */
export async function openContentHash(
  algorithm: string,
  sha256?: () => Promise<ContentHash>,
): Promise<ContentHash | undefined> {
  const name = algorithmName(algorithm);
  if (name === "sha256" && sha256 !== undefined) return await sha256();
  const crypto = builtInCrypto();
  if (crypto !== undefined) {
    if (!crypto.getHashes().includes(name)) return undefined;
    const hash = crypto.createHash(name);
    return { update: (bytes) => hash.update(bytes), digest: () => hash.digest("hex") };
  }
  const { DigestStream } = globalThis.crypto as { DigestStream?: DigestStreamClass };
  if (name !== "sha256" || DigestStream === undefined) return undefined;
  const stream = new DigestStream("SHA-256");
  const writer = stream.getWriter();
  return {
    // The stream hashes as fast as it is written to.
    update: (bytes) => void writer.write(bytes.slice()),
    async digest() {
      await writer.close();
      return hex(await stream.digest);
    },
  };
}

/** The name of an algorithm in one spelling, such as `sha256` for `SHA-256`. */
export function algorithmName(algorithm: string): string {
  return algorithm.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

type DigestStreamClass = new (
  algorithm: "SHA-256",
) => WritableStream<Uint8Array> & { digest: Promise<ArrayBuffer> };
