/** The faults of the matrix, and what each must end in. */
import { appendFile, chmod, mkdir, readdir, rename, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Habits, serveVideo } from "../video-server.ts";
import { AS_A_PERSON, type Lab, MiB, outcomeOf, startClient } from "./lab.ts";
import { type FaultCase, type Scene, SIZE } from "./matrix.ts";
import { type Fault, faulty } from "./proxy.ts";

const RESUMABLE = ["resumable"] as const;
const DIRECT = ["direct"] as const;
const SLOW = 10 * MiB;
/** What a store ends in that counts the bytes of a broken request below a part too: they bring it forward. */
const KEEPS_BITS: NonNullable<FaultCase["atStore"]> = { "tus-s3-2": "whole" };
const PROFILE = "its journal is the profile's database, which test/e2e fills, blocks and wipes";

/** Within the first body of an upload: Chromium sends one part of 8 MiB at a time, the others two together. */
const middle = ({ client, method }: Scene): number =>
  (client === "chromium" && method === "resumable" ? 5 : 9) * MiB;
/** Shortly before its end. */
const late = ({ client, method }: Scene): number => {
  if (method === "direct") return 19 * MiB;
  return (client === "chromium" ? 7 : 15) * MiB;
};

/** A fault of the request that carries the body. */
const body = (name: string, fault: Fault | ((scene: Scene) => Fault), times = 1): FaultCase => ({
  name,
  expected: "whole",
  arm(lab, scene) {
    lab.upload.choose = faulty(scene.verb, typeof fault === "function" ? fault(scene) : fault, { times });
  },
});

/** Statuses that the upload host answers with, one after another. */
const answers = (lab: Lab, method: string, statuses: number[], more: object = {}) => {
  const rule = (status: number) => ({ host: "upload" as const, method, status, times: 1, ...more });
  return lab.service.set({ answerStatus: statuses.map(rule) });
};

/** The first body is reset, so that a HEAD is asked, which the fault is for. */
const head = (name: string, fault: Fault, expected: FaultCase["expected"], times = 1): FaultCase => ({
  name,
  methods: RESUMABLE,
  expected,
  arm(lab, scene) {
    const first = faulty("PATCH", { kind: "reset", after: middle(scene) });
    const then = faulty("HEAD", fault, { times });
    lab.upload.choose = (request) => first(request) ?? then(request);
  },
});

const offset = (value: (real: number) => number): Fault => ({
  kind: "alter",
  change: (text) =>
    text.replace(/(upload-offset: *)(\d+)/i, (_, name, real) => `${name}${value(Number(real))}`),
});

/** Arms the proxy in front of one origin. */
const at =
  (origin: "api" | "upload", ...rule: Parameters<typeof faulty>) =>
  (lab: Lab) => {
    lab[origin].choose = faulty(...rule);
  };

export const SAMPLE: readonly FaultCase[] = [
  body("reset in the body, three times", (scene) => ({ kind: "reset", after: middle(scene) }), 3),
  body("stall without a reset", (scene) => ({ kind: "stall", after: middle(scene) })),
  body("lost answer to the last byte", { kind: "drop-answer" }),
  {
    name: "lost answer to the creation",
    methods: RESUMABLE,
    expected: "whole",
    arm: at("upload", "POST", { kind: "drop-answer" }),
  },
  {
    name: "lost answer to request-upload",
    methods: DIRECT,
    expected: "asset-unknown",
    secondAsset: true,
    arm: at("api", "POST", { kind: "drop-answer" }),
  },
  {
    name: "client killed and run again",
    methods: RESUMABLE,
    expected: "whole",
    async arm(lab, { client, method, path, journal }) {
      await lab.service.set({ throttle: SLOW });
      const script = startClient(lab, client, { method, path, journal });
      await script.prints("at 10");
      script.kill();
      await script.ended();
      await lab.service.set({ throttle: 0 });
    },
  },
];

const networks: FaultCase[] = [
  body("reset before the first byte", { kind: "reset", after: 0 }),
  body("reset once, late", (scene) => ({ kind: "reset", after: late(scene) })),
  body("closed in good order in the middle", (scene) => ({ kind: "half-close", after: middle(scene) })),
  body("cut exactly at the end of the body", { kind: "cut-at-end" }),
  body("answer that never comes", { kind: "hold-answer" }),
  body("delay of a second", { kind: "delay", milliseconds: 1000 }),
  body("slow line", { kind: "throttle", rate: SLOW }),
  body("answer that is no HTTP", { kind: "alter", change: () => "what is this" }),
  {
    name: "reset before the creation",
    methods: RESUMABLE,
    expected: "whole",
    arm: at("upload", "POST", { kind: "reset", after: 0 }),
  },
  {
    name: "creation never answered",
    methods: RESUMABLE,
    expected: "whole",
    arm: at("upload", "POST", { kind: "hold-answer" }),
  },
  {
    name: "request-upload never answered",
    expected: "asset-unknown",
    secondAsset: true,
    plan: () => ({ timeout: 1500 }),
    arm: at("api", "POST", { kind: "hold-answer" }),
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
];

const statuses: FaultCase[] = [
  ...[408, 409, 423, 500, 502, 503].map(
    (status): FaultCase => ({
      name: `${status} to the body, twice`,
      expected: "whole",
      arm: (lab, { verb }) => answers(lab, verb, [status, status]),
    }),
  ),
  {
    name: "429 with Retry-After to the body",
    expected: "whole",
    arm: (lab, { verb }) => answers(lab, verb, [429], { retryAfter: "1" }),
  },
  {
    name: "503 with an hour's Retry-After",
    expected: "interrupted",
    arm: (lab, { verb }) => answers(lab, verb, [503], { retryAfter: "3600" }),
  },
  {
    name: "408 to 503 to the creation",
    methods: RESUMABLE,
    expected: "whole",
    arm: (lab) => answers(lab, "POST", [408, 409, 423, 429, 500, 502, 503], { path: "/tus" }),
  },
  {
    name: "408 to 503 to the HEAD",
    methods: RESUMABLE,
    expected: "whole",
    async arm(lab, scene) {
      lab.upload.choose = faulty("PATCH", { kind: "reset", after: middle(scene) });
      await answers(lab, "HEAD", [408, 409, 423, 429, 500, 502, 503]);
    },
  },
  {
    name: "early 503 in the middle of the body",
    expected: "whole",
    arm: (lab, { verb }) => answers(lab, verb, [503, 503], { early: true }),
  },
  {
    name: "200 with a page to the body",
    expected: "whole",
    arm: (lab, { verb }) =>
      answers(lab, verb, [200], { contentType: "text/html", body: "<html>Sign in</html>" }),
  },
  {
    name: "500 to request-upload",
    expected: "service-error",
    arm: (lab) => lab.service.set({ answerStatus: [{ host: "api", method: "POST", status: 500 }] }),
  },
  {
    name: "429 to request-upload",
    expected: "whole",
    arm: (lab) =>
      lab.service.set({
        answerStatus: [{ host: "api", method: "POST", status: 429, retryAfter: "1", times: 1 }],
      }),
  },
  {
    name: "time limit of 1 s",
    expected: { resumable: "whole", direct: "interrupted" },
    plan: () => ({ options: { retry: { attempts: 2, minDelay: 20 } } }),
    arm: (lab) => lab.service.set({ throttle: 12 * MiB, requestTimeLimit: 1 }),
  },
  {
    name: "HEAD 404 once",
    methods: RESUMABLE,
    expected: "whole",
    async arm(lab, scene) {
      lab.upload.choose = faulty("PATCH", { kind: "reset", after: middle(scene) });
      await answers(lab, "HEAD", [404]);
    },
  },
  {
    name: "HEAD 404 for good",
    methods: RESUMABLE,
    expected: "upload-gone",
    plan: () => ({ options: { retry: { attempts: 4, minDelay: 10 } } }),
    async arm(lab, scene) {
      lab.upload.choose = faulty("PATCH", { kind: "reset", after: middle(scene) });
      await answers(lab, "HEAD", [404], { times: 99 });
    },
  },
];

const offsets: FaultCase[] = [
  head(
    "HEAD beyond the size",
    offset(() => SIZE + 1),
    "offset-beyond-end",
    Number.POSITIVE_INFINITY,
  ),
  head(
    "HEAD beyond the size, once",
    offset(() => SIZE + 1),
    "whole",
  ),
  head(
    "HEAD goes back to 0",
    offset(() => 0),
    "whole",
  ),
  head("lost answer to the HEAD", { kind: "drop-answer" }, "whole", 2),
  {
    name: "offset never moves",
    methods: RESUMABLE,
    expected: "interrupted",
    atStore: KEEPS_BITS,
    plan: () => ({ options: { retry: { attempts: 4, minDelay: 10 } } }),
    arm: at("upload", "PATCH", { kind: "reset", after: 5 * MiB }, { times: 99 }),
  },
];

const machines: FaultCase[] = [
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
    name: "client killed, direct",
    methods: DIRECT,
    expected: "whole",
    arm: (lab, scene) => SAMPLE.at(-1)?.arm?.(lab, scene),
  },
  {
    name: "two processes",
    notInChromium: "a profile belongs to one browser process; test/e2e has two of its tabs",
    expected: "in-progress",
    sourceLost: true,
    async arm(lab, scene) {
      const { client, method, path, journal } = scene;
      await lab.service.set({ throttle: SLOW / 2 });
      const other = startClient(lab, client, { method, path, journal });
      scene.other = outcomeOf(other);
      await other.prints("at 1");
    },
    async during(lab, script, { other }) {
      await script.ended();
      const outcome = await other;
      if (outcome?.kind !== "whole" || (await lab.service.assets()).length !== 1)
        throw new Error("the other process was disturbed");
    },
  },
];

const changes: Record<string, (path: string) => Promise<unknown>> = {
  truncated: (path) => truncate(path, 3 * MiB),
  touched: (path) => utimes(path, new Date(), new Date(0)),
  rewritten: (path) => writeFile(path, "something else"),
  "that grows": (path) => appendFile(path, "more"),
};

const farewells: Record<string, (path: string) => Promise<unknown>> = {
  deleted: (path) => rm(path),
  "moved away": (path) => rename(path, `${path}.moved`),
  async "replaced by another"(path) {
    await writeFile(`${path}.new`, "something else");
    await rename(`${path}.new`, path);
  },
};

const sources: FaultCase[] = [
  ...Object.entries(changes).map(
    ([what, change]): FaultCase => ({
      name: `file ${what} meanwhile`,
      expected: "source-changed",
      sourceLost: true,
      arm: (lab) => lab.service.set({ throttle: SLOW }),
      async during(_, script, { path }) {
        await script.prints("at 6");
        await change(path);
      },
    }),
  ),
  // The bytes of an open file are there until it is closed.
  ...Object.entries(farewells).map(
    ([what, part]): FaultCase => ({
      name: `file ${what} meanwhile`,
      expected: "whole",
      // It opens the file again for each piece.
      inChromium: "source-changed",
      sourceLost: true,
      arm: (lab) => lab.service.set({ throttle: SLOW }),
      async during(_, script, { path }) {
        await script.prints("at 6");
        await part(path);
      },
    }),
  ),
  {
    name: "stream that fails",
    expected: "source-unreadable",
    plan: ({ method }) => ({
      stream: { size: 12 * MiB, fails: true, ...(method === "direct" && { announced: SIZE }) },
    }),
    secondAsset: true,
    sourceLost: true,
  },
  {
    name: "stream that ends early",
    expected: "source-ended-early",
    plan: () => ({ stream: { size: 12 * MiB, announced: SIZE } }),
    secondAsset: true,
  },
  {
    name: "stream that is too long",
    expected: "source-too-long",
    plan: () => ({ stream: { size: 22 * MiB, announced: SIZE } }),
    secondAsset: true,
  },
  {
    ...body("stream and three resets", { kind: "reset", after: 3 * MiB }, 3),
    expected: { resumable: "whole", direct: "source-used-up" },
    plan: () => ({ stream: { size: SIZE, announced: SIZE } }),
    secondAsset: true,
  },
  {
    ...body("stream and a stall", { kind: "stall", after: 3 * MiB }),
    methods: RESUMABLE,
    plan: () => ({ stream: { size: SIZE } }),
  },
];

const forgotten: FaultCase = {
  name: "stream, and HEAD goes back to 0",
  methods: RESUMABLE,
  expected: "offset-behind-buffer",
  secondAsset: true,
  plan: () => ({ stream: { size: SIZE } }),
  arm(lab) {
    // Twice, since Chromium sends a request again by itself where a kept connection broke.
    const second = faulty("PATCH", { kind: "reset", after: 3 * MiB }, { skip: 1, times: 2 });
    const then = faulty(
      "HEAD",
      offset(() => 0),
      // As often as it is asked until it stands still.
      { times: 99 },
    );
    lab.upload.choose = (request) => second(request) ?? then(request);
  },
};

/** A video at an address that misbehaves, and perhaps a line that does. */
const served = (name: string, habits: Habits, expected: FaultCase["expected"], line?: Fault): FaultCase => ({
  name,
  expected,
  secondAsset: true,
  async arm(lab, scene) {
    scene.served = await serveVideo(SIZE, habits);
    if (line !== undefined) lab.upload.choose = faulty(scene.verb, line);
  },
  plan: ({ served }) => ({ url: served?.url ?? "" }),
});

const addresses: FaultCase[] = [
  served("address whose downloads are cut", { cutAfter: 3 * MiB }, "whole"),
  served("address whose content changes", { changesAt: 2 }, "source-changed"),
  served("address whose date changes", { changesAt: 2, tells: "date" }, "source-changed"),
  // Without a version it is read in one go, after the first byte: a cut makes another answer necessary.
  served("address whose length changes", { changesAt: 3, tells: "length", cutAt: 3 * MiB }, "source-changed"),
  served("address that goes away", { cutAfter: 3 * MiB, goneAt: 4 }, "source-unreadable"),
  served("address, and a reset", {}, "whole", { kind: "reset", after: 3 * MiB }),
  served("address without ranges, and a reset", { ranges: false }, "whole", {
    kind: "reset",
    after: 3 * MiB,
  }),
];

const journals: FaultCase[] = [
  {
    name: "journal that can't be made",
    notInChromium: PROFILE,
    expected: "journal-failed",
    untouched: true,
    plan: ({ path }) => ({ journal: join(path, "journal") }),
  },
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
    name: "disk full at the journal's first write",
    expected: "whole",
    plan: () => ({ fullAfter: 0 }),
  },
  {
    name: "disk full at the journal's second write",
    expected: "whole",
    plan: () => ({ fullAfter: 1 }),
  },
  {
    name: "disk full at the journal's first write, and a line that carries nothing whole",
    expected: "interrupted",
    atStore: KEEPS_BITS,
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
      await SAMPLE.at(-1)?.arm?.(lab, scene);
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
  ...SAMPLE,
  ...networks,
  ...statuses,
  ...offsets,
  ...machines,
  ...sources,
  forgotten,
  ...addresses,
  ...journals,
];
