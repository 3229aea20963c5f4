/** Which videos of a page a person most likely came for. Pure. */
import type { FoundVideo } from "./page-video.ts";

type Ranked = Pick<FoundVideo, "shown" | "duration" | "isLink">;

/** Square pixels of a video that a page is about: 320 × 180. */
const LARGE = 320 * 180;
/** Seconds: a loop behind a text is short, and what is long is there to be watched. */
const [SHORT, LONG] = [20, 45];

/** Each line counts more than all below it together. */
export function rankOf({ shown, duration = 0, isLink }: Ranked): number {
  const facts = [
    shown?.sounding,
    shown?.playing,
    shown?.inView && shown.area >= LARGE,
    duration >= LONG,
    shown?.controls,
    shown !== undefined,
    !isLink,
  ];
  return facts.reduce((rank: number, fact) => rank * 2 + Number(fact === true), 0);
}

/** Tells whether it plays behind a text for decoration: without sound, by itself, and neither long nor to be controlled. */
export function isBackgroundLoop({ shown, duration }: Ranked): boolean {
  if (shown === undefined || !shown.muted || !shown.repeats) return false;
  if (duration !== undefined && duration >= LONG) return false;
  return !shown.controls || (duration !== undefined && duration < SHORT);
}
