/**
 * Which findings are one and the same video. Pure.
 *
 * The rule: two addresses are one video if host, path and query are the same, but for the scheme, the order of the
 * query, and what in it only keeps a cache from answering (`_=1`, `cb=…`, `ts=…`, `v=3`), counts visits (`utm_…`),
 * signs the path before it (`X-Amz-…`, `X-Goog-…`) or asks a playlist for what is new (`_HLS_…`). Anything else in a query may choose the video: `id=1` and `id=2`
 * are two, and so are two tokens, since some servers give by the token alone what they give.
 */
import type { FoundVideo, Shown } from "./page-video.ts";

const PASSING =
  /^(_|cb|cache-?bust(er)?|no-?cache|rnd|rand(om)?|ts|timestamp|utm_\w{1,20}|x-(amz|goog)-[\w-]{1,40}|_hls_\w{1,20})$/i;
/** With a number alone: of anything else it might be the name. */
const COUNTING = /^(v|ver|version|t)$/i;

const MAX_QUERY = 2000;

/** The same text for all addresses of one video. */
export function identityOf(address: string): string {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return address;
  const url = new URL(address);
  const { host, pathname, search } = url;
  if (search === "") return host + pathname;
  // Nobody writes so much only to keep a cache out.
  if (search.length > MAX_QUERY) return host + pathname + search;
  const { searchParams } = url;
  const chosen = [...searchParams].filter(([name, value]) => !isPassing(name, value));
  if (chosen.length === 0) return host + pathname;
  const query = new URLSearchParams(chosen);
  query.sort();
  return `${host}${pathname}?${query}`;
}

function isPassing(name: string, value: string): boolean {
  if (PASSING.test(name)) return true;
  // A time by itself: `tour.mp4?1684839201`.
  if (value === "") return /^\d{6,}$/.test(name);
  return COUNTING.test(name) && /^\d{1,20}(\.\d{1,20})*$/.test(value);
}

/** Completes what is known of a video by what another place of the page says of it. */
export function complete(known: FoundVideo, more: Partial<FoundVideo>): void {
  const shown = joinShown(known.shown, more.shown);
  const isLink = known.isLink && more.isLink;
  Object.assign(known, { ...more, ...known, aliases: known.aliases });
  if (shown !== undefined) known.shown = shown;
  if (!isLink) delete known.isLink;
}

/** Shown in two places, as a loop behind a text and large in the middle: what says more about it counts. */
function joinShown(one: Shown | undefined, other: Shown | undefined): Shown | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    playing: one.playing || other.playing,
    sounding: one.sounding || other.sounding,
    inView: one.inView || other.inView,
    controls: one.controls || other.controls,
    area: Math.max(one.area, other.area),
    muted: one.muted && other.muted,
    repeats: one.repeats && other.repeats,
  };
}

/** Seconds, and share of the whole, by which an element and its manifest may differ: pieces are not cut at the very end. */
const [SAME_SECONDS, SAME_SHARE] = [2, 0.01];

export function isSameLength(playedSeconds: number, foundSeconds: number): boolean {
  return Math.abs(playedSeconds - foundSeconds) <= Math.max(SAME_SECONDS, SAME_SHARE * playedSeconds);
}
