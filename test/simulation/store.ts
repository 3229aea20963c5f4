/**
 * The stores behind an upload host, as they were measured: one that counts bytes, and one that puts parts together, with the
 * ways in which it loses and doubles them. It keeps where bytes come from instead of the bytes.
 */
import type { Content } from "./source.ts";
import type { Random, World } from "./world.ts";

/** Bytes of a version of the source, or of nobody knows what. */
interface Run {
  version: Content | undefined;
  start: number;
  size: number;
}

export interface StoreTraits {
  /** Bytes of its parts; 0 for one that counts bytes. */
  partSize: number;
  /** True if the tail of a request may overtake its parts (A), as in the first versions. */
  overtakes: boolean;
  /** True if it keeps the rest of a broken request, and counts it. */
  keepsRest: boolean;
}

const PARTS_1: StoreTraits = { partSize: 8 * 2 ** 20, overtakes: true, keepsRest: false };
export const STORES: Record<string, StoreTraits> = {
  bytes: { partSize: 0, overtakes: false, keepsRest: true },
  "parts, version 1": PARTS_1,
  "parts, version 2": { ...PARTS_1, overtakes: false, keepsRest: true },
};

export class Upload {
  readonly assetId: string;
  /** Unknown for a stream until its end. */
  size: number | undefined;
  /** What it may hold: the versions of its source. */
  readonly versions: readonly Content[];
  parts: Map<number, Run[]> = new Map();
  /** What is stored beside the parts, and comes before whatever is sent next. */
  rest: Run[] = [];
  /** The file that was made of it. */
  object: Run[] | undefined;
  isSwept = false;
  isGone = false;
  touchedAt = 0;
  /** What an older replica tells, and until when. */
  stale: { offset: number; until: number } | undefined;

  constructor(assetId: string, size: number | undefined, versions: readonly Content[]) {
    this.assetId = assetId;
    this.size = size;
    this.versions = versions;
  }

  offset(traits: StoreTraits): number {
    if (this.object !== undefined || this.isSwept) return this.size ?? sum(this.object ?? []);
    return sum(this.content(traits)) + (traits.keepsRest ? sum(this.rest) : 0);
  }

  /** Its parts in their order; of bytes, those up to the first that is missing. */
  content({ partSize }: StoreTraits): Run[] {
    const runs: Run[] = [];
    let at = 0;
    for (const [key, part] of [...this.parts].sort(([a], [b]) => a - b)) {
      if (partSize === 0 && key > at) break;
      let known = partSize === 0 ? at - key : 0;
      for (const run of part) {
        const skipped = Math.min(known, run.size);
        known -= skipped;
        if (skipped < run.size) runs.push({ ...run, start: run.start + skipped, size: run.size - skipped });
      }
      at = sum(runs);
    }
    return runs;
  }

  /** The version of the source that the file is a copy of. */
  whole(): Content | undefined {
    const [first, ...others] = joined(this.object ?? []);
    const isWhole = first !== undefined && others.length === 0 && first.start === 0;
    return isWhole && first.version?.size === first.size ? first.version : undefined;
  }

  runOf(bytes: Uint8Array, start: number): Run {
    const version = this.versions.find((each) => each.holds(bytes, start));
    return { version, start, size: bytes.length };
  }
}

/** Bytes that every store takes as a part. */
const LEAST_PART = 5 * 2 ** 20;

interface Taking {
  world: World;
  random: Random;
  traits: StoreTraits;
  upload: Upload;
  /** Asked whenever something is stored: true if that fails. */
  trouble: () => boolean;
}

/** One body that a store takes. */
export class Storing {
  readonly #how: Taking;
  readonly #partSize: number;
  #position: number;
  #number: number;
  #held: Run[] = [];
  /** Parts that are on their way to the store. */
  #pending = 0;
  #hasFailed = false;
  #hasParts = false;
  #onIdle: (() => void) | undefined;

  /** @param start where the request says that it begins */
  constructor(how: Taking, start: number) {
    const { upload, traits } = how;
    this.#how = how;
    this.#position = start;
    this.#partSize = traits.partSize || Number.POSITIVE_INFINITY;
    this.#number = traits.partSize === 0 ? start - 1 : Math.max(0, ...upload.parts.keys());
    this.#held = upload.rest;
    upload.rest = [];
  }

  take(bytes: Uint8Array) {
    for (let at = 0; at < bytes.length; ) {
      const room = this.#partSize - sum(this.#held);
      const piece = bytes.subarray(at, at + Math.min(room, bytes.length - at));
      this.#held.push(this.#how.upload.runOf(piece, this.#position));
      this.#position += piece.length;
      at += piece.length;
      if (sum(this.#held) === this.#partSize) this.#put();
    }
  }

  /** The request broke: what is no part is thrown away or kept, and the parts go on to the store. */
  broke() {
    const { upload, traits } = this.#how;
    if (traits.partSize === 0) this.#put();
    else if (traits.keepsRest) upload.rest = this.#held;
    this.#held = [];
  }

  /** All of it came. @param answer tells the offset, or that it failed */
  ended(answer: (offset: number | undefined) => void) {
    const { upload, traits, random, world } = this.#how;
    const rest = sum(this.#held);
    const end = this.#position;
    const finish = () => {
      if (this.#hasFailed || upload.isSwept || upload.isGone) return answer(undefined);
      if (end !== upload.size) return answer(end);
      // Putting the parts together takes its time, and may fail.
      world.after(random.spread(5, 500), () => {
        if (this.#how.trouble()) return answer(undefined);
        upload.object = upload.content(traits);
        answer(end);
      });
    };
    const isLast = end === upload.size;
    // The tail is compared with the parts that are counted by then (A).
    const overtakes = traits.overtakes && this.#hasParts && isLast && this.#pending > 0 && random.chance(0.5);
    const isPart = traits.partSize === 0 || rest >= LEAST_PART || isLast;
    if (rest > 0 && isPart && !overtakes) this.#put();
    else if (rest > 0) upload.rest = this.#held;
    this.#held = [];
    if (this.#pending === 0) finish();
    else this.#onIdle = finish;
  }

  #put() {
    const { world, random, upload } = this.#how;
    const runs = this.#held;
    this.#held = [];
    if (runs.length === 0) return;
    const number = ++this.#number;
    this.#hasParts = true;
    this.#pending++;
    world.after(random.spread(5, 800), () => {
      this.#pending--;
      // Whatever comes behind a part that failed isn't stored either.
      this.#hasFailed ||= this.#how.trouble();
      if (!this.#hasFailed && !upload.isSwept && upload.object === undefined) {
        // Bytes are written at their place, and take no others back.
        const isLonger = sum(upload.parts.get(number) ?? []) < sum(runs);
        if (isLonger || this.#how.traits.partSize > 0) upload.parts.set(number, runs);
        upload.touchedAt = world.now;
      }
      if (this.#pending === 0) this.#onIdle?.();
    });
  }
}

function sum(runs: readonly Run[]): number {
  return runs.reduce((all, { size }) => all + size, 0);
}

function joined(runs: readonly Run[]): Run[] {
  const all: Run[] = [];
  for (const run of runs) {
    const last = all.at(-1);
    if (last !== undefined && last.version === run.version && last.start + last.size === run.start)
      last.size += run.size;
    else all.push({ ...run });
  }
  return all;
}
