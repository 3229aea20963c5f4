/** Digests by which the same file or address is recognised when it is given again. */
import type { FileDetails, StoredSource } from "./job.ts";

/** Of a job's source. None for what only its page can read: nothing of it stays the same. */
export async function sourceDigests(source: StoredSource): Promise<string[]> {
  if (source.kind === "file") return [await fileDigest(source)];
  if (source.kind !== "url" || source.url === undefined) return [];
  return await addressDigests({ address: source.url, size: source.size });
}

/** What is known of the first of these digests that anything is known of. */
export function findKnown<Value>(digests: string[], known: ReadonlyMap<string, Value>): Value | undefined {
  const digest = digests.find((each) => known.has(each));
  return digest === undefined ? undefined : known.get(digest);
}

/** Of what is known of a file without reading it. */
export async function fileDigest({ name, size, lastModified }: FileDetails): Promise<string> {
  return await digestOf(["file", name, size, lastModified]);
}

/**
 * Of an address, the whole one first. Signatures in a query change with each visit of its page, and some sites tell
 * their videos apart by the query alone: without it, an address counts only together with a size.
 */
export async function addressDigests({
  address,
  size,
}: {
  address: string;
  size?: number | undefined;
}): Promise<string[]> {
  const { origin, pathname, search } = new URL(address);
  const whole = digestOf(["address", origin + pathname + search]);
  if (size === undefined) return [await whole];
  return await Promise.all([whole, digestOf(["path", origin + pathname, size])]);
}

async function digestOf(parts: unknown[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
