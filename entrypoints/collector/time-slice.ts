/** Work in small slices, between which the page itself runs. */

/** Milliseconds of a slice: half a frame. */
const SLICE = 8;

export interface TimeSlice {
  /** Whether this slice is used up. */
  isOver(): boolean;
  /** Lets the page run, and begins the next slice. */
  yieldToPage(): Promise<void>;
}

export function startTimeSlice(): TimeSlice {
  let startedAt = performance.now();
  return {
    isOver: () => performance.now() - startedAt > SLICE,
    async yieldToPage() {
      await new Promise((resolve) => setTimeout(resolve));
      startedAt = performance.now();
    },
  };
}
