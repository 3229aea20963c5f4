/** The digest of content that is too long to be held: made piece by piece, by whatever the runtime has for it. */
import { hex } from "./digest.ts";
import { InputError } from "./errors.ts";
import { builtInCrypto } from "./runtime.ts";

export interface ContentHash {
  /** Takes the next bytes, which may change afterwards. */
  update(bytes: Uint8Array): void;
  /** The digest of all bytes, in hex; asked once. */
  digest(): Promise<string>;
}

/**
 * Opens a digest: by `node:crypto` in Node, Bun and Deno, by the stream that edge workers have, else by the package
 * hash-wasm.
 *
 * @param algorithm as a service names it, such as `sha256` or `SHA-256`
 * @returns `undefined` where nothing here knows the algorithm
 * @throws {InputError} `invalid-option` in a browser without hash-wasm, or with a policy that forbids it.
 */
export async function openContentHash(algorithm: string): Promise<ContentHash | undefined> {
  const name = algorithmName(algorithm);
  const crypto = builtInCrypto();
  if (crypto !== undefined) {
    if (!crypto.getHashes().includes(name)) return undefined;
    const hash = crypto.createHash(name);
    return { update: (bytes) => void hash.update(bytes), digest: async () => hash.digest("hex") };
  }
  if (name !== "sha256") return undefined;
  const { DigestStream } = globalThis.crypto as { DigestStream?: DigestStreamClass };
  if (DigestStream !== undefined) {
    const stream = new DigestStream("SHA-256");
    const writer = stream.getWriter();
    return {
      // It hashes as fast as it is written to.
      update: (bytes) => void writer.write(bytes.slice()),
      async digest() {
        await writer.close();
        return hex(await stream.digest);
      },
    };
  }
  const createSHA256 = await loadSha256().catch(() => {
    throw new InputError("invalid-option", "Cannot upload: verify needs the package hash-wasm here. Add it");
  });
  const hash = await createSHA256().catch(() => {
    const policy = "Add 'wasm-unsafe-eval' to script-src of the page's Content-Security-Policy";
    throw new InputError("invalid-option", `Cannot upload: verify needs WebAssembly here. ${policy}`);
  });
  return { update: (bytes) => void hash.update(bytes), digest: async () => hash.digest() };
}

/** Bundlers take this one function of the package along, since it is taken apart at once. */
async function loadSha256() {
  const { createSHA256 } = await import("hash-wasm");
  return createSHA256;
}

/** The name of an algorithm in one spelling, such as `sha256` for `SHA-256`. */
export function algorithmName(algorithm: string): string {
  return algorithm.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

type DigestStreamClass = new (
  algorithm: "SHA-256",
) => WritableStream<Uint8Array> & { digest: Promise<ArrayBuffer> };
