/**
 * Memory that is used again and again: that of each piece and its fragment would live long enough to be costly garbage in
 * every runtime.
 *
 * @module
 */

const MiB = 1024 ** 2;

/** Gives out memory, and takes it back. */
export class Memory {
  readonly #most: number;
  readonly #free: ArrayBuffer[] = [];

  /** @param most runs of memory that are kept for later */
  constructor(most: number) {
    this.#most = most;
  }

  take(size: number): Uint8Array<ArrayBuffer> {
    const at = this.#free.findIndex(({ byteLength }) => byteLength >= size);
    const [found] = at < 0 ? [] : this.#free.splice(at, 1);
    // A little more than is needed: the next piece is mostly about as large.
    const buffer = found ?? new ArrayBuffer(Math.ceil((1.25 * size) / MiB) * MiB);
    return new Uint8Array(buffer, 0, size);
  }

  /** Nothing may use it any more. The largest ones are kept. */
  give({ buffer }: Uint8Array<ArrayBuffer>): void {
    this.#free.push(buffer);
    this.#free.sort((a, b) => a.byteLength - b.byteLength);
    if (this.#free.length > this.#most) this.#free.shift();
  }
}
