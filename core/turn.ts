/**
 * Turns of the event loop, for loops over what comes from foreign code: a stream that has its next piece ready at once, be
 * it an empty one, would keep timers and aborts waiting for as long as it gives some.
 *
 * @module
 */

/** Pieces that are taken in one turn: few enough for a turn to be short, and enough for turns not to cost time. */
const PIECES_PER_TURN = 500;

/** Gives a function to call before each piece: it lets others have their turn now and then. */
export function takeTurns(): () => Promise<void> | undefined {
  let pieces = 0;
  return () => {
    if (++pieces % PIECES_PER_TURN !== 0) return undefined;
    return new Promise((resolve) => setTimeout(resolve, 0));
  };
}
