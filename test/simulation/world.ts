/** A world in which time is virtual and every choice comes from one seed. Events happen in the order of their times. */
import { createHash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { seeded } from "../support/seeded.ts";

export type Random = ReturnType<typeof randomOf>;

/** Numbers of their own for each name, so that a choice that is left out moves no other one. */
function randomOf(seed: number, name: string) {
  const next = seeded(createHash("sha256").update(`${seed} ${name}`).digest().readUInt32LE());
  return {
    next,
    chance: (share: number) => next() < share,
    pick: <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T,
    /** As many between 1 and 10 as between 10 and 100. */
    spread: (low: number, high: number) => low * (high / low) ** next(),
    word: (length: number) => Array.from({ length }, () => Math.floor(next() * 36).toString(36)).join(""),
  };
}

/** A life that never ends has more events. */
const MOST_EVENTS = 300_000;
/** When the world begins, in milliseconds since 1970. */
export const BEGINNING: number = Date.UTC(2030, 0, 1);

export class World {
  /** Milliseconds since the world began. */
  now = 0;
  /** What happened, a line each. */
  readonly story: string[] = [];
  /** The kinds of what happened to it. */
  readonly met: Set<string> = new Set();
  /** Called when something has happened to it. */
  onMeeting = () => {};
  /** What must not be. */
  readonly wrong: string[] = [];
  readonly #seed: number;
  /** The next one is the last. */
  readonly #events: { at: number; run: () => void }[] = [];

  constructor(seed: number) {
    this.#seed = seed;
  }

  random(name: string): Random {
    return randomOf(this.#seed, name);
  }

  tell(what: string) {
    this.story.push(`${(this.now / 1000).toFixed(3).padStart(10)}  ${what}`);
  }

  meet(kind: string) {
    this.met.add(kind);
    this.onMeeting();
  }

  accuse(what: string) {
    if (this.wrong.includes(what)) return;
    this.wrong.push(what);
    this.tell(`WRONG: ${what}`);
  }

  after(milliseconds: number, run: () => void) {
    const at = this.now + Math.max(0, milliseconds);
    let place = this.#events.length;
    while (place > 0 && (this.#events[place - 1]?.at ?? 0) <= at) place--;
    this.#events.splice(place, 0, { at, run });
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve));
  }

  /** Runs until work has ended; it hasn't where nothing happens any more, or too much. */
  async run(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    for (let events = 0; ; events++) {
      // All that the last event causes happens before the next one.
      await turn();
      if (isOver) return void (await work);
      const event = this.#events.pop();
      if (event === undefined) return this.accuse("something waits for good");
      if (events > MOST_EVENTS) return this.accuse("something goes on for good");
      this.now = event.at;
      event.run();
    }
  }
}
