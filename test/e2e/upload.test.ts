/** The list in one or two pages, with the uploads behind it and the service. */
import { utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useService } from "../service/use-service.ts";
import { content, MiB, writeContent } from "../support/content.ts";
import { inAll } from "../support/in-all.ts";
import { useFolder } from "../support/use-folder.ts";
import { allowByClick, changeOptions, choose, giveFile, rowOf, start, uploaded } from "./actions.ts";
import { keepListBusy } from "./busy-list.ts";
import { expectWhole, waitUntilSent } from "./evidence.ts";
import { attach, findTarget } from "./raw-target.ts";
import { useExtension } from "./use-extension.ts";

const service = useService({ refuseOrigin: true });
const extension = useExtension(service);
const folder = useFolder("e2e");

const video = (name: string, size: number, seed = 1) => ({ name, bytes: content(size, seed) });
const creations = () => service.requests("POST", "request-upload");

test("each page shows and steers the same upload: paused in one, continued in another, cleared in all", async () => {
  await service.set({ throttle: MiB });
  const [tab, popup] = [await extension.open("popup.html?tab=1"), await extension.open("popup.html")];
  await choose(tab, video("video.mp4", 12 * MiB));
  const [inTab, inPopup] = [rowOf(tab, "video.mp4"), rowOf(popup, "video.mp4")];
  await start(popup);
  await inTab.getByRole("progressbar").waitFor();
  await waitUntilSent(service, MiB);
  await inTab.getByRole("button", { name: "Pause" }).click();
  await inPopup.getByText("Paused").waitFor();
  const late = await extension.open("popup.html");
  await rowOf(late, "video.mp4").getByText("Paused").waitFor();
  await service.set({ throttle: 0 });
  await rowOf(late, "video.mp4").getByRole("button", { name: "Continue" }).click();
  for (const row of [inTab, inPopup]) await uploaded(row);
  await expectWhole(service, 12 * MiB);
  await tab.getByRole("button", { name: "Clear finished" }).click();
  for (const row of [inTab, inPopup, rowOf(late, "video.mp4")]) await row.waitFor({ state: "detached" });
});

test("an upload that is paused while its location is asked for continues with the same asset", async () => {
  await service.set({ latency: 600_000 });
  const popup = await extension.open("popup.html");
  await choose(popup, video("early.mp4", 2 * MiB));
  const row = await start(popup, "early.mp4");
  await expect.poll(async () => (await creations()).length).toBe(1);
  await row.getByRole("button", { name: "Pause" }).click();
  await row.getByText("Paused").waitFor();
  await row.getByRole("button", { name: "Continue" }).click();
  await service.set({ latency: 0 });
  await uploaded(row);
  await expectWhole(service, 2 * MiB);
});

inAll("an upload that is paused while its last answer is being stored is done", async () => {
  await service.set({ throttle: MiB / 8 });
  const popup = await extension.open("popup.html");
  await choose(popup, video("whole.mp4", 4 * MiB));
  const row = await start(popup, "whole.mp4");
  await waitUntilSent(service, 0);
  const { targetId } = await findTarget(extension, "/offscreen.html");
  const uploads = await attach(extension.browser, targetId);
  // Nothing can be stored until the last answer has come.
  const letGo = await keepListBusy(extension);
  try {
    // The service has answered before the browser has the answer.
    const answered = uploads.evaluate(`new Promise((resolve) => {
      const { PerformanceObserver } = document.querySelector("iframe").contentWindow;
      const look = (entries) => entries.getEntries().some(({ name }) => name.includes("/upload/")) && resolve();
      new PerformanceObserver(look).observe({ type: "resource" });
    })`);
    await service.set({ throttle: 0 });
    await answered;
    await row.getByRole("button", { name: "Pause" }).click();
    await row.getByText("Paused").waitFor();
  } finally {
    await letGo();
    await uploads.detach();
  }
  await uploaded(row);
  await expectWhole(service, 4 * MiB);
});

test("a cancelled upload ends at the service, and the empty asset is spoken of", async () => {
  await service.set({ throttle: MiB });
  const popup = await extension.open("popup.html");
  await choose(popup, video("mistake.mp4", 24 * MiB));
  const row = await start(popup, "mistake.mp4");
  // Before, there is no asset yet to speak of.
  await row.getByTitle(/of\s25.2\sMB/).waitFor();
  await row.getByRole("button", { name: "Cancel" }).click();
  await row.getByRole("button", { name: "End the upload" }).click();
  await service.set({ throttle: 0 });
  await expect.poll(() => service.uploads()).toMatchObject([{ terminated: true }]);
  await row.getByText("can't be removed from here").waitFor({ state: "attached" });
});

inAll("a file that was changed is asked for again, and the same asset resumes", async () => {
  const path = join(folder.path, "changing.mp4");
  const write = async () => {
    await writeFile(path, content(24 * MiB));
    await utimes(path, 1000, 1000);
  };
  await write();
  await service.set({ throttle: MiB });
  const popup = await extension.open("popup.html");
  await choose(popup, path);
  const row = await start(popup, "changing.mp4");
  await row.getByRole("progressbar").waitFor();
  await writeFile(path, "changed");
  await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: MiB, times: 1 }] });
  await row.getByText("was changed, moved or deleted").waitFor();
  await write();
  await service.set({ throttle: 0, resetAfter: [] });
  await giveFile(row, path);
  await uploaded(row);
  await expectWhole(service, 24 * MiB);
});

inAll("a host that is no longer allowed is asked for by a click, before which nothing is sent", async () => {
  const pattern = `http://${new URL(service.baseUrl).hostname}/*`;
  await extension.inWorker(`chrome.permissions.remove({ origins: [${JSON.stringify(pattern)}] })`);
  const popup = await extension.open("popup.html");
  await choose(popup, video("asking.mp4", MiB));
  const row = await start(popup, "asking.mp4");
  await row.getByText("Allow the browser to send to").waitFor();
  expect(await service.requests()).toEqual([]);
  await allowByClick(extension, row, pattern);
  await uploaded(row);
});

test("a row shows a picture of the video, also where the first try painted nothing", async () => {
  const popup = await extension.open("popup.html");
  await popup.locator("#choose-videos:enabled").waitFor();
  const { targetId } = await findTarget(extension, "/offscreen.html");
  const offscreen = await attach(extension.browser, targetId);
  // As Chromium does now and then on a busy machine.
  await offscreen.evaluate(`for (const { prototype } of [CanvasRenderingContext2D, OffscreenCanvasRenderingContext2D]) {
    const { drawImage } = prototype;
    prototype.drawImage = () => Object.assign(prototype, { drawImage });
  }`);
  await choose(popup, "test/service/samples/launch-video.mp4");
  const brightest = await rowOf(popup, "launch-video.mp4")
    .locator("img")
    .evaluate(async (image: HTMLImageElement) => {
      await image.decode();
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context?.drawImage(image, 0, 0, image.width, image.height);
      const data = context?.getImageData(0, 0, image.width, image.height).data ?? [];
      return Math.max(...data.filter((_, at) => at % 4 !== 3));
    });
  expect(brightest).toBeGreaterThan(100);
  await offscreen.detach();
});

inAll(
  "the same file is not uploaded twice by accident: neither while it is uploaded, nor after it was cleared",
  async () => {
    const path = join(folder.path, "twice.mp4");
    await writeContent(path, 2 * MiB, 1);
    await changeOptions(extension, (options) => options.getByLabel("Review before uploading").uncheck());
    await service.set({ throttle: MiB / 32 });
    const popup = await extension.open("popup.html?tab=1");
    await choose(popup, path);
    await popup.getByRole("progressbar").waitFor();
    await choose(popup, path);
    const question = popup.getByText("Is being uploaded already. Upload again?");
    await question.waitFor();
    // Nothing of it starts, and nobody is told that it does.
    await popup.getByRole("status").getByText("1 video added", { exact: true }).waitFor();
    await service.set({ throttle: 0 });
    await popup.getByText("Uploaded today. Upload again?").waitFor();
    await popup.getByRole("button", { name: "Clear finished" }).click();
    await popup.getByRole("button", { name: "Undo" }).waitFor();
    await popup.getByText("Uploaded today. Upload again?").waitFor();
    expect(await creations()).toHaveLength(1);
    await popup.locator("[data-state=draft]").getByRole("button", { name: "Upload again" }).click();
    await popup.getByText(/^Uploaded ·/).waitFor();
    expect(await creations()).toHaveLength(2);
    await popup.locator("#history summary").click();
    await popup.getByLabel("Search what was uploaded").fill("twice");
    const past = popup.locator("#history-list > li");
    await expect.poll(() => past.count()).toBe(2);
    await past.first().getByRole("button", { name: "Copy asset id" }).waitFor();
  },
);
