/** The videos found so far, each once: what several finders say of the same address is put together. Pure. */
import type { FoundVideo } from "../shared/page-video.ts";

export type Candidate = Omit<FoundVideo, "aliases"> & { aliases?: string[] };

export interface Catalogue {
  /** Adds a video, or what is new about one that is known. */
  add(candidate: Candidate): void;
  has(address: string): boolean;
  videos: FoundVideo[];
}

export function openCatalogue(): Catalogue {
  const videos: FoundVideo[] = [];
  const byAddress = new Map<string, FoundVideo>();
  return {
    videos,
    has: (address) => byAddress.has(address),
    add({ aliases = [], ...candidate }) {
      // A stream that the page itself puts together has no address to be known by.
      const addresses = [candidate.address, ...aliases].filter((address) => address !== "");
      const known = addresses.map((address) => byAddress.get(address)).find((found) => found !== undefined);
      const video = known ?? { ...candidate, aliases: [] };
      if (known === undefined) videos.push(video);
      else Object.assign(known, { ...candidate, ...known });
      for (const address of addresses) {
        if (byAddress.has(address)) continue;
        byAddress.set(address, video);
        if (address !== video.address) video.aliases.push(address);
      }
    },
  };
}
