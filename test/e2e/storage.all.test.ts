import type { CDPSession, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LIST_VERSION } from "../../entrypoints/shared/list-store.ts";
import { content } from "../content.ts";
import { useService } from "../service/use-service.ts";
import { choose, rowOf, start, uploaded } from "./actions.ts";
import { expectWhole, waitUntilSent } from "./evidence.ts";
import { findTarget, targets } from "./raw-target.ts";
import { readStored } from "./stored-jobs.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
const SIZE = 12 * MiB;
const service = useService();
const extension = useExtension(service, {
  // Chromium remembers for a while that there was no room.
  load: async () => ({}),
});
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
  await start(popup);
  await waitUntilSent(service, MiB);
}

async function expectFinished(): Promise<void> {
  await service.set({ throttle: 0 });
  await uploaded(video());
  await expectWhole(service, SIZE);
}

/** What is stored, by state. */
const storedStates = async () => (await readStored(popup)).map(({ state }) => state);

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

const hasOffscreen = async () =>
  (await targets(extension)).some(({ url }) => url.endsWith("/offscreen.html"));

/** The alarm that looks after the uploads comes. */
const fireAlarm = () =>
  extension.inWorker("chrome.alarms.create('look-after-uploads', { when: Date.now() + 100 })");

async function beginAnew(): Promise<void> {
  await extension.inWorker("chrome.offscreen.closeDocument()");
  await findTarget(extension, "/offscreen.html");
}

test("a full disk is told while an upload runs, which arrives whole, and the list is stored when there is room", async () => {
  await begin();
  await fillDisk();
  await expectFinished();
  await inTrouble().getByText("The list of uploads can't be stored").waitFor();
  expect(await storedStates()).toEqual(["uploading"]);
  // A page that is opened now shows what is, not what was stored.
  const other = await extension.open("popup.html");
  await other.locator("#list-trouble").getByText("can't be stored").waitFor();
  await uploaded(rowOf(other, "video.mp4"));
  await freeDisk();
  await inTrouble().getByRole("button", { name: "Try again" }).click();
  await inTrouble().waitFor({ state: "hidden" });
  expect(await storedStates()).toEqual(["done"]);
  // From here on nothing would be lost: what knows of it may end.
  for (const page of [other, popup]) await page.close();
  await fireAlarm();
  await expect.poll(hasOffscreen).toBe(false);
});

test("a list that the browser clears while an upload runs is stored again", async () => {
  await begin();
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "indexeddb" });
  await expectFinished();
  await expect.poll(storedStates).toEqual(["done"]);
  expect(await inTrouble().isVisible()).toBe(false);
});

/** Puts a list of the next version in place of ours, as after a step back to an earlier one of the extension. */
const putNextVersion = () =>
  popup.evaluate(async (version) => {
    // At once after it, so that nobody makes a list of the present version between both.
    indexedDB.deleteDatabase("upcut");
    const opening = indexedDB.open("upcut", version);
    opening.onupgradeneeded = () => opening.result.createObjectStore("jobs", { keyPath: "id" });
    await new Promise((resolve) => opening.addEventListener("success", resolve));
    opening.result.close();
  }, LIST_VERSION + 1);

describe("a list that can't be read", () => {
  test("is told, uploads work without it, and a new one is begun by a click", async () => {
    await putNextVersion();
    await beginAnew();
    await inTrouble().getByText("can't be read").waitFor();
    await choose(popup, { name: "video.mp4", bytes: content(SIZE) });
    await start(popup);
    await expectFinished();
    await popup.reload();
    await uploaded(video());
    await inTrouble().getByRole("button", { name: "Try again" }).click();
    await inTrouble().getByText("can't be read").waitFor();
    await inTrouble().getByRole("button", { name: "Start a new list" }).click();
    await inTrouble().waitFor({ state: "hidden" });
    expect(await storedStates()).toEqual(["done"]);
  });

  test("because another connection keeps it closed is read when that has ended", async () => {
    await choose(popup, { name: "video.mp4", bytes: content(SIZE) });
    await video().getByRole("button", { name: "Start" }).waitFor();
    const blocker = await extension.open("options.html");
    // An upgrade that doesn't end keeps every other connection waiting; its transaction is undone in the end.
    await blocker.evaluate((version) => {
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
