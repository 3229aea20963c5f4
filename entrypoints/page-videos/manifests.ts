/** Reads the manifests of videos in pieces, each once, and few at a time. */

import type { Access } from "../reach/page-access.ts";
import { createTurns } from "../shared/turns.ts";
import { MAX_PLAYLISTS, type ReadManifest } from "./manifest-parts.ts";
import type { Manifest } from "./read-manifest.ts";
import { identityOf } from "./video-identity.ts";

/** Manifests at a time: each takes a request for each of its qualities. */
const MAX_READS = 2;

export interface ManifestReader {
  /** What a manifest says; `undefined` where it may not be read. */
  read(address: string): Promise<Manifest | undefined>;
  known(address: string): Manifest | undefined;
}

export function createManifestReader(access: Access): ManifestReader {
  const manifests = new Map<string, Promise<Manifest | undefined>>();
  const known = new Map<string, Manifest>();
  const inTurn = createTurns(MAX_READS);

  async function readNow(address: string): Promise<Manifest | undefined> {
    try {
      // Loaded when it is needed: the popup is there before.
      const { readManifest } = await import("./read-manifest.ts");
      return await readManifest(address, access);
    } catch {
      // The code itself could not be loaded: the extension was updated meanwhile.
      return undefined;
    }
  }

  async function readOnce(address: string, id: string): Promise<Manifest | undefined> {
    const manifest = await inTurn(() => readNow(address));
    if (manifest !== undefined) known.set(id, manifest);
    return manifest;
  }

  return {
    read(address) {
      const id = identityOf(address);
      const manifest = manifests.get(id) ?? readOnce(address, id);
      manifests.set(id, manifest);
      return manifest;
    },
    known: (address) => known.get(identityOf(address)),
  };
}

/** The same for finding out which element plays it. */
export function forPairing(manifest: Manifest | undefined): ReadManifest {
  if (manifest === undefined || manifest.refused) return undefined;
  const { duration, playlists } = manifest;
  return { duration, playlists: playlists.slice(0, MAX_PLAYLISTS) };
}
