/** Work in small slices, between which the page itself goes on. */

/** Milliseconds of a slice: half a frame. */
const SLICE = 8;

export interface TimeSlice {
  /** Whether this slice is used up. */
  isOver(): boolean;
  /** Lets the page go on. */
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
