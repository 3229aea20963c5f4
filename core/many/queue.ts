/** Work on the elements of a list, some at a time: each is taken when there is room for it, and none before. */

import { abandon, briefly } from "../abort.ts";

/** A list, and what is done with its elements. */
export interface Queue<Item, Outcome> {
  items: AsyncIterator<Item>;
  /** Most elements at a time. */
  concurrency: number;
  /** Ends the work, which settles soon after. */
  signal: AbortSignal;
  /** Works on an element; never rejects. `undefined` says that there is nothing to tell of it. */
  run(item: Item): Promise<Outcome | undefined>;
}

/**
 * Gives outcomes as they come, and takes elements while no more outcomes wait to be taken than may run at a time.
 *
 * An error of the list ends it, after the outcomes of the uploads that had begun. So does an abort.
 */
export async function* runQueue<Item, Outcome>(
  queue: Queue<Item, Outcome>,
): AsyncGenerator<Outcome, undefined> {
  const { items: iterator, concurrency, signal } = queue;
  const finished: Outcome[] = [];
  const work = new Set<Promise<void>>();
  let isAsking = false;
  let isOver = false;
  let failure: { error: unknown } | undefined;
  let wake = () => {};

  const take = async () => {
    isAsking = true;
    try {
      const next = await iterator.next();
      if (next.done === true) isOver = true;
      else if (!signal.aborted) start(next.value);
    } catch (error) {
      isOver = true;
      failure = { error };
    }
    isAsking = false;
    refill();
    wake();
  };
  const refill = () => {
    const isFull = work.size >= concurrency || finished.length >= concurrency;
    if (!isFull && !isAsking && !isOver && !signal.aborted) void take();
  };
  const start = (item: Item) => {
    const working: Promise<void> = queue.run(item).then((outcome) => {
      work.delete(working);
      if (outcome !== undefined) finished.push(outcome);
      refill();
      wake();
    });
    work.add(working);
  };
  const stop = () => wake();
  signal.addEventListener("abort", stop);
  try {
    refill();
    for (;;) {
      const outcome = finished.shift();
      if (outcome !== undefined) {
        refill();
        yield outcome;
      } else if (work.size === 0 && (signal.aborted || (isOver && !isAsking))) break;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    if (failure !== undefined) throw failure.error;
    signal.throwIfAborted();
    return undefined;
  } finally {
    signal.removeEventListener("abort", stop);
    const isOpen = !isOver;
    // An upload that ends meanwhile takes nothing more.
    isOver = true;
    const end = async () => await iterator.return?.();
    // A list that is still asked for its next element may never give one.
    if (isAsking) abandon(end);
    else if (isOpen) await briefly(end());
  }
}
