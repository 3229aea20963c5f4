/** Players of other sites, which can't be looked into without a permission. */
import { isWebAddress, originOf } from "../shared/web-address.ts";
import { isPlayerLike } from "./player-like.ts";
import { afterPaint, type TimeSlice } from "./time-slice.ts";

/** Frames that are looked at. */
const MAX_FRAMES = 500;

/** The origin of each, of the largest first. */
export async function closedOriginsIn(frames: HTMLIFrameElement[], slice: TimeSlice): Promise<string[]> {
  const found: { origin: string; area: number }[] = [];
  if (frames.length > 0) await afterPaint(slice);
  for (const frame of frames.slice(0, MAX_FRAMES)) {
    if (slice.isOver()) await afterPaint(slice);
    if (slice.isUsedUp()) break;
    if (frame.contentDocument !== null || !isWebAddress(frame.src)) continue;
    if (isPlayerLike(frame))
      found.push({ origin: originOf(frame.src), area: frame.offsetWidth * frame.offsetHeight });
  }
  return found.sort((one, other) => other.area - one.area).map(({ origin }) => origin);
}

/** Pixels of the smallest window that shows a video. */
const SIDE = 120;

/** True if this is one of them, and a script was let in all the same. */
export function isApart(): boolean {
  return window !== window.parent && frameElement === null && innerWidth >= SIDE && innerHeight >= SIDE;
}
