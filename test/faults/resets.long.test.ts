/**
 * What resets, an outage, a stall and a failing service cost, beside tus-js-client with its defaults, in one run. Core
 * waits a second where a store may still be working on a request that broke; tus-js-client does not, and loses there.
 *
 * `UPCUT_FILES=long UPCUT_ROUNDS=3 npx vitest run test/faults/resets`.
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AnswerRule } from "../service/switches.ts";
import { writeContent } from "../support/content.ts";
import { useOpened } from "../support/use-opened.ts";
import { MiB, outcomeOf, startClient, useLab, videoFolder } from "./lab.ts";
import type { ClientOutcome, ClientPlan } from "./plan.ts";
import { type Choose, faulty } from "./proxy.ts";

const ROUNDS = Number(process.env.UPCUT_ROUNDS ?? 1);
const SCRIPTS = { core: "client.ts", "tus-js-client": "plain-tus.ts" } as const;
type Who = keyof typeof SCRIPTS;
const BOTH: readonly Who[] = ["core", "tus-js-client"];

interface Video {
  path: string;
  size: number;
  sha256: string;
}

interface Scene {
  what: string;
  video: () => Video;
  /** Whether the service counts parts of 8 MiB alone. */
  parts: boolean;
  /** Bytes per second that the service takes. */
  throttle?: number;
  answerStatus?: AnswerRule[];
  /** What the line does to requests. */
  line?: () => Choose;
  /** Milliseconds for which the host is away, after a while. */
  outage?: number;
  options?: ClientPlan["options"];
  deadline?: number;
  /** What core tells instead of coming whole. */
  told?: string;
}

interface Run {
  size: number;
  outcome: ClientOutcome;
  seconds: number;
  /** Bytes that left the client beyond the video's own, in percent. */
  resent: number;
  whole: boolean;
  assets: number;
  /** Seconds from the end of an outage to the first request after it. */
  back: number | undefined;
}

const every = (bytes: number) => (): Choose => {
  const rule = faulty("PATCH", { kind: "reset", after: bytes }, { times: Number.POSITIVE_INFINITY });
  // A request that ends exactly there is whole.
  return (request) => (request.length > bytes ? rule(request) : undefined);
};

let large: Video;
let small: Video;
const SCENES: readonly Scene[] = [
  { what: "1 GiB, 8 MiB parts, no fault", video: () => large, parts: true },
  {
    what: "the same, reset every 20 MiB",
    video: () => large,
    parts: true,
    line: every(20 * MiB),
  },
  { what: "1 GiB, every byte counts, no fault", video: () => large, parts: false },
  {
    what: "the same, reset every 5 MiB",
    video: () => large,
    parts: false,
    line: every(5 * MiB),
    // After each of 200 resets core waits until the offset stands still for a second.
    deadline: 900_000,
  },
  {
    what: "1 GiB, 8 MiB parts, reset every 5 MiB",
    video: () => large,
    parts: true,
    line: every(5 * MiB),
    options: { retry: { minDelay: 20, maxDelay: 500 } },
    told: "breaks before 8 MiB are sent",
  },
  { what: "64 MiB at 16 MiB/s, no fault", video: () => small, parts: true, throttle: 16 * MiB },
  {
    what: "the same, outage of 14 s",
    video: () => small,
    parts: true,
    throttle: 16 * MiB,
    outage: 14_000,
  },
  {
    what: "64 MiB, a stall (60 s allowed)",
    video: () => small,
    parts: true,
    line: () => faulty("PATCH", { kind: "stall", after: 20 * MiB }),
    deadline: 60_000,
  },
  {
    what: "64 MiB, a reset and 503 to the HEAD",
    video: () => small,
    parts: true,
    line: () => faulty("PATCH", { kind: "reset", after: 40 * MiB }),
    answerStatus: [{ host: "upload", method: "HEAD", status: 503, times: 1 }],
  },
];

const lab = useLab();
const folder = useOpened(videoFolder);
const runs = new Map<string, Run[]>();
const runsOf = (what: string, who: Who) => runs.get(`${what} ${who}`) ?? [];

beforeAll(async () => {
  const video = async (name: string, size: number): Promise<Video> => {
    const path = join(folder.path, name);
    return { path, size, sha256: await writeContent(path, size) };
  };
  large = await video("large.mp4", 1024 * MiB);
  small = await video("small.mp4", 64 * MiB);
}, 120_000);
afterAll(() => console.table(SCENES.flatMap((scene) => BOTH.map((who) => rowOf(scene, who)))));

describe.each(Array.from({ length: ROUNDS }, (_, at) => at + 1))("round %i", () => {
  for (const scene of SCENES) {
    test.each(BOTH)(
      `${scene.what}: %s`,
      async (who) => {
        const result = await run(scene, who);
        runs.set(`${scene.what} ${who}`, [...runsOf(scene.what, who), result]);
        if (who === "tus-js-client") return;
        if (scene.told === undefined) return void expect(result).toMatchObject({ whole: true, assets: 1 });
        expect(result.outcome).toMatchObject({
          kind: "error",
          error: { code: "interrupted", resume: { possible: true } },
        });
        expect(JSON.stringify(result.outcome)).toContain(scene.told);
      },
      1_000_000,
    );
  }
});

test("core resumes after each outage", () => {
  const outages = SCENES.filter(({ outage }) => outage !== undefined);
  const backs = outages.flatMap(({ what }) => runsOf(what, "core").map(({ back }) => back));
  expect(backs.length).toBeGreaterThan(0);
  expect(backs).not.toContain(undefined);
});

async function run(scene: Scene, who: Who): Promise<Run> {
  const { video: videoOf, parts, throttle = 0, answerStatus = [], line, outage, options = {} } = scene;
  const video = videoOf();
  await lab.service.set({ parts, throttle, answerStatus });
  if (line !== undefined) lab.upload.choose = line();
  const began = Date.now();
  const plan: ClientPlan = { method: "resumable", path: video.path, options };
  const script = startClient(lab, "node", plan, SCRIPTS[who]);
  let back: number | undefined;
  const away =
    outage !== undefined &&
    new Promise((resolve) => setTimeout(resolve, 3500)).then(async () => {
      await lab.upload.refuse(outage);
      const since = Date.now();
      lab.upload.choose = () => {
        back ??= (Date.now() - since) / 1000;
        return undefined;
      };
    });
  const outcome = await outcomeOf(script, scene.deadline ?? 300_000);
  await away;
  const whole =
    outcome.kind === "whole" && (await lab.service.whole(outcome.assetId)).sha256 === video.sha256;
  return {
    size: video.size,
    outcome,
    seconds: outcome.kind === "whole" ? outcome.milliseconds / 1000 : (Date.now() - began) / 1000,
    resent: ((lab.upload.bytes - video.size) / video.size) * 100,
    whole,
    assets: (await lab.service.assets()).length,
    back,
  };
}

function rowOf({ what }: Scene, who: Who): Record<string, string | number> {
  const all = runsOf(what, who);
  const last = all.at(-1);
  if (last === undefined) return { what, client: who };
  const { outcome, whole, resent, back } = last;
  return {
    what,
    client: who,
    outcome: whole ? "whole" : outcome.kind === "error" ? outcome.error.message.slice(0, 48) : outcome.kind,
    seconds: all.map((each) => each.seconds.toFixed(1)).join(" "),
    "re-sent %": whole ? resent.toFixed(1) : "",
    "back after s": back?.toFixed(1) ?? "",
  };
}
