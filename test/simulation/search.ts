/** The search for lives that show a fault: what they met, and the shortest story of one. */
import { type Life, live } from "./life.ts";
import { EVENTS, type Plan, planOf } from "./plan.ts";
import type { Program } from "./process.ts";

const MOST_LINES = 40;
/** Stories after which a search ends. */
const MOST_STORIES = 20;

/** Stories of lives that show a fault, among as many as there is time for. */
export async function liveFor(
  milliseconds: number,
  program: Program,
  say: (story: string) => void = () => {},
  most: number = MOST_STORIES,
): Promise<{ tally: Tally; stories: string[] }> {
  const tally = new Tally();
  const stories: string[] = [];
  const end = performance.now() + milliseconds;
  const first = (Date.now() * 1000 + process.pid) % 2 ** 32;
  for (let seed = first; performance.now() < end && stories.length < most; seed++) {
    const life = await live(planOf(seed), program);
    tally.add(seed, life);
    if (life.wrong.length === 0) continue;
    const plan = await shorten(planOf(seed), program);
    stories.push(storyOf(plan, await live(plan, program)));
    say(stories.at(-1) ?? "");
  }
  return { tally, stories };
}

/** The plan with no event more than its fault takes. */
export async function shorten(plan: Plan, program: Program): Promise<Plan> {
  const [first] = (await live(plan, program)).wrong;
  if (first === undefined) return plan;
  const kind = kindOf(first);
  const isSame = async (other: Plan) =>
    (await live(other, program)).wrong.some((each) => kindOf(each) === kind);
  let shortest = plan;
  for (const event of plan.events) {
    const without = { ...shortest, events: shortest.events.filter((each) => each !== event) };
    if (await isSame(without)) shortest = without;
  }
  const simpler: Partial<Plan>[] = [{ people: 1 }, { sizes: plan.sizes.slice(0, 1) }, { verify: false }];
  for (const change of simpler)
    if (await isSame({ ...shortest, ...change })) shortest = { ...shortest, ...change };
  return shortest;
}

/** What a fault is, whoever shows it. */
function kindOf(wrong: string): string {
  return wrong.replace(/\d+/g, "");
}

export function storyOf(plan: Plan, { wrong, story }: Life): string {
  const { seed, events } = plan;
  const head = [`seed ${seed}: ${wrong.join("; ") || "nothing is wrong"}`, ...story.slice(0, 1)];
  head.push(
    `events: ${events.map(({ kind, at }) => `${kind} ${Object.values(at)[0]?.toFixed(0)}`).join(", ") || "none"}`,
  );
  const rest = story.slice(1);
  const room = MOST_LINES - head.length - 1;
  const shown = rest.length <= room ? rest : [...rest.slice(0, 6), "…", ...rest.slice(7 - room)];
  return [...head, ...shown.map((line) => line.slice(0, 200))].join("\n");
}

export class Tally {
  lives = 0;
  milliseconds = 0;
  readonly failed: number[] = [];
  readonly #began = performance.now();
  readonly #pairs = new Map<string, number>();

  add(seed: number, { met, milliseconds, wrong }: Life): void {
    this.lives++;
    this.milliseconds += milliseconds;
    if (wrong.length > 0) this.failed.push(seed);
    const kinds = [...met].sort();
    for (const [at, one] of kinds.entries())
      for (const other of kinds.slice(at)) {
        const pair = one === other ? one : `${one} + ${other}`;
        this.#pairs.set(pair, (this.#pairs.get(pair) ?? 0) + 1);
      }
  }

  /** Pairs of events that no life met. */
  missing(): string[] {
    const kinds = Object.keys(EVENTS).sort();
    return kinds
      .flatMap((one, at) => kinds.slice(at).map((other) => (one === other ? one : `${one} + ${other}`)))
      .filter((pair) => !this.#pairs.has(pair));
  }

  inWords(): string {
    const seconds = (performance.now() - this.#began) / 1000;
    const perSecond = (count: number) => (count / seconds).toFixed(1);
    const missing = this.missing();
    const counts = [...this.#pairs.values()].sort((a, b) => a - b);
    return [
      `${this.lives} lives, ${perSecond(this.lives)} a second; ${perSecond(this.milliseconds / 3_600_000)} virtual hours a second`,
      `pairs of events met: ${counts.length}, each by ${counts[0]} to ${counts.at(-1)} lives, half by ${counts[counts.length >> 1]} or more`,
      `pairs met by none: ${missing.length}${missing.length > 0 ? ` (${missing.slice(0, 12).join("; ")})` : ""}`,
      `failed: ${this.failed.join(", ") || "none"}`,
    ].join("\n");
  }
}
