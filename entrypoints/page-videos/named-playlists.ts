/** What manifests say that were read, and which playlists they name. Pure. */
import { identityOf } from "./video-identity.ts";

/** What a manifest said when it was read; `undefined` for one that could not be read. */
export type ReadManifest =
  | {
      /** Seconds; `undefined` where it tells none, or goes on. */
      duration: number | undefined;
      /** The addresses of all playlists that it names. */
      playlists: readonly string[];
    }
  | undefined;

/** Manifests that were read, or could not be, by the identities of their addresses. */
export type ReadManifests = ReadonlyMap<string, ReadManifest>;

/** Playlists of one manifest that count: none has as many, and all of them are compared with all addresses. */
export const MAX_PLAYLISTS = 100;

export interface NamedPlaylists {
  /** @param id the identity of the manifest's address */
  add(id: string, manifest: ReadManifest): void;
  /** True if an address is that of a playlist that a manifest names: signed again, it has another query. */
  has(address: string): boolean;
}

/** @param read manifests whose playlists are known. @default none */
export function collectNamedPlaylists(read: ReadManifests = new Map()): NamedPlaylists {
  const named = new Set<string>();
  const own: NamedPlaylists = {
    add(id, manifest) {
      for (const playlist of manifest?.playlists ?? []) {
        named.add(identityOf(playlist));
        // Where the query alone tells a main playlist from those that it names, it has to be the same.
        if (pathOf(playlist) !== pathOf(id)) named.add(pathOf(playlist));
      }
    },
    has: (address) => named.has(identityOf(address)) || named.has(pathOf(address)),
  };
  for (const [id, manifest] of read) own.add(id, manifest);
  return own;
}

/** An address or its identity, without scheme and query. */
export function pathOf(address: string): string {
  return address.replace(/^https?:\/\//i, "").split("?", 1)[0] ?? "";
}
