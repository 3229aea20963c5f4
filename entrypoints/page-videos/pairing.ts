/** Which manifest an element plays that a script feeds with pieces: nothing in the page says so. Pure. */

import { isManifest, videoKind } from "../shared/video-kind.ts";
import { isWebAddress } from "../shared/web-address.ts";
import type { NamedPlaylists, ReadManifests } from "./named-playlists.ts";
import type { FoundVideo, FrameFindings } from "./page-video.ts";
import { apartFrom, type Playable, pairsOf } from "./stream-pairs.ts";
import { complete, identityOf } from "./video-identity.ts";

export interface Pairing {
  /** Each stream with the manifest that it plays, and what else is a video of its own, in the order they came. */
  videos: FoundVideo[];
  /** Addresses of manifests that have to be read before that is certain. */
  unread: string[];
}

interface Sides extends Playable {
  /** Elements that were given a manifest by its address. */
  playing: FoundVideo[];
  /** True if the page has loaded the candidates, and doesn't only name them. */
  areLoaded: boolean;
}

/**
 * Pairs the streams of one frame with the manifests that were found in it.
 *
 * @param named by all manifests that were read
 */
export function pairStreams(
  { videos: found, requestLogIsFull }: Pick<FrameFindings, "videos" | "requestLogIsFull">,
  read: ReadManifests,
  named: NamedPlaylists,
): Pairing {
  const videos = found.filter(
    ({ kind, shown, address }) => shown !== undefined || !isManifest(kind) || !named.has(address),
  );
  const sides = { ...sidesOf(videos), requestLogIsFull };
  const { streams, playing, candidates, areLoaded } = sides;
  const unread = isPlain(sides)
    ? []
    : [...playing, ...candidates].filter(({ address }) => !read.has(identityOf(address)));
  const isSure = unread.length === 0;
  const pairs = isSure ? pairsOf(sides, read) : firstPair(sides);
  const taken = new Set(pairs.values());
  const rest = candidates.filter((each) => !taken.has(each));
  const apart = isSure ? apartFrom(rest, read) : [];
  const hidden = new Set(areLoaded ? rest : []);
  if (streams.length + playing.length === 0)
    // Of those that can't be told from one that another names, the first one stands for all.
    for (const each of apart.length > 0 ? apart : rest.slice(0, 1)) hidden.delete(each);
  // A stream may play one of them. Where each has its own, the others were played before, or will be.
  else if (pairs.size < streams.length) for (const each of apart) hidden.delete(each);
  return {
    videos: videos.flatMap((video) => {
      if (taken.has(video) || hidden.has(video)) return [];
      const manifest = pairs.get(video);
      const found = manifest === undefined ? video : joined(video, manifest, read);
      const isCertain = isSure || !(streams.includes(video) || (areLoaded && rest.includes(video)));
      return [isCertain ? found : { ...found, isUncertain: true as const }];
    }),
    unread: unread.map(({ address }) => address),
  };
}

function sidesOf(videos: FoundVideo[]): Omit<Sides, "requestLogIsFull"> {
  const manifests = videos.filter(({ kind }) => isManifest(kind));
  const named = manifests.filter(({ shown, isLink }) => shown === undefined && !isLink);
  const loaded = named.filter(({ isRequested }) => isRequested);
  return {
    streams: videos.filter(isStream),
    playing: manifests.filter(({ shown }) => shown !== undefined),
    candidates: loaded.length > 0 ? loaded : named,
    areLoaded: loaded.length > 0,
  };
}

/** What is protected plays a manifest too, which then is nothing to be taken. */
function isStream(video: FoundVideo): boolean {
  if (video.shown === undefined) return false;
  const { isFed, isProtected } = videoKind(video);
  return isFed === true || (isProtected === true && !isWebAddress(video.address));
}

/** True if reading them would tell nothing. */
function isPlain({ streams, playing, candidates, areLoaded, requestLogIsFull }: Sides): boolean {
  if (candidates.length === 0 || (!areLoaded && streams.length === 0)) return true;
  if (requestLogIsFull && streams.length > 0) return false;
  const isOne = candidates.length === 1 && streams.length <= 1 && playing.length === 0;
  // A manifest alone may be an advertisement's: where the element has a length, it is compared.
  return isOne && streams[0]?.duration === undefined;
}

/** What most likely is right: players load the manifest that names all others first. */
function firstPair({ streams, playing, candidates, areLoaded }: Sides): Map<FoundVideo, FoundVideo> {
  const [stream, ...others] = streams;
  const [manifest] = areLoaded || candidates.length === 1 ? candidates : [];
  const isLikely = stream !== undefined && others.length === 0 && playing.length === 0;
  return new Map(isLikely && manifest !== undefined ? [[stream, manifest]] : []);
}

/** The element tells how it is shown and called, the manifest where its pieces are. */
function joined(stream: FoundVideo, manifest: FoundVideo, read: ReadManifests): FoundVideo {
  const video = { ...stream };
  complete(video, manifest);
  const aliases = [stream.address, ...stream.aliases, ...manifest.aliases].filter((each) => each !== "");
  if (videoKind(stream).isProtected) return { ...video, aliases: [...aliases, manifest.address] };
  const isCompared = read.get(identityOf(manifest.address))?.duration !== undefined;
  return {
    ...video,
    ...(!isCompared && stream.duration !== undefined && { playedSeconds: stream.duration }),
    kind: manifest.kind,
    address: manifest.address,
    aliases,
  };
}
