/** Work on the elements of a list, some at a time: each is taken when there is room for it, and none before. */
import { abandon, briefly, onAbort } from "../time/abort.ts";

export interface Turn<Item> {
  item: Item;
  index: number;
  /** True if it comes again: nothing else is left to do, and it waits for the other call. */
  isAgain: boolean;
}

export interface Queue<Item, Outcome> {
  list: Iterable<Item> | AsyncIterable<Item>;
  concurrency: number;
  /** Ends the work, which settles soon after. */
  signal: AbortSignal;
  /** Aborts that signal. */
  abort(reason: unknown): void;
  /** Called at the end of the list, with the number of its elements. */
  onEnd(count: number): void;
  /**
   * Works on an element; never rejects. `undefined` says that there is nothing to tell of it, "later" that another call has
   * it: it comes again after all others, so that several processes share the work of one list.
   */
  run(turn: Turn<Item>): Promise<Outcome | "later" | undefined>;
}

/**
 * Gives outcomes as they come, and takes elements while no more outcomes wait to be taken than may run at a time.
 *
 * An error of the list ends it, after the outcomes of the uploads that had begun. So does an abort.
 */
export async function* runQueue<Item, Outcome extends object>(
  queue: Queue<Item, Outcome>,
): AsyncGenerator<Outcome, undefined> {
  const { list, concurrency, signal } = queue;
  const items = Symbol.asyncIterator in list ? list[Symbol.asyncIterator]() : list[Symbol.iterator]();
  const finished: Outcome[] = [];
  const later: Turn<Item>[] = [];
  const work = new Set<Promise<void>>();
  let taken = 0;
  let isAsking = false;
  let isOver = false;
  let failure: { error: unknown } | undefined;
  let wake = () => {};

  const take = async () => {
    isAsking = true;
    try {
      const { done, value } = await items.next();
      if (done === true) {
        isOver = true;
        queue.onEnd(taken);
      } else if (!signal.aborted) start({ item: value, index: taken++, isAgain: false });
    } catch (error) {
      isOver = true;
      failure = { error };
    }
    isAsking = false;
    refill();
    wake();
  };
  const hasRoom = () =>
    work.size < concurrency && finished.length < concurrency && !isAsking && !signal.aborted;
  const refill = () => {
    if (!isOver && hasRoom()) void take();
    while (isOver && failure === undefined && hasRoom()) {
      const turn = later.shift();
      if (turn === undefined) break;
      start(turn);
    }
  };
  const start = (turn: Turn<Item>) => {
    const working: Promise<void> = queue.run(turn).then((outcome) => {
      work.delete(working);
      if (outcome === "later") later.push({ ...turn, isAgain: true });
      else if (outcome !== undefined) finished.push(outcome);
      refill();
      wake();
    });
    work.add(working);
  };
  const forget = onAbort(signal, () => wake());
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
    forget();
    // An upload that ends meanwhile takes nothing more.
    queue.abort(new DOMException("The loop over the uploads was left", "AbortError"));
    const end = async () => await items.return?.();
    // A list that is still asked for its next element may never give one.
    if (isAsking) abandon(end);
    else if (!isOver) await briefly(end());
    await Promise.all(work);
  }
}
