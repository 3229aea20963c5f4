/** What a life is drawn from: who uploads what by which means, and what happens meanwhile. */
import type { LineFault } from "./network.ts";
import { STORES } from "./store.ts";
import { type Random, World } from "./world.ts";

export type EventKind = keyof typeof EVENTS;

/** Something that happens once: at a time, or at a step of whichever process takes it. */
export interface PlannedEvent {
  kind: EventKind;
  at: { milliseconds: number } | { step: number };
  /** How long or how much: what it means depends on the kind. */
  size: number;
}

export interface Plan {
  seed: number;
  journal: "memory" | "folder" | "redis";
  store: string;
  isPage: boolean;
  /** Bytes of each source. */
  sizes: number[];
  isStream: boolean;
  method: "auto" | "resumable" | "direct";
  once: boolean;
  verify: boolean;
  attempts: number;
  chunked: boolean;
  /** True if a changed file is told to whoever reads it. */
  tells: boolean;
  /** Milliseconds that the clock of the second machine is ahead. */
  ahead: number;
  /** People who upload the same source. */
  people: number;
  events: PlannedEvent[];
}

const MiB = 2 ** 20;

/** What each kind of event is about: requests, processes, clocks, stores or people. */
export const EVENTS = {
  ...lineFaults("cut", "refused connection", "stall", "lost answer", "no answer", "late answer"),
  ...lineFaults("cut answer", "page of a proxy", "sign-in page", "redirect"),
  "asked too often": "service",
  "service failed": "service",
  "service failed after it": "service",
  "store away": "hosts",
  "joining fails": "hosts",
  "replicas late": "hosts",
  killed: "process",
  stopped: "process",
  "machine slept": "machine",
  "power cut": "machine",
  "clock set": "machine",
  "days passed": "machine",
  offline: "machine",
  "journal full": "journal",
  "journal read-only": "journal",
  "journal slow": "journal",
  "journal failing": "journal",
  aborted: "person",
  "aborted and called again": "person",
  "called again at once": "person",
  discarded: "person",
  "file changed": "person",
} as const;

function lineFaults<Kind extends LineFault>(...kinds: Kind[]): Record<Kind, "line"> {
  return Object.fromEntries(kinds.map((kind) => [kind, "line"])) as Record<Kind, "line">;
}

export function planOf(seed: number): Plan {
  const random = new World(seed).random("plan");
  const kinds = Object.keys(EVENTS) as EventKind[];
  const journal = random.pick(["folder", "folder", "redis", "memory"] as const);
  const isPage = journal !== "folder" && random.chance(0.4);
  const method = random.pick(["auto", "resumable", "resumable", "direct"] as const);
  const isStream = !isPage && method === "resumable" && random.chance(0.08);
  return {
    ...{ seed, journal, isPage, method, isStream },
    store: random.pick(Object.keys(STORES)),
    sizes: random.chance(0.2) ? [sizeIn(random), sizeIn(random)] : [sizeIn(random)],
    once: !isStream && random.chance(0.6),
    verify: !isPage && random.chance(0.08),
    attempts: random.pick([2, 6, 18]),
    chunked: random.chance(0.2),
    tells: random.chance(0.5),
    people: random.pick([1, 1, 2, 3]),
    ahead: random.pick([0, 0, -3_600_000, 3_600_000]),
    events: Array.from({ length: random.below(9) }, () => eventOf(random.pick(kinds), random)),
  };
}

function sizeIn(random: Random): number {
  if (random.chance(0.15)) return Math.floor(random.spread(1, MiB));
  const parts = random.pick([0, 1, 1, 2, 2, 3, 4]) * 8 * MiB;
  return Math.max(1, parts + random.pick([0, 1, 3, MiB, 5 * MiB, 5 * MiB + 7, 8 * MiB - 1]));
}

function eventOf(kind: EventKind, random: Random): PlannedEvent {
  const byStep = random.chance(0.5);
  const at = byStep
    ? { step: Math.floor(random.spread(1, 600)) }
    : { milliseconds: random.spread(1, 60_000) };
  return { kind, at, size: random.next() };
}

/** A plan as a line of a story. */
export function planInWords(plan: Plan): string {
  const { journal, store, isPage, sizes, isStream, method, once, verify, attempts, people, chunked } = plan;
  const words = [
    `${people} upload${people === 1 ? "s" : ""} ${isStream ? "a stream of " : ""}${sizes.join(" and ")} bytes`,
    `${method}, ${attempts} attempts${once ? ", once" : ""}${verify ? ", verify" : ""}${chunked ? ", 8 MiB a request" : ""}`,
    `journal: ${journal}, ${isPage ? "page" : "program"}, store: ${store}`,
  ];
  return words.join("; ");
}
