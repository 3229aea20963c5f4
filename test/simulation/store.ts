/**
 * The stores behind an upload host, as they were measured: one that counts bytes, and those that put parts together, with the
 * ways in which they lose and double them. They keep where bytes come from instead of the bytes.
 */
import type { Content } from "./source.ts";
import type { Random } from "./world.ts";

/** Bytes that stand in these versions of the source, or in none. */
interface Run {
  versions: readonly Content[];
  start: number;
  size: number;
}

export interface StoreTraits {
  name: string;
  /** Bytes of its parts; 0 for one that counts bytes. */
  partSize: number;
  /** True if the tail of a request may overtake its parts (A), as in the first versions. */
  overtakes: boolean;
  /** True if it takes one request at a time, and keeps and counts what a broken one brought. */
  locks: boolean;
}

const MiB = 2 ** 20;
/** Bytes that every store takes as a part. */
const LEAST_PART = 5 * MiB;

export const STORES: readonly StoreTraits[] = [
  { name: "bytes", partSize: 0, overtakes: false, locks: true },
  { name: "parts, version 1", partSize: 8 * MiB, overtakes: true, locks: false },
  { name: "parts, version 2", partSize: 8 * MiB, overtakes: false, locks: true },
];

export class Upload {
  /** Unknown for a stream until its end. */
  size: number | undefined;
  /** By their number; bytes by their place. */
  readonly parts: Map<number, Run[]> = new Map();
  /** What is stored beside the parts, and comes before whatever is sent next. */
  rest: Run[] = [];
  /** The file that was made of it. */
  object: Run[] | undefined;
  isSwept = false;
  isGone = false;
  begunAt = 0;
  /** Ends the last request that brings something. */
  interrupt = () => {};
  /** Resolves when it is free for the next request, where one is taken at a time. */
  free: Promise<void> = Promise.resolve();
  /** What an older replica tells. */
  stale: number | undefined;
  /** The contents that it may be of. */
  readonly versions: readonly Content[];

  constructor(size: number | undefined, versions: readonly Content[]) {
    this.size = size;
    this.versions = versions;
  }

  offset(traits: StoreTraits): number {
    // What was swept is taken for what was put together.
    if (this.object !== undefined || this.isSwept) return this.size ?? sum(this.object ?? []);
    return sum(this.content(traits)) + (traits.locks ? sum(this.rest) : 0);
  }

  /** The object's parts in their order, those behind a missing one too; of bytes, those up to the first that is missing. */
  content({ partSize }: StoreTraits): Run[] {
    const runs: Run[] = [];
    for (const [key, part] of [...this.parts].sort(([a], [b]) => a - b)) {
      const at = sum(runs);
      if (partSize === 0 && key > at) break;
      let known = partSize === 0 ? at - key : 0;
      for (const { versions, start, size } of part) {
        const skipped = Math.min(known, size);
        known -= skipped;
        if (skipped < size) runs.push({ versions, start: start + skipped, size: size - skipped });
      }
    }
    return runs;
  }

  /** The version of the source that the file is a copy of. */
  whole(): Content | undefined {
    const runs = this.object ?? [];
    let at = 0;
    for (const { start, size } of runs) {
      if (start !== at) return undefined;
      at += size;
    }
    return this.versions.find(
      (version) => version.size === at && runs.every(({ versions }) => versions.includes(version)),
    );
  }
}

interface Taking {
  random: Random;
  traits: StoreTraits;
  upload: Upload;
  /** Tells whether what is stored now fails: a part, or putting all of them together. */
  trouble: (isJoin: boolean) => boolean;
  /** Called once all of it is stored. */
  release: () => void;
  soon: (run: () => void, longest: number) => void;
}

/** One body that a store takes. */
export class Storing {
  readonly #how: Taking;
  readonly #partSize: number;
  #position: number;
  #number: number;
  #held: Run[];
  /** Parts that are on their way to the store. */
  #pending = 0;
  #hasFailed = false;
  #isOver = false;
  #onStored = () => {};

  /** @param start where the request says that it begins */
  constructor(how: Taking, start: number) {
    const { upload, traits } = how;
    this.#how = how;
    this.#position = start;
    this.#partSize = traits.partSize || Number.POSITIVE_INFINITY;
    // Behind those that it has (version 1), or behind the last one (version 2).
    const last = traits.locks ? Math.max(0, ...upload.parts.keys()) : upload.parts.size;
    this.#number = traits.partSize === 0 ? start - 1 : last;
    this.#held = upload.rest;
    upload.rest = [];
  }

  take(bytes: Uint8Array) {
    if (this.#isOver) return;
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + Math.min(bytes.length, this.#partSize - sum(this.#held)));
      const start = this.#position;
      const versions = this.#how.upload.versions.filter((each) => each.holds(piece, start));
      this.#held.push({ versions, start, size: piece.length });
      this.#position += piece.length;
      at += piece.length;
      if (sum(this.#held) === this.#partSize) this.#put();
    }
  }

  /** The request broke: what is no part is thrown away or kept, and the parts go on to the store. */
  broke() {
    const { upload, traits } = this.#how;
    if (this.#isOver) return;
    this.#isOver = true;
    if (traits.partSize === 0) this.#put();
    else if (traits.locks) upload.rest = this.#held;
    this.#whenStored(() => {
      if (this.#hasFailed && traits.locks) upload.rest = [];
      this.#how.release();
    });
  }

  /** All of it came. @param answer tells the offset, or that it failed */
  ended(answer: (offset: number | undefined) => void) {
    const { upload, traits, random, soon, trouble, release } = this.#how;
    const [rest, end] = [sum(this.#held), this.#position];
    const isLast = end === upload.size;
    if (this.#isOver) return;
    this.#isOver = true;
    // The tail is compared with the parts that are counted by then (A).
    const overtakes = traits.overtakes && isLast && this.#pending > 0 && random.chance(0.5);
    const isPart = traits.partSize === 0 || rest >= LEAST_PART || isLast;
    if (isPart && !overtakes) this.#put();
    else upload.rest = this.#held;
    const reply = (offset: number | undefined) => {
      release();
      answer(offset);
    };
    this.#whenStored(() => {
      // Whatever comes behind a part that failed isn't stored either.
      if (this.#hasFailed && traits.locks) upload.rest = [];
      if (this.#hasFailed || upload.isSwept || upload.isGone) return reply(undefined);
      if (!isLast) return reply(end);
      // Putting the parts together takes its time, and may fail.
      soon(() => {
        if (trouble(true)) return reply(undefined);
        upload.object ??= upload.content(traits);
        reply(end);
      }, 500);
    });
  }

  #whenStored(run: () => void) {
    if (this.#pending === 0) run();
    else this.#onStored = run;
  }

  #put() {
    const { soon, upload, traits, trouble } = this.#how;
    const runs = this.#held;
    this.#held = [];
    if (runs.length === 0) return;
    const number = ++this.#number;
    this.#pending++;
    soon(() => {
      this.#pending--;
      // Some keep what comes behind a lost part. Nothing that they answer tells, so no client can know it.
      this.#hasFailed ||= trouble(false);
      // Bytes are written at their place, and take no others back.
      const isLonger = sum(upload.parts.get(number) ?? []) < sum(runs);
      if (
        !this.#hasFailed &&
        !upload.isSwept &&
        upload.object === undefined &&
        (isLonger || traits.partSize > 0)
      ) {
        upload.parts.set(number, runs);
      }
      if (this.#pending === 0) this.#onStored();
    }, 900);
  }
}

function sum(runs: readonly Run[]): number {
  return runs.reduce((all, { size }) => all + size, 0);
}
