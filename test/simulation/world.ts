/**
 * A world in which time is virtual and every choice comes from one seed. Events happen in the order of their times, and
 * whatever they cause has happened before the next one.
 */
import { createHash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { seeded } from "../support/seeded.ts";

export type Random = ReturnType<typeof randomOf>;

/** Numbers of their own for each name, so that a choice that is left out moves no other one. */
function randomOf(seed: number, name: string) {
  const next = seeded(createHash("sha256").update(`${seed} ${name}`).digest().readUInt32LE());
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    between: (low: number, high: number) => low + next() * (high - low),
    chance: (share: number) => next() < share,
    pick: <T>(from: readonly T[]): T => from[below(from.length)] as T,
    /** Mostly near the low end: as many between 1 and 10 as between 10 and 100. */
    spread: (low: number, high: number) => low * (high / low) ** next(),
    word: (length: number) =>
      Array.from(
        { length },
        () => "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"[below(57)],
      ).join(""),
  };
}

interface Event {
  at: number;
  order: number;
  run: (() => void) | undefined;
}

/** More events than any life has: a life that never ends has some. */
const MOST_EVENTS = 60_000;
/** When the world begins, in milliseconds since 1970. */
export const BEGINNING: number = Date.UTC(2030, 0, 1);

export class World {
  readonly seed: number;
  /** Milliseconds since the world began. */
  now = 0;
  /** What happened, a line each. */
  readonly story: string[] = [];
  /** The kinds of what went wrong in it. */
  readonly met: Set<string> = new Set();
  /** What must not be: found as it happens. */
  readonly wrong: string[] = [];
  #queue: Event[] = [];
  #order = 0;

  constructor(seed: number) {
    this.seed = seed;
  }

  random(name: string): Random {
    return randomOf(this.seed, name);
  }

  tell(what: string) {
    this.story.push(`${(this.now / 1000).toFixed(3).padStart(10)}  ${what}`);
  }

  accuse(what: string) {
    if (this.wrong.includes(what)) return;
    this.wrong.push(what);
    this.tell(`WRONG: ${what}`);
  }

  /** @returns forgets the event */
  after(milliseconds: number, run: () => void): () => void {
    const event: Event = { at: this.now + Math.max(0, milliseconds), order: this.#order++, run };
    let place = this.#queue.push(event) - 1;
    for (
      let above = (place - 1) >> 1;
      place > 0 && isBefore(event, this.#at(above));
      above = (place - 1) >> 1
    ) {
      this.#queue[place] = this.#at(above);
      place = above;
    }
    this.#queue[place] = event;
    return () => {
      event.run = undefined;
    };
  }

  /** Runs until work has ended; it hasn't where nothing happens any more, or too much. */
  async run(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    for (let events = 0; ; ) {
      await turn();
      if (isOver) return;
      let event = this.#first();
      while (event !== undefined && event.run === undefined) event = this.#first();
      if (event?.run === undefined) return this.accuse("something waits for good");
      if (++events > MOST_EVENTS) return this.accuse("something goes on for good");
      this.now = event.at;
      event.run();
    }
  }

  #first(): Event | undefined {
    const [first] = this.#queue;
    const last = this.#queue.pop();
    if (last === undefined || last === first) return first;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      if (left >= this.#queue.length) break;
      const right = left + 1;
      const next = right < this.#queue.length && isBefore(this.#at(right), this.#at(left)) ? right : left;
      if (isBefore(last, this.#at(next))) break;
      this.#queue[place] = this.#at(next);
      place = next;
    }
    this.#queue[place] = last;
    return first;
  }

  #at(place: number): Event {
    return this.#queue[place] as Event;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
