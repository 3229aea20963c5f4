/**
 * The turns of the sources of a list. Those that another call is uploading come again after all others, so that several processes
 * share the work of one list.
 */

/** A source of a list whose turn has come. */
export interface Turn<Item> {
  item: Item;
  /** Its position in the list. */
  index: number;
  /** True if it comes again: nothing else is left to do, and it waits for the other call. */
  isAgain: boolean;
}

/** The turns of a list, as they are taken. */
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

  /** One has ended. */
  end(): void {
    this.#open--;
    this.#wake();
  }

  /** One is to come again, once it has ended. */
  postpone(turn: Turn<Item>): void {
    this.#later.push(turn);
  }

  #begin(value: Turn<Item>): IteratorResult<Turn<Item>, undefined> {
    this.#open++;
    return { done: false, value };
  }
}
