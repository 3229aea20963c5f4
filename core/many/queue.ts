/** Work on the elements of a list, some at a time: each is taken when there is room for it, and none before. */
import { abandon, briefly } from "../abort.ts";

export interface Queue<Item, Outcome> {
  items: AsyncIterator<Item>;
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

export interface Turn<Item> {
  item: Item;
  index: number;
  /** True if it comes again: nothing else is left to do, and it waits for the other call. */
  isAgain: boolean;
}

/**
 * The turns of a list, as they are taken. Those that another call is uploading come again after all others, so that
 * several processes share the work of one list.
 */
export class Turns<Item> implements AsyncIterator<Turn<Item>, undefined> {
  readonly #items: Iterator<Item> | AsyncIterator<Item>;
  readonly #onEnd: (count: number) => void;
  readonly #later: Turn<Item>[] = [];
  #taken = 0;
  #isOver = false;
  #open = 0;
  #wake = () => {};

  /** @param onEnd called at the end of the list, with the number of its elements */
  constructor(list: Iterable<Item> | AsyncIterable<Item>, onEnd: (count: number) => void) {
    this.#items = Symbol.asyncIterator in list ? list[Symbol.asyncIterator]() : list[Symbol.iterator]();
    this.#onEnd = onEnd;
  }

  async next(): Promise<IteratorResult<Turn<Item>, undefined>> {
    if (!this.#isOver) {
      const { done, value } = await this.#items.next();
      if (done !== true) return this.#begin({ item: value, index: this.#taken++, isAgain: false });
      this.#isOver = true;
      this.#onEnd(this.#taken);
    }
    while (this.#later.length === 0 && this.#open > 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const turn = this.#later.shift();
    return turn === undefined ? { done: true, value: undefined } : this.#begin({ ...turn, isAgain: true });
  }

  async return(): Promise<IteratorResult<Turn<Item>, undefined>> {
    if (!this.#isOver) await this.#items.return?.();
    return { done: true, value: undefined };
  }

  end(): void {
    this.#open--;
    this.#wake();
  }

  postpone(turn: Turn<Item>): void {
    this.#later.push(turn);
  }

  #begin(value: Turn<Item>): IteratorResult<Turn<Item>, undefined> {
    this.#open++;
    return { done: false, value };
  }
}
