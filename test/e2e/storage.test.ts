import type { CDPSession, Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LIST_VERSION } from "../../entrypoints/shared/list-store.ts";
import { content } from "../content.ts";
import { useService } from "../service/use-service.ts";
import { choose, rowOf } from "./actions.ts";
import { keepListBusy } from "./busy-list.ts";
import { expectWhole, waitUntilSent } from "./evidence.ts";
import { findTarget, targets } from "./raw-target.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
const SIZE = 12 * MiB;
const service = useService();
const extension = useExtension(service);
let popup: Page;
let session: CDPSession;
let origin: string;

beforeAll(async () => {
  origin = `chrome-extension://${extension.id}`;
  // The quota lasts as long as the session, and Chromium remembers for half a minute how much was left.
  const [first] = extension.context.pages();
  await first?.goto("about:blank");
  session = await extension.context.newCDPSession(first as Page);
  await freeDisk();
});
beforeEach(async () => {
  popup = await extension.open("popup.html");
});

const video = () => rowOf(popup, "video.mp4");
const inTrouble = () => popup.locator("#list-trouble");

/** Starts an upload that takes some seconds. */
async function begin(): Promise<void> {
  await service.set({ throttle: MiB / 2 });
  await choose(popup, { name: "video.mp4", bytes: content(SIZE) });
  await video().getByRole("button", { name: "Start" }).click();
  await waitUntilSent(service, MiB);
}

async function expectFinished(): Promise<void> {
  await service.set({ throttle: 0 });
  await video().getByText("Uploaded").waitFor();
  await expectWhole(service, SIZE);
}

/** What is stored, by state; nothing where there is no list. */
function storedStates(): Promise<string[]> {
  return popup.evaluate(async () => {
    const known = await indexedDB.databases();
    if (!known.some(({ name }) => name === "upcut")) return [];
    const opening = indexedDB.open("upcut");
    await new Promise((resolve) => {
      opening.onsuccess = resolve;
    });
    const { result: list } = opening;
    const all = list.objectStoreNames.contains("jobs")
      ? list.transaction("jobs").objectStore("jobs").getAll()
      : undefined;
    if (all !== undefined) {
      await new Promise((resolve) => {
        all.onsuccess = resolve;
      });
    }
    list.close();
    return (all?.result ?? []).map(({ state }) => state);
  });
}

async function leaveRoom(bytes: number): Promise<void> {
  const { usage } = await session.send("Storage.getUsageAndQuota", { origin });
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: usage + bytes });
}

const freeDisk = () => leaveRoom(4 * MiB);

/** Takes the extension's room away, to the last byte. */
async function fillDisk(): Promise<void> {
  await leaveRoom(MiB);
  await popup.evaluate(async () => {
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

/** The alarm that looks after the uploads comes, and has done what it does. */
async function fireAlarm(): Promise<void> {
  await extension.inWorker("chrome.alarms.create('look-after-uploads', { when: Date.now() + 100 })");
  await new Promise((resolve) => setTimeout(resolve, 2000));
}

describe("a full disk", () => {
  afterEach(() => freeDisk());

  test("is told while an upload runs, which arrives whole, and the list is stored when there is room", async () => {
    await begin();
    await fillDisk();
    await expectFinished();
    await inTrouble().getByText("The list of uploads can't be stored").waitFor();
    expect(await storedStates()).toEqual(["uploading"]);
    // A page that is opened now shows what is, not what was stored.
    const other = await extension.open("popup.html");
    await other.locator("#list-trouble").getByText("can't be stored").waitFor();
    await rowOf(other, "video.mp4").getByText("Uploaded").waitFor();
    // Nor is it lost when nobody looks: what knows of it is not taken for idle.
    for (const page of [other, popup]) await page.close();
    await fireAlarm();
    popup = await extension.open("popup.html");
    await video().getByText("Uploaded").waitFor();
    await freeDisk();
    await inTrouble().getByRole("button", { name: "Try again" }).click();
    await inTrouble().waitFor({ state: "hidden" });
    expect(await storedStates()).toEqual(["done"]);
    // From here on nothing would be lost.
    await popup.close();
    await fireAlarm();
    expect((await targets(extension)).some(({ url }) => url.endsWith("/offscreen.html"))).toBe(false);
  });

  test("keeps no video from being added and uploaded", async () => {
    await fillDisk();
    await choose(popup, { name: "video.mp4", bytes: content(SIZE) });
    await inTrouble().getByText("can't be stored").waitFor();
    await video().getByRole("button", { name: "Start" }).click();
    await expectFinished();
    expect(await storedStates()).toEqual([]);
    await freeDisk();
    await inTrouble().getByRole("button", { name: "Try again" }).click();
    await inTrouble().waitFor({ state: "hidden" });
    expect(await storedStates()).toEqual(["done"]);
  });
});

describe("a list that goes away while an upload runs", () => {
  test("because the browser clears it is stored again, and the upload arrives whole", async () => {
    await begin();
    await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "indexeddb" });
    await expectFinished();
    await expect.poll(storedStates).toEqual(["done"]);
    expect(await inTrouble().isVisible()).toBe(false);
  });

  test("because a page deletes it keeps nobody waiting and is stored again", async () => {
    await begin();
    const deleted = await popup.evaluate(() => {
      const deleting = indexedDB.deleteDatabase("upcut");
      return new Promise((resolve) => {
        deleting.onsuccess = () => resolve("deleted");
        deleting.onblocked = () => resolve("blocked");
      });
    });
    expect(deleted).toBe("deleted");
    await expectFinished();
    await expect.poll(storedStates).toEqual(["done"]);
  });
});

test("a list of version 1 is read, without what can't be understood", async () => {
  await popup.evaluate(async () => {
    await new Promise((resolve) => {
      indexedDB.deleteDatabase("upcut").onsuccess = resolve;
    });
    const opening = indexedDB.open("upcut", 1);
    opening.onupgradeneeded = () => {
      const jobs = opening.result.createObjectStore("jobs", { keyPath: "id" });
      const job = {
        createdAt: Date.now(),
        file: { name: "video.mp4", size: 100, type: "video/mp4", lastModified: 1 },
        fields: { name: "video.mp4", method: "auto", staticMp4: false, further: {} },
        progress: { sent: 0, acknowledged: 0, speed: 0 },
      };
      const error = {
        name: "ServiceError",
        code: "too-soon",
        message: "Cannot",
        retryable: true,
        retryAfter: 90,
      };
      jobs.put({ ...job, id: "one", state: "paused" });
      jobs.put({ ...job, id: "two", state: "failed", fields: { ...job.fields, name: "other.mp4" }, error });
      jobs.put({ id: "three", state: "flying" });
    };
    await new Promise((resolve) => {
      opening.onsuccess = resolve;
    });
    opening.result.close();
  });
  await extension.inWorker("chrome.offscreen.closeDocument()");
  await findTarget(extension, "/offscreen.html");
  await popup.reload();
  await video().getByText("Choose the file again").waitFor();
  await rowOf(popup, "other.mp4").getByText("Try again in 2 min").waitFor();
  expect(await storedStates()).toEqual(["needs-file", "failed"]);
  expect(await inTrouble().isVisible()).toBe(false);
});

test("a damaged job hides no other one, is not begun for ever, and can be removed", async () => {
  await popup.evaluate(async () => {
    const opening = indexedDB.open("upcut");
    await new Promise((resolve) => {
      opening.onsuccess = resolve;
    });
    const jobs = opening.result.transaction("jobs", "readwrite").objectStore("jobs");
    const job = {
      createdAt: Date.now(),
      source: { kind: "file", name: "video.mp4", size: 100, type: "video/mp4", lastModified: 1 },
      fields: { name: "video.mp4", method: "auto", staticMp4: false, further: {} },
      progress: { sent: 0, acknowledged: 0, speed: 0 },
    };
    const { fields: _, ...withoutFields } = { ...job, source: { ...job.source, name: "damaged.mp4" } };
    jobs.put({ ...job, id: "good", state: "paused" });
    jobs.put({ ...withoutFields, id: "bad", state: "queued" });
    jobs.put({ id: "worse", state: "queued" });
    jobs.put({ id: 7, state: "queued" });
    await new Promise((resolve) => {
      jobs.transaction.oncomplete = resolve;
    });
    opening.result.close();
  });
  await extension.inWorker("chrome.offscreen.closeDocument()");
  await findTarget(extension, "/offscreen.html");
  await popup.reload();
  await video().getByText("Choose the file again").waitFor();
  await rowOf(popup, "damaged.mp4").waitFor();
  expect(await popup.locator("#list > li").count()).toBe(3);
  // Each change of a row is sent to pages: nothing is at work.
  const heard = await popup.evaluate(async () => {
    let count = 0;
    new BroadcastChannel("upcut-from-offscreen").onmessage = () => count++;
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return count;
  });
  expect(heard).toBeLessThan(5);
  expect(await storedStates()).toHaveLength(3);
  await rowOf(popup, "damaged.mp4").getByRole("button", { name: "Remove" }).click();
  await rowOf(popup, "damaged.mp4").waitFor({ state: "detached" });
  expect(await inTrouble().isVisible()).toBe(false);
});

describe("a list that can't be read", () => {
  /** Another version's list in place of ours, as after a step back to an earlier version of the extension. */
  const makeLater = () =>
    popup.evaluate(async (version) => {
      const opening = indexedDB.open("upcut", version);
      await new Promise((resolve) => {
        opening.onsuccess = resolve;
      });
      opening.result.close();
    }, LIST_VERSION + 1);
  const restart = async () => {
    await extension.inWorker("chrome.offscreen.closeDocument()");
    await findTarget(extension, "/offscreen.html");
  };

  test("is told, uploads work without it, and a new one is begun by a click", async () => {
    await makeLater();
    await restart();
    await inTrouble().getByText("can't be read").waitFor();
    await choose(popup, { name: "video.mp4", bytes: content(SIZE) });
    await video().getByRole("button", { name: "Start" }).click();
    await expectFinished();
    await popup.reload();
    await video().getByText("Uploaded").waitFor();
    await inTrouble().getByRole("button", { name: "Try again" }).click();
    await inTrouble().getByText("can't be read").waitFor();
    await inTrouble().getByRole("button", { name: "Start a new list" }).click();
    await inTrouble().waitFor({ state: "hidden" });
    expect(await storedStates()).toEqual(["done"]);
  });

  /** An upgrade that doesn't end keeps every other connection waiting; its transaction is undone in the end. */
  const keepClosed = (blocker: Page) =>
    blocker.evaluate((version) => {
      const opening = indexedDB.open("upcut", version);
      opening.onupgradeneeded = () => {
        const { transaction } = opening;
        const stay = () => {
          const reading = transaction?.objectStore("jobs").getAllKeys();
          if (reading) reading.onsuccess = stay;
        };
        stay();
      };
    }, LIST_VERSION + 1);

  test.each([
    ["keeps it closed", keepClosed],
    ["writes to it without an end", keepListBusy],
  ])("because another connection %s is read when that has ended", async (_, block) => {
    await choose(popup, { name: "video.mp4", bytes: content(SIZE) });
    await video().getByRole("button", { name: "Start" }).waitFor();
    const blocker = await extension.open("options.html");
    await block(blocker);
    await extension.inWorker("chrome.offscreen.closeDocument()");
    await inTrouble().getByText("can't be read").waitFor();
    // A page that is opened now can be used all the same.
    const other = await extension.open("popup.html");
    await other.locator("#choose-videos:enabled").waitFor();
    await other.close();
    await blocker.close();
    await inTrouble().getByRole("button", { name: "Try again" }).click();
    await inTrouble().waitFor({ state: "hidden" });
    await video().getByText("Choose the file again").waitFor();
    expect(await storedStates()).toEqual(["needs-file"]);
  });
});
