/**
 * Which of its manifests each stream of a frame plays, as far as that is certain. Pure.
 *
 * A video that goes up under the title of another is worse than one that has to be chosen by itself. So a stream gets
 * the manifest that is as long as it is, where no other is, or as many others as there are streams of that length; and
 * where lengths can't be compared, only what is left alone.
 */

import { pathOf, type ReadManifest, type ReadManifests } from "./named-playlists.ts";
import type { FoundVideo } from "./page-video.ts";
import { identityOf, isSameLength } from "./video-identity.ts";

export interface Playable {
  /** Elements that a script feeds, of which nobody knows with what. */
  streams: FoundVideo[];
  /** Manifests that one of the streams may play, in the order in which the page loaded them. */
  candidates: FoundVideo[];
  /** True if the page may have loaded others since. */
  requestLogIsFull: boolean;
}

/** Seconds that don't make one fit better than another. */
const EQUAL = 0.5;

type Pairs = Map<FoundVideo, FoundVideo>;
/** Which video each of the manifests is: the same text for all addresses of one. */
type Videos = ReadonlyMap<FoundVideo, string>;

/** The streams of a frame with their manifests, all of which were read or can't be. */
export function pairsOf(sides: Playable, read: ReadManifests): Pairs {
  const videos: Videos = new Map(sides.candidates.map((each) => [each, videoOf(each, read)]));
  const pairs = pairsByLength(sides, read, videos);
  const left = sides.streams.filter((stream) => !pairs.has(stream));
  const [stream] = left;
  if (stream === undefined || left.length > 1) return pairs;
  const rest = sides.candidates.filter(
    (each) => !isTaken(each, pairs, videos) && !differ(stream, factsOf(each, read)),
  );
  const manifest = onlyOne(rest, read, videos);
  // What it plays may have been loaded after the browser stopped to note that.
  if (manifest !== undefined && !sides.requestLogIsFull) pairs.set(stream, manifest);
  return pairs;
}

/** The manifests that no stream has, and that no other manifest names. */
export function apartFrom(rest: readonly FoundVideo[], read: ReadManifests): FoundVideo[] {
  const isRead = (each: FoundVideo) => factsOf(each, read) !== undefined;
  const unread = rest.filter((each) => !isRead(each));
  return rest.filter((each) => isRead(each) || !unread.some((other) => mayName(other, each, rest)));
}

function pairsByLength(
  { streams, candidates, requestLogIsFull }: Playable,
  read: ReadManifests,
  videos: Videos,
): Pairs {
  const pairs: Pairs = new Map();
  const near = streams.flatMap((stream) =>
    candidates.flatMap((manifest) => {
      const facts = factsOf(manifest, read);
      const seconds = apart(stream, facts);
      if (seconds === undefined || differ(stream, facts)) return [];
      // What names others is the whole.
      const rank = 2 * Math.floor(seconds / EQUAL) + (facts?.playlists.length === 0 ? 1 : 0);
      return [{ stream, manifest, rank }];
    }),
  );
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    const open = near.filter((each) => !pairs.has(each.stream) && !isTaken(each.manifest, pairs, videos));
    const best = open.filter((each) => !open.some((other) => isBetter(other, each)));
    for (const stream of new Set(best.map((each) => each.stream))) {
      const own = ownOf(stream, best, videos);
      const isUncertain = own.length !== 1 && (requestLogIsFull || !own.every((each) => each.isRequested));
      const manifest = own[rivalsOf(stream, best).indexOf(stream)];
      if (manifest === undefined || isUncertain) continue;
      pairs.set(stream, manifest);
      isChanged = true;
    }
  }
  return pairs;
}

interface Near {
  stream: FoundVideo;
  manifest: FoundVideo;
  /** The lower, the better it fits. */
  rank: number;
}

/**
 * A manifest of each video that a stream may play, in the order of loading; none, where the streams that may play them are
 * fewer or more. Nothing but the order tells such streams apart: players mostly load in that of the page.
 */
function ownOf(stream: FoundVideo, near: readonly Near[], videos: Videos): FoundVideo[] {
  const own = near.filter((each) => each.stream === stream).map(({ manifest }) => manifest);
  const newest = new Map(own.map((each) => [videos.get(each), each]));
  const rivals = rivalsOf(stream, near);
  const shared = near.filter((each) => rivals.includes(each.stream));
  const isEven = shared.every((each) => own.includes(each.manifest)) && newest.size === rivals.length;
  return isEven && shared.length === rivals.length * own.length ? [...newest.values()] : [];
}

/** The streams that may play one of the manifests of a stream, itself among them, in the order of the page. */
function rivalsOf(stream: FoundVideo, near: readonly Near[]): FoundVideo[] {
  const own = near.filter((each) => each.stream === stream).map(({ manifest }) => manifest);
  return [...new Set(near.filter((each) => own.includes(each.manifest)).map((each) => each.stream))];
}

function isBetter(one: Near, other: Near): boolean {
  return (one.stream === other.stream || one.manifest === other.manifest) && one.rank < other.rank;
}

/** The manifest that it can only be; `undefined` where it may be another. */
function onlyOne(rest: readonly FoundVideo[], read: ReadManifests, videos: Videos): FoundVideo | undefined {
  const [first] = rest;
  const isUnread = rest.every((each) => factsOf(each, read) === undefined);
  // Players load the manifest that names all others first.
  if (isUnread && first !== undefined && rest.slice(1).every((each) => mayName(first, each, rest)))
    return first;
  return onlyVideo(rest, videos);
}

/** The last of the addresses of one video; `undefined` where there is more than one, or none. */
function onlyVideo(manifests: readonly FoundVideo[], videos: Videos): FoundVideo | undefined {
  return new Set(manifests.map((each) => videos.get(each))).size === 1 ? manifests.at(-1) : undefined;
}

function isTaken(manifest: FoundVideo, pairs: Pairs, videos: Videos): boolean {
  return [...pairs.values()].some((each) => videos.get(each) === videos.get(manifest));
}

/** The same for all addresses of one video: signed again, it has another query, and still names the same playlists. */
function videoOf({ address }: FoundVideo, read: ReadManifests): string {
  const [id, path] = [identityOf(address), pathOf(address)];
  const { duration, playlists = [] } = read.get(id) ?? {};
  // A query that tells a manifest from its playlists tells it from other videos too.
  if (playlists.length === 0 || playlists.some((each) => pathOf(each) === path)) return id;
  return JSON.stringify([path, duration, playlists.map(pathOf)]);
}

/** True if a manifest may name one that was loaded after it: such ones mostly lie beside it, or below. */
function mayName(manifest: FoundVideo, later: FoundVideo, order: readonly FoundVideo[]): boolean {
  const folder = pathOf(manifest.address).replace(/[^/]*$/, "");
  return order.indexOf(manifest) < order.indexOf(later) && pathOf(later.address).startsWith(folder);
}

function factsOf({ address }: FoundVideo, read: ReadManifests): ReadManifest {
  return read.get(identityOf(address));
}

/** Seconds that lie between them; `undefined` where one of them has no length to compare. */
function apart(stream: FoundVideo, facts: ReadManifest): number | undefined {
  const [one, other] = [stream.duration, facts?.duration];
  return one === undefined || other === undefined ? undefined : Math.abs(one - other);
}

function differ({ duration }: FoundVideo, facts: ReadManifest): boolean {
  if (duration === undefined || facts?.duration === undefined) return false;
  return !isSameLength(duration, facts.duration);
}
