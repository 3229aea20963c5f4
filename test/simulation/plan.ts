/** What a life is drawn from: who uploads what by which means, and what happens meanwhile. */
import { EVENTS } from "./events.ts";
import { STORES } from "./store.ts";
import { type Random, World } from "./world.ts";

const MiB = 2 ** 20;

/** Something that happens once: at a step of whichever process takes it, or at a time. */
export interface PlannedEvent {
  kind: string;
  /** Since the beginning, or since something else has happened. */
  milliseconds: number;
  step: number | undefined;
  follows: boolean;
  size: number;
}

const EACH = Object.keys(EVENTS);
/** Some come more often: without them little else goes wrong. */
const KINDS = [...EACH, "stopped", "killed", "machine slept", "clock set", "aborted"];

/** What half of the lives keep to, since it meets too seldom in what is drawn. */
const MEETINGS: readonly { kinds: readonly string[]; plan: object }[] = [
  {
    kinds: ["cut", "cut", "lost answer"],
    plan: {
      method: "resumable",
      store: STORES[1],
      isSlow: true,
      isChunked: false,
      sizes: [26 * MiB],
      retry: { attempts: 18, minDelay: 1 },
    },
  },
  {
    kinds: ["cut", "cut", "lost answer", "part lost"],
    plan: {
      journal: "memory",
      isPage: true,
      verify: false,
      method: "resumable",
      sizes: [26 * MiB],
      isSlow: true,
    },
  },
  {
    kinds: ["lost answer", "joining fails", "cut"],
    plan: {
      method: "resumable",
      isPage: false,
      store: STORES[2],
      sizes: [16 * MiB],
      retry: { attempts: 6, minDelay: 1 },
    },
  },
  {
    kinds: ["cut", "store away", "file changed"],
    plan: { method: "resumable", isPage: false, tells: false, isChunked: false, sizes: [26 * MiB] },
  },
  {
    kinds: ["stopped", "machine slept", "killed"],
    plan: { journal: "folder", isPage: false, sizes: [20 * MiB], people: 3, once: false },
  },
  { kinds: ["power cut", "lost answer", "cut"], plan: { journal: "folder", isPage: false, people: 3 } },
  {
    kinds: ["clock set", "store away", "refused connection"],
    plan: { journal: "folder", isPage: false, sizes: [17 * MiB], retry: { attempts: 18, minDelay: 1_000 } },
  },
  {
    kinds: ["days passed", "aborted", "killed", "lost answer", "joining fails", "store away"],
    plan: { method: "resumable", store: STORES[2], isSlow: true, sizes: [16 * MiB] },
  },
];

export type Plan = ReturnType<typeof planOf>;

export function planOf(seed: number) {
  const random = new World(seed).random("plan");
  // Every third life tries a pair, one after the other, so that each comes in its turn.
  const pair = [0, 1].map(
    (digit) => EACH[Math.floor(seed / 3 / EACH.length ** digit) % EACH.length] ?? "cut",
  );
  const isPair = seed % 3 === 0;
  const isOfJournal = isPair && pair.some((kind) => kind.startsWith("journal"));
  const journal = random.pick(["folder", "folder", "shared", isOfJournal ? "folder" : "memory"] as const);
  const isPage = journal !== "folder" && random.chance(0.4);
  const method = random.pick(["auto", "resumable", "resumable", "direct"] as const);
  const isStream = !isPage && method === "resumable" && random.chance(0.08);
  const meeting = isPair || isStream || random.chance(0.3) ? undefined : random.pick(MEETINGS);
  // Few kinds, each of which may come more than once, meet more often than all of them.
  const drawnKinds = Array.from({ length: random.pick([4, 99]) }, () => random.pick(KINDS));
  const kinds = meeting?.kinds ?? (isPair ? pair : drawnKinds);
  const drawn = {
    seed,
    journal,
    isPage,
    method,
    isStream,
    store: random.pick(STORES),
    /** True if its store takes its time. */
    isSlow: random.chance(0.5),
    /** Bytes of each source. */
    sizes: random.chance(0.2) ? [sizeIn(random), sizeIn(random)] : [sizeIn(random)],
    once: !isStream && random.chance(0.6),
    verify: !isPage && random.chance(0.08),
    retry: { attempts: random.pick([2, 6, 18]), minDelay: random.pick([1, 100, 1_000]) },
    isChunked: random.chance(0.2),
    /** True if a changed file is told to whoever reads it. */
    tells: random.chance(0.5),
    people: random.pick([1, 2, 2, 3]),
    /** Milliseconds that the clock of the second machine is ahead. */
    ahead: random.pick([0, 0, -3_600_000, 3_600_000]),
    events: Array.from({ length: isPair ? 12 : random.pick([0, 2, 4, 6, 9, 14]) }, () =>
      eventIn(random, kinds),
    ),
  };
  return { ...drawn, ...meeting?.plan } as typeof drawn;
}

function sizeIn(random: Random): number {
  if (random.chance(0.15)) return Math.floor(random.spread(1, MiB));
  const rest = random.pick([0, 1, 3, MiB, 5 * MiB, 5 * MiB + 7, 8 * MiB - 1]);
  return Math.max(1, random.pick([0, 1, 1, 2, 2, 3, 4]) * 8 * MiB + rest);
}

function eventIn(random: Random, kinds: readonly string[]): PlannedEvent {
  // A line that breaks is what happens most.
  const kind = random.chance(0.15) ? "cut" : random.pick(kinds);
  const when = random.pick(["step", "step", "time", "follows", "follows"]);
  // A location is asked for at the beginning.
  const first = /asked|service/.test(kind) ? 1 : 10;
  return {
    kind,
    step: when === "step" ? Math.floor(random.spread(first, 60 * first)) : undefined,
    follows: when === "follows",
    milliseconds: when === "follows" ? random.spread(1, 10_000) : random.spread(50, 60_000),
    size: random.next(),
  };
}

export function planInWords(plan: Plan): string {
  const { people, sizes, method, retry, journal, store } = plan;
  const flags = (["isPage", "isStream", "once", "verify", "isChunked", "isSlow", "tells"] as const).filter(
    (flag) => plan[flag],
  );
  const what = `${people} upload ${sizes.join(" and ")} bytes, ${method}, ${retry.attempts} attempts ${retry.minDelay} ms apart`;
  return [what, ...flags, `journal: ${journal}`, `store: ${store.name}`].join(", ");
}
