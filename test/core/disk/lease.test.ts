/** Claims of a journal in a folder: whose they are, and what a holder does that comes back after it lost one. */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { fileJournal, openFile } from "../../../core/file.ts";
import type { Journal, JournalEntry, UploadRecord } from "../../../core/journal/journal.ts";
import { openSlot } from "../../../core/journal/slot.ts";
import { discard, journalKey, memoryJournal, type Uploadable, upload } from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { MiB, videoFile, writeContent } from "../../support/content.ts";
import { serveVideo } from "../../support/hosts/video-server.ts";
import { inNode } from "../../support/in-all.ts";
import { stopUpload } from "../../support/programs/stopped-upload.ts";
import { useFolder } from "../../support/use-folder.ts";
import { useOpened } from "../../support/use-opened.ts";

const LEASE = 3000;
const HOUR = 60 * 60 * 1000;
const SIZE = 24 * MiB + 5;
const service = useService();
const scratch = useFolder("lease");
const journals = useFolder("journal");
const server = useOpened(() => serveVideo(SIZE));
let file = "";

beforeAll(async () => {
  file = join(scratch.path, "video.mp4");
  await writeContent(file, SIZE, 7);
});
afterEach(() => {
  vi.useRealTimers();
});

const client = (more: object = {}) => service.client({ ...more });
const newJournal = () => join(journals.path, crypto.randomUUID());
const open = (path: string) => fileJournal(path, { leaseTimeout: LEASE });
const STEPPED_ASIDE = { name: "UploadError", code: "in-progress", retryable: true };

/** Sets the clock on, as whoever wakes sees it. */
const passTime = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

const isClaim = (name: string) => name.endsWith(".claim") && !name.includes(".write.");
const claimsIn = async (journal: string) => (await readdir(journal)).filter(isClaim);

/** What another process does that finds a claim abandoned; at once, so that its holder does nothing meanwhile. */
function takeOver(journal: string, name: string): void {
  const next = name.replace(/\.(\d+)\.claim$/, (_, generation) => `.${Number(generation) + 1}.claim`);
  writeFileSync(join(journal, next), JSON.stringify({ process: 1, host: "another", id: "another" }));
  rmSync(join(journal, name));
}

async function entryIn(journal: string): Promise<string> {
  const name = (await readdir(journal)).find((each) => each.endsWith(".json")) ?? "";
  return await readFile(join(journal, name), "utf8");
}

// suspended.all.test.ts suspends processes.
describe.each<["resumable" | "direct", string, () => Promise<Uploadable>]>([
  ["resumable", "a file", () => openFile(file)],
  ["direct", "a file", () => openFile(file)],
  ["resumable", "an address", async () => new URL(server.url)],
])("a %s upload of %s that wakes after its lease ran out", (method, _, source) => {
  /** Uploads until so many bytes were handed over, then does something before it goes on. */
  async function wake(journal: string, meanwhile: (claim: string) => void) {
    await service.set({ throttle: 8 * MiB });
    const handedOver = { atWaking: 0, last: 0 };
    const call = upload(client(), await source(), {
      method,
      journal: open(journal),
      onProgress({ sent }) {
        handedOver.last = Math.max(handedOver.last, sent);
        if (handedOver.atWaking > 0 || sent < 4 * MiB) return;
        handedOver.atWaking = sent;
        passTime(LEASE + 500);
        meanwhile(readdirSync(journal).find(isClaim) ?? "");
      },
    });
    expect(await caught(call)).toMatchObject(STEPPED_ASIDE);
    expect(handedOver.atWaking).toBeGreaterThan(0);
    return handedOver;
  }

  test("sends nothing more where the claim is another's", async () => {
    const journal = newJournal();
    const { atWaking, last } = await wake(journal, (claim) => takeOver(journal, claim));
    // At most the pieces that were under way, not the rest.
    expect(last).toBeLessThanOrEqual(atWaking + 3 * MiB);
    expect(await claimsIn(journal)).toEqual([expect.stringContaining(".2.claim")]);
    const requests = async () => await service.requests(method === "direct" ? "PUT" : "PATCH");
    await expect.poll(requests).toHaveLength(1);
    expect((await requests())[0]?.bytesReceived).toBeLessThanOrEqual(atWaking + 3 * MiB);
  });

  test("steps aside where another one took over and finished", async () => {
    const journal = newJournal();
    await wake(journal, (claim) => {
      rmSync(join(journal, claim));
      rmSync(join(journal, `${claim.split(".")[0]}.json`));
    });
    expect(await readdir(journal)).toEqual([]);
  });
});

test("an upload that wakes after it asked for a location neither stores nor sends what it is answered", async () => {
  const path = newJournal();
  let entry = "";
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await globalThis.fetch(input, init);
    entry = await entryIn(path);
    const [claim = ""] = await claimsIn(path);
    passTime(LEASE + 500);
    takeOver(path, claim);
    return response;
  };
  const call = upload(client({ fetch }), await openFile(file), { journal: open(path) });
  expect(await caught(call)).toMatchObject(STEPPED_ASIDE);
  expect(await service.requests()).toHaveLength(1);
  expect(await service.uploads()).toEqual([]);
  expect(await entryIn(path)).toBe(entry);
});

describe("a lease of a folder's journal", () => {
  test("is held until it is given back, also where the folder is emptied meanwhile", async () => {
    const path = newJournal();
    const lease = await open(path).claim("key");
    expect(await lease?.isHeld?.()).toBe(true);
    await rm(path, { recursive: true });
    expect(await Promise.all([1, 2, 3].map(() => lease?.isHeld?.()))).toEqual([true, true, true]);
    // Made again with the next sign of life.
    await expect.poll(() => claimsIn(path).catch(() => [])).toEqual(["key.1.claim"]);
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
    for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 8 }, claimOnce));
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
          if (!isClaim(name)) continue;
          const text = await readFile(join(path, name), "utf8").catch(() => undefined);
          if (text !== undefined) texts.add(text !== "");
        }
    };
    const watching = [watch(), watch(), watch()];
    for (let round = 0; round < 60; round++) await (await open(path).claim("key"))?.();
    isOver = true;
    await Promise.all(watching);
    expect([...texts]).toEqual([true]);
    expect(await readdir(path)).toEqual([]);
  });

  test("is lost to a newer claim, and to one of the same name, which it leaves alone", async () => {
    const path = newJournal();
    const older = await open(path).claim("key");
    takeOver(path, "key.1.claim");
    passTime(1_000);
    expect(await older?.isHeld?.()).toBe(false);
    await older?.();
    expect(await readdir(path)).toEqual(["key.2.claim"]);
    const same = await open(path).claim("other");
    await rm(join(path, "other.1.claim"));
    await writeFile(join(path, "other.1.claim"), '{"process":1,"host":"another","id":"another"}');
    passTime(1_000);
    expect(await same?.isHeld?.()).toBe(false);
    await same?.();
    expect(await readdir(path)).toEqual(["key.2.claim", "other.1.claim"]);
  });

  test("outlives a newer claim that is given up, not one that stays", async () => {
    const path = newJournal();
    const lease = await open(path).claim("key");
    const [own, newer] = [join(path, "key.1.claim"), join(path, "key.2.claim")];
    /** Waits until the holder has looked twice, which it does only where there is a newer claim. */
    const looksTwice = async () => {
      for (const date of [1, 2]) {
        await utimes(own, date, date);
        await expect.poll(async () => (await stat(own)).mtimeMs, { interval: 5 }).not.toBe(date * 1000);
      }
    };
    await writeFile(newer, "");
    // Right after a sign of life a lease is held without a look.
    passTime(1_000);
    const held = lease?.isHeld?.();
    await looksTwice();
    await rm(newer);
    expect(await held).toBe(true);
    await writeFile(newer, "");
    passTime(1_000);
    const heldStill = lease?.isHeld?.();
    await looksTwice();
    passTime(1_100);
    expect(await heldStill).toBe(false);
  });

  test("is lost where no sign of life could be given for too long, not where that fails for a moment", async () => {
    const path = newJournal();
    const lease = await open(path).claim("key");
    await rename(path, `${path}.away`);
    await writeFile(path, "no folder");
    expect(await lease?.isHeld?.()).toBe(true);
    passTime(LEASE + 200);
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
    takeOver(path, (await claimsIn(path))[0] ?? "");
    passTime(LEASE + 500);
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

describe("a lease that turns out to be another's", () => {
  const video = () => videoFile(8 * MiB);
  /** A journal whose main leases are lost once it is told so. */
  const losing = () => {
    const journal = memoryJournal();
    let isLost = false;
    const claim: Journal["claim"] = async (key) => {
      const release = await journal.claim(key);
      return release && Object.assign(async () => await release(), { isHeld: async () => !isLost });
    };
    const lose = () => {
      if (isLost) return;
      isLost = true;
      // Long enough for the upload to ask.
      passTime(2_500);
    };
    const find = () => {
      isLost = false;
      vi.useRealTimers();
    };
    return { journal: { ...journal, claim }, lose, find };
  };

  test("ends discard(), which leaves the asset to whoever has it", async () => {
    const { journal, lose, find } = losing();
    const isEnough = ({ sent }: { sent: number }) => sent > MiB;
    await stopUpload(service, video(), { journal }, isEnough);
    lose();
    expect(await caught(discard(client(), video(), { journal }))).toMatchObject({ code: "in-progress" });
    expect(await service.requests("DELETE")).toEqual([]);
    find();
    const { resumed } = await upload(client(), video(), { journal, timeout: { settle: 50 } });
    expect(resumed).toBe(true);
  });

  inNode("makes no asset", async () => {
    const { journal, lose } = losing();
    lose();
    expect(await caught(upload(client(), video(), { journal }))).toMatchObject({ code: "in-progress" });
    expect(await service.requests("POST")).toEqual([]);
  });

  inNode("believes no answer that came meanwhile", async () => {
    const { journal, lose } = losing();
    let most = 0;
    const call = upload(client(), video(), {
      journal,
      onResponse: ({ request }) => void (request.kind === "content" && lose()),
      onProgress: ({ acknowledged }) => (most = Math.max(most, acknowledged)),
    });
    expect(await caught(call)).toMatchObject({ code: "in-progress" });
    expect(most).toBe(0);
  });

  inNode("leaves the success to whoever has it", async () => {
    const { journal, lose } = losing();
    const call = upload(client(), video(), {
      journal,
      onProgress: ({ acknowledged }) => acknowledged === 8 * MiB && lose(),
    });
    expect(await caught(call)).toMatchObject({ code: "in-progress" });
    const entry = await journal.get((await journalKey(video())) ?? "");
    expect(Object.keys((entry as JournalEntry | undefined)?.uploads ?? {})).toHaveLength(1);
  });
});

const OTHER = JSON.stringify({ process: 1, host: `not-${hostname()}`, id: "another" });
// claim.test.ts has more of what may stand in one.
const CLAIMS: Record<string, [string, number]> = {
  "is empty, of the past": ["", -HOUR],
  "is garbage, of the future": ["garbage", 24 * HOUR],
  "is large": [" ".repeat(100_000), 0],
  "is another machine's": [OTHER, 0],
  "is another machine's, of the past": [OTHER, -HOUR],
  "is another machine's, of the future": [OTHER, 24 * HOUR],
  "is of this process, of the future": [
    JSON.stringify({ process: process.pid, host: hostname() }),
    24 * HOUR,
  ],
};

describe("a claim whose holder can't be asked for", () => {
  /** Milliseconds: longer than anything here takes. */
  const LIVES = 60_000;
  /** Makes a claim of each kind, in a folder of its own. */
  const makeClaims = () =>
    Promise.all(
      Object.entries(CLAIMS).map(async ([kind, [text, age]]) => {
        const path = newJournal();
        await mkdir(path, { recursive: true, mode: 0o700 });
        const claim = join(path, "key.1.claim");
        await writeFile(claim, text);
        const date = Date.now() + age;
        await utimes(claim, new Date(date), new Date(date));
        return { kind, path, claim, date };
      }),
    );
  /** Dates back what was noted about the claims, as by the clock of the folder. */
  const age = async (claims: { path: string }[], milliseconds: number) => {
    const date = new Date(Date.now() - milliseconds);
    for (const { path } of claims) await utimes(join(path, "key.1.seen"), date, date);
  };
  const takers = async (claims: { kind: string; path: string }[]) => {
    const taken = await Promise.all(
      // Each a journal of its own: what was seen is known to other processes.
      claims.map(async ({ kind, path }) => {
        const release = await fileJournal(path, { leaseTimeout: LIVES }).claim("key");
        await release?.();
        return release === undefined ? [] : [kind];
      }),
    );
    return taken.flat();
  };

  test("is free once it stayed the same for as long as a lease lives, whatever its date", async () => {
    const claims = await makeClaims();
    expect(await takers(claims)).toEqual([]);
    await age(claims, LIVES / 2);
    expect(await takers(claims)).toEqual([]);
    await age(claims, LIVES + 300);
    expect(await takers(claims)).toEqual(Object.keys(CLAIMS));
    for (const { path, kind } of claims) expect(await readdir(path), kind).toEqual([]);
  });

  test("is held as long as its date changes, whatever it is", async () => {
    const claims = await makeClaims();
    for (let beat = 1; beat <= 3; beat++) {
      expect(await takers(claims)).toEqual([]);
      await age(claims, LIVES + 300);
      for (const { claim, date } of claims) await utimes(claim, new Date(), new Date(date + beat * 1000));
    }
    expect(await takers(claims)).toEqual([]);
  });
});
