import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Job } from "../../entrypoints/shared/job.ts";
import { content } from "../content.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { serveVideo, type VideoServer } from "../video-server.ts";
import { changeOptions, choose, closePages, handOverOwn, rowOf, setUp } from "./actions.ts";
import { expectWhole } from "./evidence.ts";
import { type Extension, loadExtension } from "./extension.ts";
import { openPopupAbove } from "./listed.ts";
import { readStored } from "./stored-jobs.ts";
import { useExtension } from "./use-extension.ts";

/** Large enough to be sent in parts, which the service tells of. */
const SIZE = 2 * 1024 * 1024;
const START_DELAY = 5000;
const service = useService({ refuseOrigin: true });
const video = (name: string) => ({ name, bytes: content(SIZE) });

interface JobEvent {
  name: string;
  state: string;
  /** Whether it waits for its start. */
  isHeld: boolean;
}

/** Has a page keep what it is told of jobs, in that order. */
async function recordJobs(page: Page): Promise<void> {
  await page.evaluate(() => {
    const recorded: JobEvent[] = [];
    Object.assign(globalThis, { recorded });
    new BroadcastChannel("upcut-from-offscreen").addEventListener("message", ({ data }) => {
      for (const { fields, state, startsAt } of (data as { jobs?: Job[] }).jobs ?? [])
        recorded.push({ name: fields.name, state, isHeld: startsAt !== undefined });
    });
  });
}

async function recordedJobs(page: Page): Promise<JobEvent[]> {
  return await page.evaluate(() => (globalThis as unknown as { recorded: JobEvent[] }).recorded);
}

describe("a video that was chosen", () => {
  const extension = useExtension(service, {
    change: (options) => options.getByLabel("Review before uploading").uncheck(),
  });

  test("is uploaded by itself after a grace, before which nothing is requested", async () => {
    const popup = await extension.open("popup.html");
    const began = Date.now();
    await choose(popup, video("holiday.mp4"));
    const row = rowOf(popup, "holiday");
    await row.getByText(/^Starts in \d sec$/).waitFor();
    while (Date.now() - began < START_DELAY - 500) {
      expect(await service.requests()).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    await row.getByText("Uploaded").waitFor();
    expect(Date.now() - began).toBeGreaterThanOrEqual(START_DELAY);
    await expectWhole(service, SIZE);
  });

  test("is uploaded also where every page was closed within the grace", async () => {
    const popup = await extension.open("popup.html");
    await choose(popup, video("holiday.mp4"));
    await rowOf(popup, "holiday").getByText("Starts in").waitFor();
    await closePages(extension);
    await expect.poll(async () => (await service.uploads())[0]?.offset).toBe(SIZE);
    await expectWhole(service, SIZE);
  });

  test("starts before its grace is over where that is wanted", async () => {
    const popup = await extension.open("popup.html");
    await recordJobs(popup);
    // Both share one grace: the other one tells when it is over.
    await choose(popup, video("holiday.mp4"), video("other.mp4"));
    await rowOf(popup, "holiday").getByRole("button", { name: "Start now" }).click();
    for (const name of ["holiday", "other"]) await rowOf(popup, name).getByText("Uploaded").waitFor();
    const events = await recordedJobs(popup);
    const begun = events.findIndex(({ name, state }) => name === "holiday.mp4" && state === "requesting");
    const graceOver = events.findIndex(({ name, isHeld }) => name === "other.mp4" && !isHeld);
    expect(begun).toBeGreaterThanOrEqual(0);
    expect(graceOver).toBeGreaterThan(begun);
  });

  test("waits for Start once it is edited, and is uploaded by its new name", async () => {
    const popup = await extension.open("popup.html");
    await choose(popup, video("holiday.mp4"));
    await rowOf(popup, "holiday").getByRole("button", { name: "Edit" }).press("Enter");
    const name = popup.getByLabel("Name", { exact: true });
    await expect.poll(() => name.evaluate((input) => document.activeElement === input)).toBe(true);
    await name.fill("The sea");
    await new Promise((resolve) => setTimeout(resolve, START_DELAY + 1000));
    expect(await service.requests()).toEqual([]);
    await popup.getByRole("button", { name: "Start", exact: true }).click();
    await rowOf(popup, "The sea").getByText("Uploaded").waitFor();
    expect((await service.assets())[0]?.asset.name).toBe("The sea");
  });

  test("leaves nothing anywhere where it is removed within the grace", async () => {
    const popup = await extension.open("popup.html");
    await choose(popup, video("holiday.mp4"), video("other.mp4"));
    for (const name of ["holiday", "other"])
      await rowOf(popup, name).getByRole("button", { name: "Remove" }).click();
    await popup.getByText("No uploads yet").waitFor();
    await new Promise((resolve) => setTimeout(resolve, START_DELAY + 500));
    expect(await service.requests()).toEqual([]);
    expect(await readStored(popup)).toEqual([]);
    expect(JSON.stringify(await extension.inWorker("chrome.storage.session.get()"))).not.toContain(
      "location-",
    );
  });

  test("is kept as a draft where the review is turned on within the grace", async () => {
    const popup = await extension.open("popup.html");
    await choose(popup, video("holiday.mp4"));
    await rowOf(popup, "holiday").getByText("Starts in").waitFor();
    await popup.getByLabel("Review before uploading").check();
    await popup.getByRole("button", { name: "Start", exact: true }).waitFor();
    await choose(popup, video("other.mp4"));
    await expect.poll(() => popup.getByRole("button", { name: "Start", exact: true }).count()).toBe(2);
    await popup.getByLabel("Review before uploading").uncheck();
    await new Promise((resolve) => setTimeout(resolve, START_DELAY + 500));
    expect(await service.requests()).toEqual([]);
  });

  test("shares one grace with those that were chosen with it, and all keep their order", async () => {
    const popup = await extension.open("popup.html");
    const names = ["one", "two", "three"];
    await choose(popup, ...names.map((name) => video(`${name}.mp4`)));
    await popup.getByText("Starts in").nth(2).waitFor();
    const starts = (await readStored(popup)).map(({ startsAt }) => startsAt);
    expect(new Set(starts).size).toBe(1);
    await changeOptions(extension, (options) => options.getByLabel("Uploads at a time").fill("1"));
    for (const name of names) await rowOf(popup, name).getByText("Uploaded").waitFor();
    const assets = await service.assets();
    const made = assets.map(({ asset }) => asset).sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
    expect(made.map(({ name }) => name)).toEqual(names.map((name) => `${name}.mp4`));
    await changeOptions(extension, (options) => options.getByLabel("Uploads at a time").fill("2"));
  });
});

describe("a video that only its page can read", () => {
  const extension = useExtension(service, {
    change: (options) => options.getByLabel("Review before uploading").uncheck(),
  });
  let site: VideoServer;
  beforeAll(async () => {
    site = await serveVideo(SIZE, {}, { "/": "<!doctype html><title>A page</title><video></video>" });
  });
  afterAll(() => site.close());

  test("starts by itself where it was chosen in the popup", async () => {
    const page = await extension.context.newPage();
    await page.goto(site.origin);
    await page.evaluate(async () => {
      const blob = await (await fetch("videos/video.mp4")).blob();
      const video = document.querySelector("video");
      if (video) video.src = URL.createObjectURL(blob);
    });
    const popup = await openPopupAbove(extension, page);
    await expect.poll(() => popup.listed()).toMatchObject([{ ticked: true }]);
    await popup.click("Upload 1 video");
    await expect.poll(async () => (await service.uploads())[0]?.offset).toBe(SIZE);
    await popup.close();
  });
});

test("a browser that was closed within the grace starts the upload when it is opened again", async () => {
  const profile = await scratchFolder("profile");
  let extension: Extension = await loadExtension({ userDataDir: profile.path, firstRun: true });
  try {
    await setUp(extension, service, (options) => options.getByLabel("Review before uploading").uncheck());
    const popup = await extension.open("popup.html");
    const path = join(profile.path, "video.mp4");
    await writeFile(path, content(SIZE));
    await handOverOwn(popup, path);
    await rowOf(popup, "video").getByText("Starts in").waitFor();
    await extension.close();
    expect(await service.requests()).toEqual([]);
    extension = await loadExtension({ userDataDir: profile.path });
    await expect.poll(async () => (await service.uploads())[0]?.offset, { timeout: 40_000 }).toBe(SIZE);
  } finally {
    await extension.close();
    await profile.remove();
  }
});
