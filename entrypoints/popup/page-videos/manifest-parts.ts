/** What manifests say that were read, and which addresses are parts of them. Pure. */
import { identityOf } from "../../shared/video-identity.ts";

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

/** Which addresses are those of playlists that a manifest names: signed anew, they have another query. */
export function partsOf(read: ReadManifests): (address: string) => boolean {
  const parts = new Set<string>();
  for (const [id, manifest] of read)
    for (const playlist of manifest?.playlists ?? []) {
      parts.add(identityOf(playlist));
      // Where the query alone tells a main playlist from its parts, it has to be the same.
      if (pathOf(playlist) !== pathOf(id)) parts.add(pathOf(playlist));
    }
  return (address) => parts.has(identityOf(address)) || parts.has(pathOf(address));
}

/** An address or its identity, without scheme and query. */
export function pathOf(address: string): string {
  return address.replace(/^https?:\/\//i, "").split("?", 1)[0] ?? "";
}
