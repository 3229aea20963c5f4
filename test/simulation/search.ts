/** The search for lives that show a fault: what they met, and the shortest story of each. */
import { type Life, live } from "./life.ts";
import { EVENTS, type Plan, planOf } from "./plan.ts";
import type { Program } from "./process.ts";

const MOST_LINES = 40;
const MOST_STORIES = 20;

/** Lives for so many milliseconds of the processor, and tells the story of each life that shows a fault. */
export async function liveFor(milliseconds: number, program: Program, most: number = MOST_STORIES) {
  const first = (Date.now() * 1000 + process.pid) % 2 ** 32;
  const begin = process.cpuUsage();
  const busy = () => Object.values(process.cpuUsage(begin)).reduce((sum, each) => sum + each) / 1000;
  const stories: string[] = [];
  const pairs = new Map<string, number>();
  let [lives, hours] = [0, 0];
  for (; busy() < milliseconds && stories.length < most; lives++) {
    const life = await live(planOf(first + lives), program);
    hours += life.milliseconds / 3_600_000;
    for (const pair of pairsOf([...life.met])) pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    if (life.wrong.length > 0) stories.push(await shortestStory(planOf(first + lives), program));
  }
  const seconds = busy() / 1000;
  const missing = pairsOf(Object.values(EVENTS).flat()).filter((pair) => !pairs.has(pair));
  const counts = [...pairs.values()].sort((a, b) => a - b);
  const tally = [
    `${lives} lives, ${(lives / seconds).toFixed(1)} a second of the processor; ${(hours / seconds).toFixed(1)} virtual hours`,
    `pairs of events met by ${counts[0]} to ${counts.at(-1)} lives, half of them by ${counts[counts.length >> 1]} or more`,
    `pairs met by none: ${missing.length}: ${missing.slice(0, 9).join("; ")}`,
  ];
  return { stories, missing, tally: tally.join("\n") };
}

/** Each kind by itself, and with each other one. */
function pairsOf(kinds: readonly string[]): string[] {
  const sorted = [...kinds].sort();
  return sorted.flatMap((one, at) =>
    sorted.slice(at).map((other) => (one === other ? one : `${one} + ${other}`)),
  );
}

/** The story of the plan with no event more than its fault takes. */
export async function shortestStory(plan: Plan, program: Program): Promise<string> {
  const kindsOf = ({ wrong }: Life) => wrong.map((each) => each.replace(/\d+/g, ""));
  let [shortest, life] = [plan, await live(plan, program)];
  const [kind] = kindsOf(life);
  const changes: ((from: Plan) => Plan)[] = [
    ...plan.events.map((event) => (from: Plan) => ({
      ...from,
      events: from.events.filter((each) => each !== event),
    })),
    ...[1, 2].map((people) => (from: Plan) => ({ ...from, people: Math.min(people, from.people) })),
    (from) => ({ ...from, sizes: from.sizes.slice(0, 1) }),
  ];
  for (const change of kind === undefined ? [] : changes) {
    const other = await live(change(shortest), program);
    if (kindsOf(other).includes(kind ?? "")) [shortest, life] = [change(shortest), other];
  }
  const [words = "", ...story] = life.story;
  const happenings = shortest.events.map(({ kind, milliseconds, step }) =>
    milliseconds === undefined ? `${kind} at step ${step}` : `${kind} after ${Math.round(milliseconds)} ms`,
  );
  const head = [
    `seed ${plan.seed}: ${life.wrong.join("; ") || "nothing is wrong"}`,
    words,
    happenings.join(", "),
  ];
  const room = MOST_LINES - head.length;
  const shown = story.length <= room ? story : [...story.slice(0, 6), "…", ...story.slice(7 - room)];
  return [...head, ...shown].map((line) => line.slice(0, 240)).join("\n");
}
