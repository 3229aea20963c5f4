/** True if an element and a manifest are as long as each other. Pure. */

/** Seconds, and share of the whole, by which both may differ: pieces are not cut at the very end. */
const [SAME_SECONDS, SAME_SHARE] = [2, 0.01];

export function isSameLength(playedSeconds: number, foundSeconds: number): boolean {
  return Math.abs(playedSeconds - foundSeconds) <= Math.max(SAME_SECONDS, SAME_SHARE * playedSeconds);
}
