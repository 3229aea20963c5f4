/**
 * Turns of the event loop, for loops over what comes from foreign code: a stream that has its next piece ready at once, be
 * it an empty one, would keep timers and aborts waiting for as long as it gives some.
 */
import { immediate } from "../runtime.ts";

/** Pieces that are taken in one turn: few enough for a turn to be short, and enough for turns not to cost time. */
const PIECES_PER_TURN = 500;

/** Gives a function to call before each piece: it lets others have their turn now and then. */
export function takeTurns(most: number = PIECES_PER_TURN): () => Promise<void> | undefined {
  let pieces = 0;
  return () => {
    if (++pieces % most !== 0) return undefined;
    return nextTurn();
  };
}

/**
 * Server runtimes have a call for it; by messages alone, Deno keeps timers waiting. In pages a message comes at once, while
 * those that nobody sees are given timers rarely. Not every edge has either.
 */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const setImmediate = immediate();
    if (setImmediate !== undefined) return void setImmediate(resolve);
    if (typeof MessageChannel === "undefined") return void setTimeout(resolve, 0);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
