/** The search for lives that show a fault: what they met, and the shortest story of each. */
import { EVENTS } from "./events.ts";
import { type Life, live } from "./life.ts";
import { type Plan, planOf } from "./plan.ts";
import type { Program } from "./process.ts";

const MOST_LINES = 40;
const KINDS = Object.keys(EVENTS);

interface Search {
  /** The first seed, which the others follow. */
  first: number;
  /** Milliseconds of the processor. */
  milliseconds: number;
  /** What a story has to tell that counts. @default any fault */
  shows?: RegExp;
  /** Stories after which it ends. @default 20 */
  most?: number;
}

/** Lives one life after the other, and tells the story of each that shows a fault. */
export async function search(
  program: Program,
  { first, milliseconds, shows = /./, most = 20 }: Search,
): Promise<{ stories: string[]; missing: string[]; tally: string }> {
  const begin = process.cpuUsage();
  const busy = () => Object.values(process.cpuUsage(begin)).reduce((sum, each) => sum + each) / 1000;
  const stories: string[] = [];
  const pairs = new Map<string, number>();
  let [lives, hours] = [0, 0];
  for (; busy() < milliseconds && stories.length < most; lives++) {
    const plan = planOf(first + lives);
    const life = await live(plan, program);
    hours += life.milliseconds / 3_600_000;
    for (const one of life.met)
      for (const other of life.met) pairs.set(`${one} + ${other}`, 1 + (pairs.get(`${one} + ${other}`) ?? 0));
    if (life.wrong.some((each) => shows.test(each))) stories.push(await shortestStory(plan, program, shows));
  }
  const seconds = busy() / 1000;
  const rows = KINDS.map((one, at) => ({
    one,
    counts: KINDS.slice(0, at + 1).map((other) => pairs.get(`${one} + ${other}`) ?? 0),
  }));
  const missing = rows.flatMap(({ one, counts }) =>
    counts.flatMap((count, at) => (count === 0 ? [`${one} + ${KINDS[at]}`] : [])),
  );
  const tally = [
    `${lives} lives from ${first} on in ${Math.round(seconds)} s of the processor, ${(lives / seconds).toFixed(1)} a second`,
    `${Math.round(hours)} virtual hours, ${(hours / seconds).toFixed(1)} a second`,
    "lives that met each pair of events, of which the last in each row is the row's own:",
    ...rows.map(({ one, counts }) => one.padEnd(25) + counts.map((count) => `${count}`.padStart(5)).join("")),
    `pairs met by none: ${missing.join("; ") || 0}`,
  ];
  return { stories, missing, tally: tally.join("\n") };
}

/** The story of the plan with no event more than its fault takes. */
export async function shortestStory(plan: Plan, program: Program, shows = /./): Promise<string> {
  const kindOf = ({ wrong }: Life) => wrong.find((each) => shows.test(each))?.replace(/\d+/g, "");
  let [shortest, life] = [plan, await live(plan, program)];
  const kind = kindOf(life);
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
    if (kindOf(other) === kind) [shortest, life] = [change(shortest), other];
  }
  const [words = "", ...story] = life.story;
  const happenings = shortest.events.map(({ kind, milliseconds, step, follows }) =>
    step === undefined
      ? `${kind} ${Math.round(milliseconds)} ms after ${follows ? "another event" : "the beginning"}`
      : `${kind} at step ${step}`,
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
