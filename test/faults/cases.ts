/** The faults of the matrix, and what each must end in; what a process by itself can show of them is in `test/core`. */
import { chmod, mkdir, readdir, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { MiB } from "../support/content.ts";
import { rawAnswer } from "../support/hosts/raw-server.ts";
import { AS_A_PERSON, type Lab, outcomeOf, startClient } from "./lab.ts";
import { type FaultCase, type Scene, SIZE } from "./matrix.ts";
import { type Fault, faulty } from "./proxy.ts";

const RESUMABLE = ["resumable"] as const;
const SLOW = 10 * MiB;
/** What a store ends in that counts the bytes of a broken request below a part too: they bring it forward. */
const KEEPS_BITS: NonNullable<FaultCase["atStore"]> = { "tus-s3-2": "whole" };
const PROFILE = "its journal is the profile's database, which test/e2e fills, blocks and wipes";

/** Within the first body of an upload: Chromium sends one part of 8 MiB at a time, the others two together. */
const middle = ({ client, method }: Scene): number =>
  (client === "chromium" && method === "resumable" ? 5 : 9) * MiB;

/** A fault of the request that carries the body. */
const body = (name: string, fault: Fault | ((scene: Scene) => Fault), times = 1): FaultCase => ({
  name,
  expected: "whole",
  arm(lab, scene) {
    lab.upload.choose = faulty(scene.verb, typeof fault === "function" ? fault(scene) : fault, { times });
  },
});

/** Arms the proxy in front of one origin. */
const at =
  (origin: "api" | "upload", ...rule: Parameters<typeof faulty>) =>
  (lab: Lab) => {
    lab[origin].choose = faulty(...rule);
  };

const networks: FaultCase[] = [
  body("reset in the body, three times", (scene) => ({ kind: "reset", after: middle(scene) }), 3),
  body("reset before the first byte", { kind: "reset", after: 0 }),
  body("closed in good order in the middle", (scene) => ({ kind: "half-close", after: middle(scene) })),
  body("cut exactly at the end of the body", { kind: "cut-at-end" }),
  body("stall without a reset", (scene) => ({ kind: "stall", after: middle(scene) })),
  body("answer that never comes", { kind: "hold-answer" }),
  body("lost answer to the last byte", { kind: "drop-answer" }),
  {
    name: "reset before the creation",
    methods: RESUMABLE,
    expected: "whole",
    arm: at("upload", "POST", { kind: "reset", after: 0 }),
  },
  {
    name: "lost answer to the creation",
    methods: RESUMABLE,
    expected: "whole",
    arm: at("upload", "POST", { kind: "drop-answer" }),
  },
  {
    name: "lost answer to request-upload",
    expected: "asset-unknown",
    secondAsset: true,
    arm: at("api", "POST", { kind: "drop-answer" }),
  },
  {
    name: "base address down at first",
    notInChromium: "it tells a refused connection and a lost answer alike, so both are told as a lost answer",
    expected: "whole",
    plan: () => ({ options: { retry: { attempts: 30, minDelay: 100, maxDelay: 500 } } }),
    arm: (lab) => void lab.api.refuse(2000),
  },
  ...(["closed", "reset"] as const).map(
    (how): FaultCase => ({
      name: `upload host ${how === "closed" ? "down" : "resets every connection"} for 1.5 s`,
      expected: "whole",
      arm: (lab) => lab.service.set({ throttle: SLOW }),
      async during(lab, script) {
        await script.prints("at 8");
        await lab.service.set({ throttle: 0 });
        await lab.upload.refuse(1500, how);
      },
    }),
  ),
  {
    name: "offset never moves",
    methods: RESUMABLE,
    expected: "interrupted",
    atStore: KEEPS_BITS,
    plan: () => ({ options: { retry: { attempts: 4, minDelay: 10 } } }),
    arm: at("upload", "PATCH", { kind: "reset", after: 5 * MiB }, { times: 99 }),
  },
];

/** Every body is answered so, and none is delivered. */
const answered = (
  name: string,
  expected: FaultCase["expected"],
  reply: Extract<Fault, { kind: "answer" }>["reply"],
): FaultCase => ({
  name,
  expected,
  plan: () => ({
    options: { retry: { attempts: 2, minDelay: 20 }, timeout: { stall: 1500, answer: 1000, settle: 100 } },
  }),
  arm(lab, { verb }) {
    lab.upload.choose = faulty(verb, { kind: "answer", reply }, { times: 99 });
  },
});
const packed = gzipSync(Buffer.alloc(64 * MiB, '{"errors":["no"]} '));

const hostAnswers: FaultCase[] = [
  {
    name: "early 503 in the middle of the body",
    expected: "whole",
    arm: (lab, { verb }) =>
      lab.service.set({
        answerStatus: [{ host: "upload", method: verb, status: 503, times: 2, early: true }],
      }),
  },
  {
    name: "429 to request-upload",
    expected: "whole",
    arm: (lab) =>
      lab.service.set({
        answerStatus: [{ host: "api", method: "POST", status: 429, retryAfter: "1", times: 1 }],
      }),
  },
  answered("refusal that is packed and large", "location-refused", (socket) => {
    socket.write(rawAnswer(403, { "content-encoding": "gzip", "content-length": packed.length }));
    socket.end(packed);
  }),
  answered("refusal that falls silent", "interrupted", (socket) => {
    socket.write(rawAnswer(403, { "content-length": 1000 }, "no"));
  }),
  answered("headers that never end", "interrupted", (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const timer = setInterval(() => socket.write("a: b\r\n"), 20);
    socket.once("close", () => clearInterval(timer));
  }),
  answered("chunks that are none", "interrupted", (socket) => {
    socket.end(rawAnswer(200, { "transfer-encoding": "chunked" }, "zz\r\n{}\r\n0\r\n\r\n"));
  }),
];

/** Kills a client in the middle of an upload, whose journal the next one finds. */
const kill: NonNullable<FaultCase["arm"]> = async (lab, { client, method, path, journal }) => {
  await lab.service.set({ throttle: SLOW });
  const script = startClient(lab, client, { method, path, journal });
  await script.prints("at 10");
  script.kill();
  await script.ended();
  await lab.service.set({ throttle: 0 });
};

const machines: FaultCase[] = [
  { name: "client killed and run again", expected: "whole", arm: kill },
  {
    name: "service killed and started again",
    expected: "whole",
    arm: (lab) => lab.service.set({ throttle: SLOW }),
    async during(lab, script) {
      await script.prints("at 9");
      await lab.service.restart();
    },
  },
  {
    name: "two processes",
    notInChromium: "a profile belongs to one browser process; test/e2e has two of its tabs",
    expected: "in-progress",
    sourceLost: true,
    async arm(lab, scene) {
      const { client, method, path, journal } = scene;
      await lab.service.set({ throttle: MiB / 2 });
      const other = startClient(lab, client, { method, path, journal });
      scene.other = outcomeOf(other);
      await other.prints("at 1");
    },
    async during(lab, script, { other }) {
      await script.ended();
      // Until now it had to be at work, also on a machine that is busy.
      await lab.service.set({ throttle: 0 });
      const outcome = await other;
      if (outcome?.kind !== "whole" || (await lab.service.assets()).length !== 1)
        throw new Error("the other process was disturbed");
    },
  },
];

const changes: [string, FaultCase["expected"], (path: string) => Promise<unknown>][] = [
  ["truncated", "source-changed", (path) => truncate(path, 3 * MiB)],
  // The bytes of an open file are there until it is closed.
  ["deleted", "whole", (path) => rm(path)],
  ["moved away", "whole", (path) => rename(path, `${path}.moved`)],
];

const sources: FaultCase[] = [
  ...changes.map(
    ([what, expected, change]): FaultCase => ({
      name: `file ${what} meanwhile`,
      expected,
      // Chromium opens the file again for each piece.
      inChromium: "source-changed",
      sourceLost: true,
      arm: (lab) => lab.service.set({ throttle: SLOW }),
      async during(_, script, { path }) {
        await script.prints("at 6");
        await change(path);
      },
    }),
  ),
  {
    ...body("stream and three resets", { kind: "reset", after: 3 * MiB }, 3),
    expected: { resumable: "whole", direct: "source-used-up" },
    plan: () => ({ stream: SIZE }),
    secondAsset: true,
  },
];

const journals: FaultCase[] = [
  {
    name: "journal in a folder that must not be written",
    notInChromium: PROFILE,
    expected: "journal-failed",
    untouched: true,
    through: AS_A_PERSON,
    arm: (_, { journal }) => mkdir(journal, { mode: 0o500 }),
    repair: ({ journal }) => chmod(journal, 0o700),
  },
  ...[4096, 0].map(
    (largestFile): FaultCase => ({
      name: `disk without room for ${largestFile === 0 ? "a byte" : "the journal"}`,
      notInChromium: PROFILE,
      expected: "journal-failed",
      untouched: true,
      plan: () => ({ largestFile }),
    }),
  ),
  // Whoever has an asset goes on without a journal: that is the surest way to save it.
  {
    name: "disk full at the journal's first write, and a line that carries nothing whole",
    expected: "interrupted",
    secondAsset: true,
    plan: () => ({ fullAfter: 0, options: { retry: { attempts: 2, minDelay: 20 } } }),
    arm(lab, { verb }) {
      lab.upload.choose = faulty(verb, { kind: "reset", after: 3 * MiB }, { times: 99 });
    },
  },
  {
    name: "journal damaged after a kill",
    notInChromium: PROFILE,
    methods: RESUMABLE,
    expected: "journal-failed",
    secondAsset: true,
    unnamed: true,
    async arm(lab, scene) {
      await kill(lab, scene);
      const entries = (await readdir(scene.journal)).filter((name) => name.endsWith(".json"));
      for (const name of entries) await writeFile(join(scene.journal, name), '{"version":1,"upl');
    },
  },
  {
    name: "journal wiped meanwhile",
    notInChromium: PROFILE,
    expected: "whole",
    arm: (lab) => lab.service.set({ throttle: SLOW }),
    async during(_, script, { journal }) {
      await script.prints("at 6");
      await rm(journal, { recursive: true });
    },
  },
];

export const CASES: readonly FaultCase[] = [
  ...networks,
  ...hostAnswers,
  ...machines,
  ...sources,
  ...journals,
];
