/** Short digests of the parts of a video, which tell that what is read again is the same content. */
import { sha256 } from "../digest.ts";
import { PART_SIZE } from "./parts.ts";
import { changed } from "./url-request.ts";

/** Bytes that are hashed at a time: runtimes copy them for it. */
const BLOCK_SIZE = 1024 * 1024;
const DIGEST_SIZE = 64;

/**
 * The parts of a pass: each that is complete is remembered, or compared with what is remembered of it. No part is
 * held: a block of it is hashed together with the digest of what came before in the part.
 */
export class PartDigests {
  readonly #url: URL;
  readonly #known: string[];
  readonly #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(DIGEST_SIZE + BLOCK_SIZE);
  #complete = 0;
  #size = 0;
  /** Those of them that are in the buffer, behind the digest of the others. */
  #held = 0;

  constructor(url: URL, known: string[]) {
    this.#url = url;
    this.#known = known;
  }

  get end(): number {
    return this.#complete * PART_SIZE + this.#size;
  }

  async take(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length; ) {
      const taken = piece.subarray(at, at + BLOCK_SIZE - this.#held);
      this.#buffer.set(taken, DIGEST_SIZE + this.#held);
      this.#held += taken.length;
      this.#size += taken.length;
      at += taken.length;
      if (this.#size === PART_SIZE) await this.#close();
      else if (this.#held === BLOCK_SIZE) {
        new TextEncoder().encodeInto(await this.#digest(), this.#buffer);
        this.#held = 0;
      }
    }
  }

  /** The last part may be a short one. */
  async finish(): Promise<void> {
    if (this.#size > 0) await this.#close();
  }

  async compare(other: PartDigests): Promise<void> {
    if ((await this.#digest()) !== (await other.#digest())) throw changed(this.#url);
  }

  /** Short, since it stands in a journal once for every part, and guards against chance alone. */
  async #close(): Promise<void> {
    const found = (await this.#digest()).slice(0, 16);
    this.#known[this.#complete] ??= found;
    if (this.#known[this.#complete] !== found) throw changed(this.#url);
    this.#complete++;
    this.#size = 0;
    this.#held = 0;
    this.#buffer.fill(0, 0, DIGEST_SIZE);
  }

  #digest(): Promise<string> {
    return sha256(this.#buffer.subarray(0, DIGEST_SIZE + this.#held));
  }
}
