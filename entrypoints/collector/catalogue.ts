/**
 * The videos found so far, each once: what several finders say of the same address is put together. A page may show
 * any number of them; what is beyond the limits is left out. Pure.
 */
import type { FoundVideo } from "../page-videos/page-video.ts";
import { complete, identityOf } from "../page-videos/video-identity.ts";
import { videoKind } from "../shared/video-kind.ts";

export type Candidate = Omit<FoundVideo, "aliases"> & { aliases?: string[] };

export interface Catalogue {
  /** Adds a video, or what is new about one that is known. */
  add(candidate: Candidate): void;
  /** Takes a candidate of another address for a video that is listed; a file takes the place of what is none. */
  join(video: FoundVideo, candidate: Candidate): void;
  has(address: string): boolean;
  videos: FoundVideo[];
  isCut(): boolean;
}

export interface CatalogueLimits {
  videos: number;
  /** Characters of all addresses together: they are copied from process to process. */
  characters: number;
}

export const CATALOGUE_LIMITS: CatalogueLimits = { videos: 500, characters: 2 ** 21 };
/** In a frame of the page: there may be hundreds of them. */
export const FRAME_LIMITS: CatalogueLimits = { videos: 50, characters: 2 ** 16 };

export function openCatalogue(limits: CatalogueLimits = CATALOGUE_LIMITS): Catalogue {
  const videos: FoundVideo[] = [];
  const byIdentity = new Map<string, FoundVideo>();
  let characters = 0;
  let isCut = false;

  function addressesOf({ address, aliases = [] }: Candidate): Map<string, string> {
    // A stream that the page itself puts together has no address to be known by.
    const given = [address, ...aliases].filter((each) => each !== "");
    const addresses = new Map<string, string>();
    for (const each of given) {
      const identity = identityOf(each);
      if (!addresses.has(identity)) addresses.set(identity, each);
    }
    return addresses;
  }

  function put(candidate: Candidate, addresses: Map<string, string>, known: FoundVideo | undefined): void {
    const unknown = [...addresses].filter(([identity]) => !byIdentity.has(identity));
    const texts = [...unknown.map(([, address]) => address), candidate.poster ?? ""];
    const length = texts.reduce((sum, each) => sum + each.length, 0);
    if (characters + length > limits.characters || (known === undefined && videos.length >= limits.videos)) {
      isCut = true;
      return;
    }
    characters += length;
    const video = known ?? { ...candidate, aliases: [] };
    if (known === undefined) videos.push(video);
    else complete(known, candidate);
    for (const [identity, address] of unknown) {
      byIdentity.set(identity, video);
      if (address !== video.address) video.aliases.push(address);
    }
  }

  return {
    videos,
    isCut: () => isCut,
    has: (address) => byIdentity.has(identityOf(address)),
    add(candidate) {
      const addresses = addressesOf(candidate);
      const known = [...addresses.keys()].find((identity) => byIdentity.has(identity));
      put(candidate, addresses, byIdentity.get(known ?? ""));
    },
    join(video, candidate) {
      if (!videoKind(video).isWhole) {
        if (video.address !== "") video.aliases.push(video.address);
        Object.assign(video, { kind: candidate.kind, address: candidate.address });
      }
      put(candidate, addressesOf(candidate), video);
    },
  };
}
