/** Work in small slices, between which the page itself runs, and an end of all of them together. */

export interface TimeLimits {
  /** Milliseconds of one slice: less than half a frame, since the last step of a slice may outlast it. */
  slice: number;
  /** Milliseconds of all slices. */
  work: number;
  /** Milliseconds from the first slice to the last, the page's own work between them too. */
  look: number;
}

/** The popup waits longer than the whole look takes. */
export const TIME_LIMITS: TimeLimits = { slice: 5, work: 2000, look: 6000 };

/** Small steps between two looks at the clock. */
export const CLOCK_INTERVAL = 16;

export interface TimeSlice {
  /**
   * Whether the page is to run before the next step.
   *
   * @param steps how many small ones the next step is worth. @default 1
   */
  isOver(steps?: number): boolean;
  /** Lets the page run, and begins the next slice. */
  yieldToPage(): Promise<void>;
  /**
   * Whether there is no time for anything more.
   *
   * @param share of all the time there is. @default 1
   */
  isUsedUp(share?: number): boolean;
}

export function startTimeSlice({ slice, work, look }: TimeLimits = TIME_LIMITS): TimeSlice {
  const lookedAt = performance.now();
  let startedAt = lookedAt;
  let worked = 0;
  let steps = 0;
  return {
    isOver(next = 1) {
      steps += next;
      if (steps < CLOCK_INTERVAL) return false;
      steps = 0;
      return performance.now() - startedAt > slice;
    },
    async yieldToPage() {
      worked += performance.now() - startedAt;
      await new Promise((resolve) => setTimeout(resolve));
      startedAt = performance.now();
    },
    isUsedUp: (share = 1) => worked > work * share || startedAt - lookedAt > look * share,
  };
}

/** Milliseconds to wait for a frame of the screen; none comes in a tab that nobody sees. */
const PAINT_TIMEOUT = 100;

/** Waits for the moment in which a page's layout is known: asked at another, it would be worked out in one go. */
export async function afterPaint(slice: TimeSlice): Promise<void> {
  const painted = new Promise((resolve) => requestAnimationFrame(resolve));
  await Promise.race([painted, new Promise((resolve) => setTimeout(resolve, PAINT_TIMEOUT))]);
  await slice.yieldToPage();
}
