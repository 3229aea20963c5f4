/** What manifests say that were read, and which addresses are parts of them. Pure. */
import { identityOf } from "./video-identity.ts";

/** What a manifest said when it was read; `undefined` for one that could not be read. */
export type ReadManifest =
  | {
      /** Seconds; `undefined` where it tells none, or goes on. */
      duration: number | undefined;
      /** The addresses of all playlists that it names: they are parts of it. */
      playlists: readonly string[];
    }
  | undefined;

/** Manifests that were read, or could not be, by the identities of their addresses. */
export type ReadManifests = ReadonlyMap<string, ReadManifest>;

/** Playlists of one manifest that count: none has as many, and all of them are compared with all addresses. */
export const MAX_PLAYLISTS = 100;

export interface Parts {
  /** @param id the identity of the manifest's address */
  add(id: string, manifest: ReadManifest): void;
  /** True if an address is that of a playlist that a manifest names: signed again, it has another query. */
  has(address: string): boolean;
}

/** @param read manifests whose parts are known. @default none */
export function collectParts(read: ReadManifests = new Map()): Parts {
  const parts = new Set<string>();
  const own: Parts = {
    add(id, manifest) {
      for (const playlist of manifest?.playlists ?? []) {
        parts.add(identityOf(playlist));
        // Where the query alone tells a main playlist from its parts, it has to be the same.
        if (pathOf(playlist) !== pathOf(id)) parts.add(pathOf(playlist));
      }
    },
    has: (address) => parts.has(identityOf(address)) || parts.has(pathOf(address)),
  };
  for (const [id, manifest] of read) own.add(id, manifest);
  return own;
}

/** An address or its identity, without scheme and query. */
export function pathOf(address: string): string {
  return address.replace(/^https?:\/\//i, "").split("?", 1)[0] ?? "";
}
