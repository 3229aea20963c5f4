/** Work in small slices, between which the page itself goes on. */

/** Milliseconds of a slice: half a frame. */
const SLICE = 8;

export interface Pace {
  /** Lets the page go on if this slice is used up. */
  rest(): Promise<void>;
}

export function keepPace(): Pace {
  let began = performance.now();
  return {
    async rest() {
      if (performance.now() - began < SLICE) return;
      await new Promise((resolve) => setTimeout(resolve));
      began = performance.now();
    },
  };
}
