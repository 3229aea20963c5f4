/** Claims of a journal in a folder: whose they are, and what a holder does that comes back after it lost one. */
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { fileJournal } from "../../core/file.ts";
import type { Journal, UploadRecord } from "../../core/journal/journal.ts";
import { journalKey } from "../../core/journal/mod.ts";
import { openSlot } from "../../core/journal/slot.ts";
import { createClient, discard, memoryJournal, upload } from "../../core/mod.ts";
import { caught } from "../caught.ts";
import { content, sha256, writeContent } from "../content.ts";
import type { ClientOutcome, ClientPlan } from "../faults/plan.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { serveVideo } from "../video-server.ts";
import { runScript, type Script } from "./script.ts";

const MiB = 1024 * 1024;
const LEASE = 3000;
const service = useService();
let folder: { path: string; remove(): Promise<void> };
let journals: { path: string; remove(): Promise<void> };
let video: { path: string; sha256: string };

beforeAll(async () => {
  folder = await scratchFolder("lease");
  journals = await scratchFolder("journal");
  const path = join(folder.path, "video.mp4");
  video = { path, sha256: await writeContent(path, 24 * MiB + 5, 7) };
});
afterAll(async () => {
  await folder.remove();
  await journals.remove();
});

const STEPPED_ASIDE = {
  kind: "error",
  error: { name: "UploadError", code: "in-progress", retryable: true },
};
const newJournal = () => join(journals.path, crypto.randomUUID());

/** Processes that a failing test may leave. */
const started: Script[] = [];
afterEach(() => {
  for (const { process } of started.splice(0)) process.kill("SIGKILL");
});

function startClient(plan: Partial<ClientPlan> & { journal: string }): Script {
  const source = plan.url === undefined && { path: video.path };
  const whole = { method: "resumable", ...source, leaseTimeout: LEASE, ...plan };
  const environment = { UPCUT_URL: service.baseUrl, UPCUT_TOKEN: service.token };
  const script = runScript("test/faults/client.ts", [JSON.stringify(whole)], environment);
  started.push(script);
  return script;
}

/** Not by the handle of the process, of which Deno expects the end after any signal. */
function signal({ process: { pid } }: Script, name: "SIGSTOP" | "SIGCONT"): void {
  process.kill(pid ?? 0, name);
}

async function outcomeOf(script: Script): Promise<ClientOutcome> {
  const { output } = await script.ended();
  const line = output.split("\n").find((each) => each.startsWith('{"kind":'));
  expect(line, output).toBeDefined();
  return JSON.parse(line ?? "");
}

describe.each(["resumable", "direct"] as const)("a process that was suspended in a %s upload", (method) => {
  test("steps aside when another one took over and finished", async () => {
    await service.set({ throttle: 6 * MiB });
    const plan = { method, journal: newJournal() };
    const first = startClient(plan);
    await first.prints("at 10");
    signal(first, "SIGSTOP");
    await delay(LEASE + 500);
    await service.set({ throttle: 0 });
    const second = await outcomeOf(startClient(plan));
    expect(second).toMatchObject({ kind: "whole", resumed: true });
    signal(first, "SIGCONT");
    expect(await outcomeOf(first)).toMatchObject(STEPPED_ASIDE);
    const [only, ...others] = await service.assets();
    expect(others).toEqual([]);
    expect((await service.whole(only?.asset.id ?? "")).sha256).toBe(video.sha256);
    expect(await readdir(plan.journal)).toEqual([]);
  });

  test("sends nothing more of a body that is on its way when the claim is another's", async () => {
    await service.set({ throttle: 8 * MiB });
    const plan = { method, journal: newJournal() };
    const first = startClient(plan);
    await first.prints("at 4");
    signal(first, "SIGSTOP");
    await delay(LEASE + 500);
    const arrived = async () =>
      (await service.requests(method === "direct" ? "PUT" : "PATCH"))[0]?.bytesReceived;
    // What its system held back arrives all the same.
    const before = (await arrived()) ?? 0;
    await takeOver(plan.journal);
    signal(first, "SIGCONT");
    expect(await outcomeOf(first)).toMatchObject(STEPPED_ASIDE);
    // At most the two pieces that were with its system, not the 18 MiB that were left.
    expect((await arrived()) ?? 0).toBeLessThanOrEqual(before + 3 * MiB);
    expect(await claimsIn(plan.journal)).toEqual([expect.stringContaining(".2.claim")]);
  });
});

test("a process that wakes in mid-upload leaves the one that took over alone", async () => {
  await service.set({ throttle: 6 * MiB });
  const plan = { journal: newJournal() };
  const first = startClient(plan);
  await first.prints("at 10");
  signal(first, "SIGSTOP");
  await delay(LEASE + 500);
  const second = startClient(plan);
  await second.prints("at 2");
  const entry = await entryIn(plan.journal);
  signal(first, "SIGCONT");
  expect(await outcomeOf(first)).toMatchObject(STEPPED_ASIDE);
  expect(await entryIn(plan.journal)).toBe(entry);
  expect(await outcomeOf(second)).toMatchObject({ kind: "whole" });
  const [only, ...others] = await service.assets();
  expect(others).toEqual([]);
  expect((await service.whole(only?.asset.id ?? "")).sha256).toBe(video.sha256);
});

test("a process that was suspended while it asked for a location neither stores nor sends what it is answered", async () => {
  await service.set({ latency: 1000 });
  const plan = { journal: newJournal() };
  const first = startClient(plan);
  await expect.poll(() => service.requests("POST", "request-upload")).toHaveLength(1);
  signal(first, "SIGSTOP");
  await delay(LEASE + 500);
  await service.set({ latency: 0 });
  expect(await outcomeOf(startClient(plan))).toMatchObject({ error: { code: "asset-unknown" } });
  expect(await outcomeOf(startClient(plan))).toMatchObject({ kind: "whole", resumed: false });
  signal(first, "SIGCONT");
  expect(await outcomeOf(first)).toMatchObject(STEPPED_ASIDE);
  expect(await service.uploads()).toHaveLength(1);
  expect(await readdir(plan.journal)).toEqual([]);
});

const isClaim = (name: string) => name.endsWith(".claim") && !name.includes(".write.");

async function claimsIn(journal: string): Promise<string[]> {
  return (await readdir(journal)).filter(isClaim);
}

/** What another process does that finds a claim abandoned. */
async function takeOver(journal: string): Promise<void> {
  const [name = ""] = await claimsIn(journal);
  const next = name.replace(/\.(\d+)\.claim$/, (_, generation) => `.${Number(generation) + 1}.claim`);
  await writeFile(join(journal, next), JSON.stringify({ process: 1, host: "another", id: "another" }));
  await rm(join(journal, name));
}

async function entryIn(journal: string): Promise<string> {
  const name = (await readdir(journal)).find((each) => each.endsWith(".json")) ?? "";
  return await readFile(join(journal, name), "utf8");
}

const open = (path: string) => fileJournal(path, { leaseTimeout: LEASE });

test("a process that was suspended while it sent a video from an address steps aside", async () => {
  const host = await serveVideo(24 * MiB + 5);
  await service.set({ throttle: 6 * MiB });
  const plan = { url: host.url, journal: newJournal() };
  const first = startClient(plan);
  await first.prints("at 10");
  signal(first, "SIGSTOP");
  await delay(LEASE + 500);
  await service.set({ throttle: 0 });
  const second = await outcomeOf(startClient(plan));
  expect(second).toMatchObject({ kind: "whole", resumed: true });
  signal(first, "SIGCONT");
  expect(await outcomeOf(first)).toMatchObject(STEPPED_ASIDE);
  expect(await service.assets()).toHaveLength(1);
  await host.close();
});

describe("a lease of a folder's journal", () => {
  test("is held until it is given back, also where the folder is emptied meanwhile", async () => {
    const path = newJournal();
    const lease = await open(path).claim("key");
    expect(await lease?.isHeld?.()).toBe(true);
    await rm(path, { recursive: true });
    expect(await Promise.all([1, 2, 3].map(() => lease?.isHeld?.()))).toEqual([true, true, true]);
    // Made again with the next sign of life.
    await expect.poll(() => readdir(path).catch(() => [])).toEqual(["key.1.claim"]);
    expect(await open(path).claim("key")).toBeUndefined();
    await lease?.();
    expect(await lease?.isHeld?.()).toBe(false);
    expect(await readdir(path)).toEqual([]);
  });

  test("leaves nothing in the folder after many asked for the same at once", async () => {
    const path = newJournal();
    let holders = 0;
    let most = 0;
    let lost = 0;
    const claimOnce = async () => {
      const lease = await open(path).claim("key");
      if (lease === undefined) return;
      most = Math.max(most, ++holders);
      if (!(await lease.isHeld?.())) lost++;
      holders--;
      await lease();
    };
    for (let round = 0; round < 30; round++) await Promise.all(Array.from({ length: 8 }, claimOnce));
    expect([most, lost]).toEqual([1, 0]);
    expect(await readdir(path)).toEqual([]);
  });

  test("says whose it is from its first moment on, so that one who is killed then keeps no key", async () => {
    const path = newJournal();
    const texts = new Set<boolean>();
    let isOver = false;
    const watch = async () => {
      while (!isOver)
        for (const name of await readdir(path).catch(() => [])) {
          const text =
            name.endsWith(".claim") && (await readFile(join(path, name), "utf8").catch(() => false));
          if (text !== false) texts.add(text !== "");
        }
    };
    const watching = [watch(), watch(), watch()];
    for (let round = 0; round < 200; round++) await (await open(path).claim("key"))?.();
    isOver = true;
    await Promise.all(watching);
    expect([...texts]).toEqual([true]);
    expect(await readdir(path)).toEqual([]);
  });

  test("is lost to whoever claims the key in a folder that was emptied", async () => {
    const path = newJournal();
    const older = await open(path).claim("key");
    await rm(path, { recursive: true });
    const newer = await open(path).claim("key");
    expect(await older?.isHeld?.()).toBe(false);
    await older?.();
    expect(await newer?.isHeld?.()).toBe(true);
    await newer?.();
  });

  test("is lost to a newer claim, and to one of the same name, which it leaves alone", async () => {
    const path = newJournal();
    const older = await open(path).claim("key");
    await takeOver(path);
    expect(await older?.isHeld?.()).toBe(false);
    await older?.();
    expect(await readdir(path)).toEqual(["key.2.claim"]);
    const same = await open(path).claim("other");
    await writeFile(join(path, "other.1.claim"), '{"process":1,"host":"another","id":"another"}');
    expect(await same?.isHeld?.()).toBe(false);
    await same?.();
    expect(await readdir(path)).toEqual(["key.2.claim", "other.1.claim"]);
  });

  test("outlives a newer claim that is given up, not one that stays", async () => {
    const path = newJournal();
    const lease = await open(path).claim("key");
    const newer = join(path, "key.2.claim");
    await writeFile(newer, "");
    const held = lease?.isHeld?.();
    await delay(200);
    await rm(newer);
    expect(await held).toBe(true);
    await writeFile(newer, "");
    expect(await lease?.isHeld?.()).toBe(false);
  });

  test("is lost where no sign of life could be given for too long, not where that fails for a moment", async () => {
    const path = newJournal();
    const lease = await open(path).claim("key");
    await rename(path, `${path}.away`);
    await writeFile(path, "no folder");
    expect(await lease?.isHeld?.()).toBe(true);
    await delay(LEASE + 200);
    expect(await lease?.isHeld?.()).toBe(false);
    await rm(path);
    await rename(`${path}.away`, path);
    expect(await lease?.isHeld?.()).toBe(false);
  });

  test("that is lost writes nothing of the slot it was for", async () => {
    const path = newJournal();
    const record: UploadRecord = {
      method: "resumable",
      asset: { id: "mine" },
      mismatches: [],
      location: "x",
    };
    const address = { key: "0f".repeat(32), account: "cc".repeat(8), context: "aa".repeat(32) };
    const losses: string[] = [];
    const slot = await openSlot(open(path), address, { onLost: ({ code }) => losses.push(code) });
    await slot.save(record);
    await takeOver(path);
    const entry = await entryIn(path);
    await slot.save({ ...record, asset: { id: "changed" } });
    await slot.noteRequest();
    await slot.clearRequestNote();
    expect(await caught(slot.forget())).toMatchObject({ code: "in-progress", retryable: true });
    expect(await caught(slot.reserve())).toMatchObject({ code: "in-progress" });
    expect(await caught(slot.confirm())).toMatchObject({ code: "in-progress" });
    await slot.release();
    expect(await entryIn(path)).toBe(entry);
    expect(losses).toEqual(["in-progress"]);
    expect((await readdir(path)).sort()).toEqual([
      `${address.key}.${address.context.slice(0, 16)}.2.claim`,
      `${address.key}.json`,
    ]);
  });
});

describe("watching a lease of another journal", () => {
  const journalWith = (isHeld?: () => Promise<boolean>): Journal => ({
    get: async () => undefined,
    set: async () => {},
    delete: async () => {},
    claim: async () => Object.assign(async () => {}, isHeld && { isHeld }),
  });
  const address = { key: "0f".repeat(32), account: "cc".repeat(8), context: "aa".repeat(32) };

  test("takes one that can't tell for held", async () => {
    const slot = await openSlot(journalWith(), address);
    await slot.confirm();
    await slot.confirmAfterPause();
    await slot.release();
  });

  test.each<[string, () => Promise<boolean>]>([
    ["says no", async () => false],
    ["rejects", () => Promise.reject(new Error("away"))],
    [
      "throws",
      () => {
        throw new Error("away");
      },
    ],
    ["never answers", () => new Promise(() => {})],
  ])("ends when it %s", async (_, isHeld) => {
    const lost = new Promise((resolve) => {
      void openSlot(journalWith(isHeld), address, { onLost: resolve }).then((slot) =>
        slot.confirmAfterPause(),
      );
    });
    expect(await lost).toMatchObject({ name: "UploadError", code: "in-progress", retryable: true });
  });
});

describe("a lease that turns out to be another's", () => {
  const video = () => new File([content(8 * MiB)], "video.mp4", { type: "video/mp4", lastModified: 1 });
  const client = () => createClient({ baseUrl: service.baseUrl, token: service.token });
  /** A journal whose main leases are lost once it is told so. */
  const losing = () => {
    const journal = memoryJournal();
    const lost = new Set<string>();
    const claim: Journal["claim"] = async (key) => {
      const release = await journal.claim(key);
      return release && Object.assign(async () => await release(), { isHeld: async () => !lost.has("all") });
    };
    return { journal: { ...journal, claim }, lose: () => lost.add("all"), find: () => lost.clear() };
  };

  test.each(["resumable", "direct"] as const)(
    "ends a %s upload that is under way, and discard()",
    async (method) => {
      await service.set({ throttle: 2 * MiB });
      const { journal, lose, find } = losing();
      const error = await caught(
        upload(client(), video(), { method, journal, onProgress: ({ sent }) => sent > MiB && lose() }),
      );
      expect(error).toMatchObject({ name: "UploadError", code: "in-progress", retryable: true });
      expect(await caught(discard(client(), video(), { journal }))).toMatchObject({ code: "in-progress" });
      expect(await service.requests("DELETE")).toEqual([]);
      find();
      await service.set({ throttle: 0 });
      const { resumed, asset } = await upload(client(), video(), { method, journal });
      expect(resumed).toBe(true);
      expect((await service.whole(asset.id)).sha256).toBe(sha256(content(8 * MiB)));
    },
  );

  test("makes no asset", async () => {
    const { journal, lose } = losing();
    lose();
    expect(await caught(upload(client(), video(), { journal }))).toMatchObject({ code: "in-progress" });
    expect(await service.requests("POST")).toEqual([]);
  });

  test("leaves the success to whoever has it", async () => {
    const { journal, lose } = losing();
    const call = upload(client(), video(), {
      journal,
      onProgress: ({ acknowledged }) => acknowledged === 8 * MiB && lose(),
    });
    expect(await caught(call)).toMatchObject({ code: "in-progress" });
    expect(Object.keys((await journal.get((await journalKey(video())) ?? ""))?.uploads ?? {})).toHaveLength(
      1,
    );
  });
});

const OTHER = JSON.stringify({ process: 1, host: `not-${hostname()}`, id: "another" });
const HOUR = 60 * 60 * 1000;
const CLAIMS: Record<string, [string, number]> = {
  "is empty": ["", 0],
  "is garbage": ['{"proc', 0],
  "is null": ["null", 0],
  "is a list": ["[]", 0],
  "is large": [" ".repeat(100_000), 0],
  "has an impossible process": [JSON.stringify({ process: -1, host: hostname() }), 0],
  "is empty, of the past": ["", -HOUR],
  "is garbage, of the future": ["garbage", 24 * HOUR],
  "is another machine's": [OTHER, 0],
  "is another machine's, of the past": [OTHER, -HOUR],
  "is another machine's, of the future": [OTHER, 24 * HOUR],
  "is of this process, of the future": [
    JSON.stringify({ process: process.pid, host: hostname() }),
    24 * HOUR,
  ],
};

describe("a claim whose holder can't be asked for", () => {
  /** Makes a claim of each kind, in a folder of its own. */
  const makeClaims = () =>
    Promise.all(
      Object.entries(CLAIMS).map(async ([kind, [text, age]]) => {
        const path = newJournal();
        await mkdir(path, { recursive: true, mode: 0o700 });
        const file = join(path, "key.1.claim");
        await writeFile(file, text);
        const date = Date.now() + age;
        await utimes(file, new Date(date), new Date(date));
        return { kind, path, file, date };
      }),
    );
  const takers = async (claims: { kind: string; path: string }[]) => {
    const taken = await Promise.all(
      // Each a journal of its own: what was seen is known to other processes.
      claims.map(async ({ kind, path }) => {
        const release = await open(path).claim("key");
        await release?.();
        return release === undefined ? [] : [kind];
      }),
    );
    return taken.flat();
  };

  test("is free once it stayed the same for as long as a lease lives, whatever its date", async () => {
    const claims = await makeClaims();
    expect(await takers(claims)).toEqual([]);
    await delay(LEASE / 2);
    expect(await takers(claims)).toEqual([]);
    await delay(LEASE / 2 + 300);
    expect(await takers(claims)).toEqual(Object.keys(CLAIMS));
    for (const { path, kind } of claims) expect(await readdir(path), kind).toEqual([]);
  });

  test("is held as long as its date changes, whatever it is", async () => {
    const claims = await makeClaims();
    for (let beat = 1; beat <= 4; beat++) {
      expect(await takers(claims)).toEqual([]);
      await delay(LEASE / 2);
      for (const { file, date } of claims) await utimes(file, new Date(), new Date(date + beat * 1000));
    }
    expect(await takers(claims)).toEqual([]);
  });
});
