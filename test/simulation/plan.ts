/** What a life is drawn from: who uploads what by which means, and what happens meanwhile. */
import { LINE_FAULTS } from "./network.ts";
import { STORES } from "./store.ts";
import { type Random, World } from "./world.ts";

/** What happens, by what it happens to. */
export const EVENTS = {
  line: LINE_FAULTS,
  service: ["asked too often", "service failed", "service failed after it"],
  hosts: ["store away", "joining fails", "replicas late"],
  process: ["killed", "stopped"],
  machine: ["machine slept", "power cut", "clock set", "days passed"],
  journal: ["journal full", "journal read-only", "journal slow", "journal failing"],
  person: ["aborted", "aborted and called again", "called again at once", "discarded", "file changed"],
} as const;

/** Something that happens once: at a time, or at a step of whichever process takes it. */
export interface PlannedEvent {
  group: keyof typeof EVENTS;
  kind: string;
  milliseconds: number | undefined;
  step: number | undefined;
  /** How long or how much: what it means depends on the kind. */
  size: number;
}

export type Plan = ReturnType<typeof planOf>;

export function planOf(seed: number) {
  const random = new World(seed).random("plan");
  const journal = random.pick(["folder", "folder", "shared", "memory"] as const);
  const isPage = journal !== "folder" && random.chance(0.4);
  const method = random.pick(["auto", "resumable", "resumable", "direct"] as const);
  const isStream = !isPage && method === "resumable" && random.chance(0.08);
  return {
    ...{ seed, journal, isPage, method, isStream },
    store: random.pick(Object.keys(STORES)),
    /** Bytes of each source. */
    sizes: random.chance(0.2) ? [sizeIn(random), sizeIn(random)] : [sizeIn(random)],
    once: !isStream && random.chance(0.6),
    verify: !isPage && random.chance(0.08),
    attempts: random.pick([2, 6, 18]),
    isChunked: random.chance(0.2),
    /** True if a changed file is told to whoever reads it. */
    tells: random.chance(0.5),
    people: random.pick([1, 2, 3]),
    /** Milliseconds that the clock of the second machine is ahead. */
    ahead: random.pick([0, 0, -3_600_000, 3_600_000]),
    events: Array.from({ length: random.pick([0, 1, 2, 3, 4, 6, 8]) }, () => eventIn(random)),
  };
}

function sizeIn(random: Random): number {
  const MiB = 2 ** 20;
  if (random.chance(0.15)) return Math.floor(random.spread(1, MiB));
  const rest = random.pick([0, 1, 3, MiB, 5 * MiB, 5 * MiB + 7, 8 * MiB - 1]);
  return Math.max(1, random.pick([0, 1, 1, 2, 2, 3, 4]) * 8 * MiB + rest);
}

function eventIn(random: Random): PlannedEvent {
  const groups = Object.keys(EVENTS) as (keyof typeof EVENTS)[];
  const group = random.pick([...groups, "line", "line"] as const);
  // A line that breaks is what happens most.
  const kind = group === "line" && random.chance(0.4) ? "cut" : random.pick<string>(EVENTS[group]);
  const isStep = random.chance(0.5);
  const step = isStep ? Math.floor(random.spread(1, 600)) : undefined;
  const milliseconds = isStep ? undefined : random.spread(1, 60_000);
  return { group, kind, milliseconds, step, size: random.next() };
}

export function planInWords(plan: Plan): string {
  const { people, sizes, method, attempts, journal, store } = plan;
  const flags = (["isPage", "isStream", "once", "verify", "isChunked", "tells"] as const).filter(
    (flag) => plan[flag],
  );
  const what = `${people} upload ${sizes.join(" and ")} bytes, ${method}, ${attempts} attempts`;
  return [what, ...flags, `journal: ${journal}`, `store: ${store}`].join(", ");
}
