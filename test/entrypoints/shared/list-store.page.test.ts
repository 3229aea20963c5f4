/** The list of uploads in a browser's database: what a thousand cost it, and what becomes of it where it can't be used. */
import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JobList, openJobList } from "../../../entrypoints/offscreen/job-list.ts";
import type { JobEvent } from "../../../entrypoints/offscreen/job-reducer.ts";
import { LIST_VERSION } from "../../../entrypoints/shared/list-store.ts";
import type { ListTrouble } from "../../../entrypoints/shared/messages.ts";
import { asset, makeJob } from "../../support/extension/pages/jobs.ts";
import { moduleScript } from "../../support/extension/pages/module-script.ts";
import { usePageServer } from "../../support/extension/pages/use-pages.ts";
import { inAll } from "../../support/in-all.ts";

/** What the page has: the module, its list, and the troubles that this told. */
declare const list: { openJobList: typeof openJobList };
declare const jobs: JobList;
declare const troubles: (ListTrouble | undefined)[];

const MiB = 1024 * 1024;
const server = usePageServer();
let page: Page;
let session: CDPSession;
let script: string;

beforeAll(async () => {
  page = await server.newPage();
  session = await page.context().newCDPSession(page);
  script = await moduleScript("offscreen/job-list.ts", "list");
});
beforeEach(async () => {
  await loadPage();
  await clear();
});
afterAll(() => page.context().close());

/** Ends whatever has the list, as the end of a browser does. */
async function loadPage(): Promise<void> {
  await page.goto(`${server.origin}/list`);
  await page.evaluate("globalThis.chrome = { runtime: { sendMessage: async () => null } }");
  await page.addScriptTag({ content: script });
}

const clear = () =>
  session.send("Storage.clearDataForOrigin", { origin: server.origin, storageTypes: "indexeddb" });

const uploading = makeJob("uploading", { asset });
const finished: JobEvent = {
  type: "finished",
  endedAt: 1,
  size: 5,
  asset,
  outcome: { resent: 0, duration: 1, resumed: false },
};

const open = () =>
  page.evaluate(async () => {
    const troubles: unknown[] = [];
    const jobs = await list.openJobList((event) => {
      if (event.type === "trouble") troubles.push(event.trouble);
    });
    Object.assign(globalThis, { jobs, troubles });
  });
const add = () => page.evaluate((job) => jobs.add([job]), uploading);
const finish = () => page.evaluate(([id, event]) => jobs.apply(id, event), [uploading.id, finished] as const);
const repair = (discardStored: boolean) =>
  page.evaluate((discardStored) => jobs.repair(discardStored), discardStored);
const told = () => page.evaluate(() => troubles);
const stored = () =>
  page.evaluate(async () => (await list.openJobList(() => {})).all().map(({ state }) => state));

test("a list of more uploads than are read at a time is read whole", async () => {
  const drafts = Array.from({ length: 201 }, () => makeJob("draft"));
  await open();
  await page.evaluate((drafts) => jobs.add(drafts), drafts);
  expect(await stored()).toHaveLength(drafts.length);
});

inAll(
  "a thousand uploads are chosen, started and finished in a few transactions, stored, and read a few at a time",
  async () => {
    const drafts = Array.from({ length: 1000 }, () => makeJob("draft"));
    await open();
    const result = await page.evaluate(
      async ({ drafts, finished }) => {
        const { transaction } = IDBDatabase.prototype;
        let writes = 0;
        IDBDatabase.prototype.transaction = function (names, mode, ...more) {
          if (mode === "readwrite") writes++;
          return transaction.call(this, names, mode, ...more);
        };
        await jobs.add(drafts);
        const costs = [writes];
        for (const event of [{ type: "started" }, finished] as const) {
          await Promise.all(drafts.map(({ id }) => jobs.apply(id, event)));
          costs.push(writes);
        }
        await jobs.remove([drafts[0]?.id ?? ""]);
        const { getAll } = IDBObjectStore.prototype;
        const reads: IDBRequest<unknown[]>[] = [];
        IDBObjectStore.prototype.getAll = function (...how) {
          const request = getAll.apply(this, how);
          reads.push(request);
          return request;
        };
        const again = (await list.openJobList(() => {})).all();
        const mostRead = Math.max(...reads.map(({ result }) => result.length));
        return {
          costs,
          mostRead,
          stored: again.length,
          states: [...new Set(again.map(({ state }) => state))],
        };
      },
      { drafts, finished },
    );
    expect(result).toEqual({ costs: [1, 2, 3], mostRead: 100, stored: 999, states: ["done"] });
    expect(await told()).toEqual([]);
  },
);

async function leaveRoom(bytes: number): Promise<void> {
  const { origin } = server;
  const { usage } = await session.send("Storage.getUsageAndQuota", { origin });
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: usage + bytes });
}

async function fillDisk(): Promise<void> {
  await leaveRoom(MiB);
  await page.evaluate(async () => {
    const opening = indexedDB.open("ballast", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("pieces", { autoIncrement: true });
    await new Promise((resolve) => {
      opening.onsuccess = resolve;
    });
    for (const size of [65_536, 4096, 256, 16]) {
      for (let fits = true; fits; ) {
        const adding = opening.result.transaction("pieces", "readwrite");
        adding.objectStore("pieces").add(crypto.getRandomValues(new Uint8Array(size)));
        fits = await new Promise((resolve) => {
          adding.oncomplete = () => resolve(true);
          adding.onabort = () => resolve(false);
        });
      }
    }
    opening.result.close();
  });
}

inAll("a full disk is told, and what happened meanwhile is stored when there is room", async () => {
  await open();
  await add();
  await fillDisk();
  await finish();
  expect(await told()).toEqual(["unstored"]);
  expect(await stored()).toEqual(["uploading"]);
  await leaveRoom(4 * MiB);
  await repair(false);
  expect(await told()).toEqual(["unstored", undefined]);
  expect(await stored()).toEqual(["done"]);
});

inAll("a list that the browser clears is stored again", async () => {
  await open();
  await add();
  await clear();
  await expect.poll(stored).toEqual(["uploading"]);
  await finish();
  expect(await stored()).toEqual(["done"]);
  expect(await told()).toEqual([]);
});

describe("a list that can't be read", () => {
  inAll("is told, uploads work without it, and a new one is begun where that is wanted", async () => {
    // As after a step back to an earlier version of the extension.
    await page.evaluate(async (version) => {
      const opening = indexedDB.open("upcut", version);
      opening.onupgradeneeded = () => opening.result.createObjectStore("jobs", { keyPath: "id" });
      await new Promise((resolve) => {
        opening.onsuccess = resolve;
      });
      opening.result.close();
    }, LIST_VERSION + 1);
    await open();
    await add();
    await finish();
    expect(await page.evaluate(() => jobs.all().map(({ state }) => state))).toEqual(["done"]);
    await repair(false);
    expect(await told()).toEqual(["unreadable"]);
    await repair(true);
    expect(await told()).toEqual(["unreadable", undefined]);
    expect(await stored()).toEqual(["done"]);
  });

  inAll("because another connection keeps it closed is read when that has ended", async () => {
    await open();
    await add();
    await loadPage();
    // An upgrade that doesn't end keeps every other connection waiting.
    await page.evaluate(async (version) => {
      const opening = indexedDB.open("upcut", version);
      await new Promise<void>((begun) => {
        opening.onupgradeneeded = () => {
          const { transaction } = opening;
          const stay = () => {
            begun();
            if ("isOver" in globalThis) return transaction?.abort();
            const reading = transaction?.objectStore("jobs").getAllKeys();
            if (reading) reading.onsuccess = stay;
          };
          stay();
        };
      });
    }, LIST_VERSION + 1);
    await open();
    expect(await told()).toEqual(["unreadable"]);
    await page.evaluate("void (globalThis.isOver = true)");
    await repair(false);
    expect(await told()).toEqual(["unreadable", undefined]);
    expect(await page.evaluate(() => jobs.all().map(({ state }) => state))).toEqual(["uploading"]);
  });
});
