/** Which manifest an element plays that a script feeds with pieces: nothing in the page says so. Pure. */
import type { FoundVideo, FrameFindings } from "../../shared/page-video.ts";
import { complete, identityOf } from "../../shared/video-identity.ts";
import { isManifest } from "../../shared/video-kind.ts";
import { isWebAddress } from "../../shared/web-address.ts";

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

export interface Pairing {
  /** Each stream with the manifest that it plays, and what else is a video of its own, in the order they came. */
  videos: FoundVideo[];
  /** Addresses of manifests that have to be read before that is certain. */
  unread: string[];
}

/** The manifests of a frame, and what in it may play them. */
interface Sides {
  /** Elements that a script feeds, of which nobody knows with what. */
  streams: FoundVideo[];
  /** Elements that were given a manifest by its address. */
  playing: FoundVideo[];
  /** Manifests that one of the streams may play, in the order in which the page loaded them. */
  candidates: FoundVideo[];
  /** Whether the page has loaded them, and doesn't only name them. */
  areLoaded: boolean;
  /** Whether it may have loaded others since. */
  isForgetful: boolean;
}

/** Pairs the streams of one frame with the manifests that were found in it. */
export function pairStreams(
  { videos: found, isForgetful }: Pick<FrameFindings, "videos" | "isForgetful">,
  read: ReadManifests,
): Pairing {
  const isPart = partsOf(read);
  const videos = found.filter(
    ({ kind, shown, address }) => shown !== undefined || !isManifest(kind) || !isPart(address),
  );
  const sides = { ...sidesOf(videos), isForgetful };
  const { streams, playing, candidates, areLoaded } = sides;
  const unread = isPlain(sides)
    ? []
    : [...playing, ...candidates].filter(({ address }) => !read.has(identityOf(address)));
  const isSure = unread.length === 0;
  const pairs = isSure ? pairsOf(sides, read) : firstPair(sides);
  const taken = new Set(pairs.values());
  const rest = candidates.filter((each) => !taken.has(each));
  const readable = isSure ? rest.filter(({ address }) => read.get(identityOf(address))) : [];
  const hidden = new Set(areLoaded ? rest : []);
  if (streams.length + playing.length === 0)
    // Of those that can't be told from a part of another, the first one stands for all.
    for (const each of readable.length > 0 ? readable : rest.slice(0, 1)) hidden.delete(each);
  // A stream may play one of them. Where each has its own, the others were played before, or will be.
  else if (pairs.size < streams.length) for (const each of readable) hidden.delete(each);
  return {
    videos: videos.flatMap((video) => {
      if (taken.has(video) || hidden.has(video)) return [];
      const manifest = pairs.get(video);
      const found = manifest === undefined ? video : joined(video, manifest);
      const isCertain = isSure || !(streams.includes(video) || (areLoaded && rest.includes(video)));
      return [isCertain ? found : { ...found, isUncertain: true as const }];
    }),
    unread: unread.map(({ address }) => address),
  };
}

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
function pathOf(address: string): string {
  return address.replace(/^https?:\/\//i, "").split("?", 1)[0] ?? "";
}

function sidesOf(videos: FoundVideo[]): Omit<Sides, "isForgetful"> {
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
function isStream({ kind, address, shown }: FoundVideo): boolean {
  if (shown === undefined) return false;
  return kind === "media-source" || (kind === "drm" && !isWebAddress(address));
}

/** Whether there is nothing to be mistaken about. */
function isPlain({ streams, playing, candidates, areLoaded, isForgetful }: Sides): boolean {
  if (candidates.length === 0 || (!areLoaded && streams.length === 0)) return true;
  if (isForgetful && streams.length > 0) return false;
  return candidates.length === 1 && streams.length <= 1 && playing.length === 0;
}

/** What most likely is right: players load the manifest that names all others first. */
function firstPair({ streams, playing, candidates, areLoaded }: Sides): Map<FoundVideo, FoundVideo> {
  const [stream, ...others] = streams;
  const [manifest] = areLoaded ? candidates : [];
  const isLikely = stream !== undefined && others.length === 0 && playing.length === 0;
  return new Map(isLikely && manifest !== undefined ? [[stream, manifest]] : []);
}

/** Seconds, and share of the whole, by which an element and its manifest may differ in length. */
const [SAME_SECONDS, SAME_SHARE] = [2, 0.01];
/** Seconds that don't make one fit better than another. */
const EQUAL = 0.5;

/** By their lengths, the nearest first; then what is left on both sides. */
function pairsOf({ streams, candidates }: Sides, read: ReadManifests): Map<FoundVideo, FoundVideo> {
  const factsOf = ({ address }: FoundVideo) => read.get(identityOf(address));
  const partCount = (manifest: FoundVideo) => Math.min(1, factsOf(manifest)?.playlists.length ?? 0);
  /** Seconds that lie between them; `undefined` where one of them has no length to compare. */
  const apart = (stream: FoundVideo, manifest: FoundVideo) => {
    const [one, other] = [stream.duration, factsOf(manifest)?.duration];
    return one === undefined || other === undefined ? undefined : Math.abs(one - other);
  };
  const differ = (stream: FoundVideo, manifest: FoundVideo) =>
    (apart(stream, manifest) ?? 0) > Math.max(SAME_SECONDS, SAME_SHARE * (stream.duration ?? 0));
  const near = streams
    .flatMap((stream) => candidates.map((manifest, at) => ({ stream, manifest, at })))
    .flatMap((pair) => {
      const seconds = apart(pair.stream, pair.manifest);
      return seconds === undefined || differ(pair.stream, pair.manifest)
        ? []
        : [{ ...pair, step: Math.floor(seconds / EQUAL) }];
    })
    // What names others is the whole. A page that shows one video after the other plays the one that it loaded last.
    .sort((a, b) => a.step - b.step || partCount(b.manifest) - partCount(a.manifest) || b.at - a.at);
  const pairs = new Map<FoundVideo, FoundVideo>();
  const taken = new Set<FoundVideo>();
  const pair = (stream: FoundVideo, manifest: FoundVideo) => {
    if (pairs.has(stream) || taken.has(manifest)) return;
    pairs.set(stream, manifest);
    taken.add(manifest);
  };
  for (const { stream, manifest } of near) pair(stream, manifest);
  const [left, ...others] = streams.filter((stream) => !pairs.has(stream));
  if (left === undefined || others.length > 0) return pairs;
  const rest = candidates.filter((manifest) => !taken.has(manifest) && !differ(left, manifest));
  const manifest = rest.findLast((each) => factsOf(each)) ?? rest[0];
  if (manifest !== undefined) pair(left, manifest);
  return pairs;
}

/** The element tells how it is shown and called, the manifest where its pieces are. */
function joined(stream: FoundVideo, manifest: FoundVideo): FoundVideo {
  const video = { ...stream };
  complete(video, manifest);
  const aliases = [stream.address, ...stream.aliases, ...manifest.aliases].filter((each) => each !== "");
  if (stream.kind === "drm") return { ...video, aliases: [...aliases, manifest.address] };
  return { ...video, kind: manifest.kind, address: manifest.address, aliases };
}
