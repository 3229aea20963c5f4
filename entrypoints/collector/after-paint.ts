/** Waits for the moment in which a page's layout is known: asked at another, it would be worked out in one go. */
import type { TimeSlice } from "./time-slice.ts";

/** Milliseconds to wait for a frame of the screen; none comes in a tab that nobody sees. */
const PAINT_TIMEOUT = 100;

export async function afterPaint(slice: TimeSlice): Promise<void> {
  const painted = new Promise((resolve) => requestAnimationFrame(resolve));
  await Promise.race([painted, new Promise((resolve) => setTimeout(resolve, PAINT_TIMEOUT))]);
  await slice.yieldToPage();
}
