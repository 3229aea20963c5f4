/** Reads the manifests of a page to find out what plays them. */

import { collectParts, type ReadManifest } from "./manifest-parts.ts";
import { forPairing, type ManifestReader } from "./manifests.ts";
import { identityOf } from "./video-identity.ts";

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
  const parts = collectParts();
  const late = new Promise<"late">((resolve) => {
    if (milliseconds !== undefined) setTimeout(resolve, milliseconds, "late");
  });
  let [count, isLate] = [0, false];
  for (const address of addresses) {
    const id = identityOf(address);
    if (read.has(id)) continue;
    if (count >= MAX_MANIFESTS || parts.has(address)) {
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
    parts.add(id, manifest);
    // One that was read before is there at once, and what comes next would hold up the page.
    await new Promise((resolve) => setTimeout(resolve));
  }
  return { read, isLate };
}
