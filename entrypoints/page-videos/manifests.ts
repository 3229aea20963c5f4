/** Reads the manifests of videos in pieces, each once, and few at a time. */

import type { Access } from "../reach/host-permissions.ts";
import { createTurns } from "../shared/turns.ts";
import { collectNamedPlaylists, MAX_PLAYLISTS, type ReadManifest } from "./named-playlists.ts";
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

/** What a manifest says, for finding out which element plays it. */
function forPairing(manifest: Manifest | undefined): ReadManifest {
  if (manifest === undefined || manifest.refused) return undefined;
  const { duration, playlists } = manifest;
  return { duration, playlists: playlists.slice(0, MAX_PLAYLISTS) };
}

/** Manifests that are read: a page with more shows a catalogue. */
const MAX_MANIFESTS = 12;

export interface ReadInTime {
  read: Map<string, ReadManifest>;
  /** True if one of them was not read by then. */
  isLate: boolean;
}

/**
 * Reads manifests in the order they were loaded, but for those that one of them has named by then.
 *
 * @param milliseconds for all of them. @default as long as it takes: each has its own time
 */
export async function readAll(
  addresses: string[],
  manifests: Pick<ManifestReader, "read">,
  milliseconds?: number,
): Promise<ReadInTime> {
  const read = new Map<string, ReadManifest>();
  const named = collectNamedPlaylists();
  const late = new Promise<"late">((resolve) => {
    if (milliseconds !== undefined) setTimeout(resolve, milliseconds, "late");
  });
  let [count, isLate] = [0, false];
  for (const address of addresses) {
    const id = identityOf(address);
    if (read.has(id)) continue;
    if (count >= MAX_MANIFESTS || named.has(address)) {
      // An element may play it all the same, and would wait for it.
      read.set(id, undefined);
      continue;
    }
    count++;
    const found = await Promise.race([manifests.read(address), late]);
    if (found === "late") {
      isLate = true;
      continue;
    }
    const manifest = forPairing(found);
    read.set(id, manifest);
    named.add(id, manifest);
    // A manifest that was read before is there at once, and what comes next would hold up the page.
    await new Promise((resolve) => setTimeout(resolve));
  }
  return { read, isLate };
}
