/** Work in small slices, between which the page itself goes on. */

/** Milliseconds of a slice: half a frame. */
const SLICE = 8;

export interface Pace {
  /** Whether this slice is used up. */
  isOver(): boolean;
  /** Lets the page go on. */
  rest(): Promise<void>;
}

export function keepPace(): Pace {
  let began = performance.now();
  return {
    isOver: () => performance.now() - began > SLICE,
    async rest() {
      await new Promise((resolve) => setTimeout(resolve));
      began = performance.now();
    },
  };
}
