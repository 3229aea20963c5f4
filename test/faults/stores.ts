/** Uploads against a store that a real service runs, each through one condition, all of them drawn from one seed. */
import { setTimeout as delay } from "node:timers/promises";
import type { SpawnedService } from "../service/spawned.ts";
import type { StoreName } from "../service/stores.ts";
import { scratchFolder } from "../support/scratch.ts";
import { seeded } from "../support/seeded.ts";
import {
  type Client,
  type ClientName,
  type Lab,
  type LabOptions,
  MiB,
  openLab,
  outcomeOf,
  startClient,
} from "./lab.ts";
import type { ClientOutcome, ClientPlan } from "./plan.ts";
import type { Choose, FaultProxy } from "./proxy.ts";

export const SIZES: readonly number[] = [
  1,
  5 * MiB - 1,
  5 * MiB,
  8 * MiB - 1,
  8 * MiB,
  8 * MiB + 1,
  9 * MiB,
  40 * MiB + 3,
  64 * MiB,
  98 * MiB,
];

/** Milliseconds of a call to the store, least and most. */
const LATENCIES: readonly [number, number][] = [
  [0, 0],
  [5, 45],
  [5, 300],
];

const CONDITIONS = ["calm", "breaks", "store away", "killed", "two processes"] as const;
type Condition = (typeof CONDITIONS)[number];
/** Two processes can't share a browser's profile. */
const IN_A_BROWSER: readonly Condition[] = CONDITIONS.slice(0, -1);

export interface StoreRun extends LabOptions {
  store: StoreName;
  client: ClientName;
  count: number;
  seed: number;
  /** The first upload's number; each is drawn from the seed and its number alone. */
  first: number;
  /** A file of each size, with its sha256. */
  videos: ReadonlyMap<number, Video>;
  /** Is told of each upload that was wrong or ended in an error. */
  say(line: string): void;
}

export interface Video {
  path: string;
  sha256: string;
}

export interface StoreUpload {
  number: number;
  size: number;
  latency: readonly [number, number];
  condition: Condition;
  /** The upload said that it was whole, and the service has something else. */
  wrong: string | undefined;
  /** Codes that its condition doesn't explain. */
  errors: string[];
  breaks: number;
  seconds: number;
}

const BREAK_DISTANCE = 12e6;
/** Milliseconds for which a store is away. */
const AWAY = 6000;
const OUTCOME_TIMEOUT = 240_000;
/** Many attempts and short waits; patient with a store whose every call may take 300 ms. */
const OPTIONS: NonNullable<ClientPlan["options"]> = {
  retry: { attempts: 100, minDelay: 20, maxDelay: 400 },
  timeout: { stall: 6_000, answer: 30_000 },
};

/** Carries out the uploads of a run, several at a time, each of them with a service of its own. */
export async function uploadToStore(run: StoreRun): Promise<StoreUpload[]> {
  const uploads: StoreUpload[] = [];
  let next = run.first;
  // A browser needs more of the machine.
  const workers = Array.from({ length: run.client === "chromium" ? 2 : 4 }, async () => {
    const { client, store } = run;
    const lab = await openLab({}, { client, store });
    try {
      while (next < run.first + run.count) {
        const number = next++;
        const upload = await uploadOne(lab, run, number);
        uploads.push(upload);
        if (upload.wrong !== undefined || upload.errors.length > 0) run.say(inWords(upload));
        await lab.reset();
      }
    } finally {
      await lab.close();
    }
  });
  await Promise.all(workers);
  return uploads;
}

async function uploadOne(lab: Lab, run: StoreRun, number: number): Promise<StoreUpload> {
  const conditions = run.client === "chromium" ? IN_A_BROWSER : CONDITIONS;
  const random = seeded(run.seed * 100_003 + number);
  const size = SIZES[Math.floor(random() * SIZES.length)] ?? 1;
  const latency = LATENCIES[Math.floor(number / conditions.length) % LATENCIES.length] ?? [0, 0];
  const condition = conditions[number % conditions.length] ?? "calm";
  const storeSeed = Math.floor(random() * 1e9);
  const video = run.videos.get(size);
  if (video === undefined) throw new Error(`there is no video of ${size} bytes`);
  const journals = await scratchFolder("journal");
  const began = Date.now();
  try {
    await lab.service.set({ storeLatency: [...latency], storeSeed });
    if (condition === "breaks") lab.upload.choose = breaking(lab.upload, random);
    const scene = { lab, client: run.client, size, path: video.path, journal: `${journals.path}/journal` };
    const outcomes = await meet[condition](scene, random);
    const seconds = (Date.now() - began) / 1000;
    const breaks = lab.upload.faults + (condition === "killed" || condition === "store away" ? 1 : 0);
    const wrong = await judge(lab, condition, outcomes, video.sha256, size);
    return {
      number,
      size,
      latency,
      condition,
      wrong,
      errors: errorsOf(condition, outcomes),
      breaks,
      seconds,
    };
  } finally {
    await journals.remove();
  }
}

interface Scene {
  lab: Lab;
  client: ClientName;
  size: number;
  path: string;
  journal: string;
}

const start = ({ lab, client, path, journal }: Scene): Client =>
  startClient(lab, client, { method: "resumable", path, journal, options: OPTIONS });

/** What happens in each condition, and which outcomes count. */
const meet: Record<Condition, (scene: Scene, random: () => number) => Promise<ClientOutcome[]>> = {
  calm: async (scene) => [await outcomeOf(start(scene), OUTCOME_TIMEOUT)],
  breaks: async (scene) => [await outcomeOf(start(scene), OUTCOME_TIMEOUT)],

  async "store away"(scene, random) {
    const client = start(scene);
    const outcome = outcomeOf(client, OUTCOME_TIMEOUT);
    if (await reached(scene.lab.upload, scene.size, random, outcome))
      await scene.lab.service.set({ storeAway: AWAY });
    return [await outcome];
  },

  async killed(scene, random) {
    const client = start(scene);
    const outcome = outcomeOf(client, OUTCOME_TIMEOUT);
    if (!(await reached(scene.lab.upload, scene.size, random, outcome))) return [await outcome];
    client.kill();
    const first = await outcome;
    // The upload may have been whole in the moment of the kill, and have said so.
    return first.kind === "whole" ? [first] : [await outcomeOf(start(scene), OUTCOME_TIMEOUT)];
  },

  async "two processes"(scene, random) {
    const first = outcomeOf(start(scene), OUTCOME_TIMEOUT);
    await delay(random() * 1000);
    return await Promise.all([first, outcomeOf(start(scene), OUTCOME_TIMEOUT)]);
  },
};

/** Waits until a share of the bytes has left; false when it was over before. */
async function reached(
  upload: FaultProxy,
  size: number,
  random: () => number,
  over: Promise<unknown>,
): Promise<boolean> {
  const bytes = Math.max(1, Math.floor(random() * size));
  const late = random() * 200;
  let ended = false;
  void over.then(() => {
    ended = true;
  });
  while (upload.bytes < bytes && !ended) await delay(5);
  await Promise.race([over, delay(late)]);
  return !ended;
}

/** A break about every 12 MB of bodies, wherever in a request that is. */
function breaking(upload: FaultProxy, random: () => number): Choose {
  const distance = () => BREAK_DISTANCE * (0.33 + 1.34 * random());
  let at = distance();
  return ({ length }) => {
    const after = Math.max(0, Math.floor(at - upload.bytes));
    if (length === 0 || after >= length) return undefined;
    at += distance();
    return { kind: random() < 0.5 ? "reset" : "half-close", after };
  };
}

async function judge(
  lab: Lab,
  condition: Condition,
  outcomes: readonly ClientOutcome[],
  sha256: string,
  size: number,
): Promise<string | undefined> {
  const ids = new Set(outcomes.flatMap((each) => (each.kind === "whole" ? [each.assetId] : [])));
  for (const id of ids) {
    const wrong = await wrongAbout(lab.service, id, sha256, size);
    if (wrong !== undefined) return wrong;
  }
  const assets = await lab.service.assets();
  // A process may be killed after its upload was whole and before it could say so: nobody can know that it was.
  const untold = assets.filter(
    (each) => condition === "killed" && each.sha256 === sha256 && !ids.has(each.asset.id),
  );
  const counted = assets.length - untold.length;
  return ids.size > 0 && counted !== ids.size ? `${counted} assets` : undefined;
}

/** What is wrong with the content of an asset that is said to be whole. */
export async function wrongAbout(
  service: SpawnedService,
  id: string,
  sha256: string,
  size: number,
): Promise<string | undefined> {
  const stored = await service.whole(id, 10_000).catch(() => undefined);
  if (stored === undefined) return "the service has not all of it";
  if (stored.sha256 === sha256) return undefined;
  return stored.asset.size === size ? "another content" : `${stored.asset.size} of ${size} bytes`;
}

function errorsOf(condition: Condition, outcomes: readonly ClientOutcome[]): string[] {
  const codes = outcomes.flatMap((each) => {
    if (each.kind === "whole" || each.kind === "verdicts") return [];
    return each.kind === "error" ? [each.error.code] : [`${each.kind}: ${each.output.slice(0, 500)}`];
  });
  // One of the two processes has the lease.
  return condition === "two processes" && codes.length === 1 && codes[0] === "in-progress" ? [] : codes;
}

/** What went wrong with an upload, and what it was. */
export function inWords({ number, size, latency, condition, wrong, errors }: StoreUpload): string {
  const what = [wrong === undefined ? [] : `WRONG ${wrong}`, errors].flat().join(", ");
  return `upload ${number}: ${size} bytes, ${latency.join("-")} ms, ${condition}: ${what}`;
}

export function rowsOf(uploads: readonly StoreUpload[]): Record<string, string | number>[] {
  const rows = LATENCIES.flatMap((latency) => CONDITIONS.map((condition) => ({ latency, condition })));
  return [...rows, {}].flatMap((row: { latency?: readonly [number, number]; condition?: Condition }) => {
    const { latency, condition } = row;
    const among = uploads.filter(
      (each) => condition === undefined || (each.condition === condition && each.latency === latency),
    );
    if (among.length === 0) return [];
    const sum = (of: (each: StoreUpload) => number) => among.reduce((all, each) => all + of(each), 0);
    return {
      "latency (ms)": latency?.join("-") ?? "all",
      condition: condition ?? "all",
      uploads: among.length,
      wrong: sum(({ wrong }) => (wrong === undefined ? 0 : 1)),
      errors: countOf(among.flatMap(({ errors }) => errors)),
      breaks: sum(({ breaks }) => breaks),
      seconds: Math.round(sum(({ seconds }) => seconds)),
    };
  });
}

function countOf(codes: readonly string[]): string {
  const names = [...new Set(codes.map((code) => code.split(":")[0]))];
  return names
    .map((name) => `${codes.filter((code) => code.startsWith(name ?? "")).length} ${name}`)
    .join(", ");
}
