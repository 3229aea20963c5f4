import { utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { content, sha256 } from "../content.ts";
import { scratchFolder } from "../scratch.ts";
import { ON_OWN_STORE } from "../service/spawned.ts";
import { useService } from "../service/use-service.ts";
import { choose, editDraft, rowOf } from "./actions.ts";
import { ROOT } from "./build.ts";
import { keepListBusy } from "./busy-list.ts";
import { expectWhole, waitUntilSent } from "./evidence.ts";
import { attach, findTarget } from "./raw-target.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
const service = useService({ refuseOrigin: true });
const extension = useExtension(service);

const video = (name: string, size: number, seed = 1) => ({ name, bytes: content(size, seed) });
const creations = () => service.requests("POST", "request-upload");

describe("the popup", () => {
  test("uploads a chosen file with the draft's name", async () => {
    const popup = await extension.open("popup.html");
    await choose(popup, video("holiday.mp4", 3 * MiB));
    await editDraft(rowOf(popup, "holiday.mp4"), "Our holiday");
    await rowOf(popup, "holiday.mp4").getByRole("button", { name: "Start" }).click();
    await rowOf(popup, "Our holiday").getByText("Uploaded").waitFor();
    const [stored] = await service.assets();
    expect((await service.whole(stored?.asset.id ?? "")).sha256).toBe(sha256(content(3 * MiB)));
    expect(stored?.received).toEqual({ name: "Our holiday" });
    expect(await creations()).toMatchObject([{ origin: null, status: 200 }]);
  });

  test("uploads several files, two at a time, and the next one in its turn", async () => {
    await service.set({ throttle: MiB / 2 });
    const popup = await extension.open("popup.html");
    const names = ["one.mp4", "two.mp4", "three.mp4"];
    await choose(popup, ...names.map((name, index) => video(name, 4 * MiB, index)));
    await popup.getByRole("button", { name: "Start all" }).click();
    await rowOf(popup, "three.mp4").getByText("Queued").waitFor();
    await service.set({ throttle: 0 });
    for (const name of names) await rowOf(popup, name).getByText("Uploaded").waitFor();
    const assets = await service.assets();
    for (const { asset } of assets) {
      const seed = names.indexOf(asset.name ?? "");
      expect((await service.whole(asset.id)).sha256).toBe(sha256(content(4 * MiB, seed)));
    }
    expect(assets).toHaveLength(3);
  });

  test("shows a picture of the video, also where the first try painted nothing", async () => {
    const popup = await extension.open("popup.html");
    await popup.locator("#choose-videos:enabled").waitFor();
    const { targetId } = await findTarget(extension, "/offscreen.html");
    const offscreen = await attach(extension.browser, targetId);
    // As Chromium does now and then on a busy machine.
    await offscreen.evaluate(`for (const { prototype } of [CanvasRenderingContext2D, OffscreenCanvasRenderingContext2D]) {
      const { drawImage } = prototype;
      prototype.drawImage = () => Object.assign(prototype, { drawImage });
    }`);
    await choose(popup, join(ROOT, "test/service/samples/launch-video.mp4"));
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

  test("pauses and continues the same asset", async () => {
    await service.set({ throttle: MiB });
    const popup = await extension.open("popup.html");
    await choose(popup, video("long.mp4", 24 * MiB));
    const row = rowOf(popup, "long.mp4");
    await row.getByRole("button", { name: "Start" }).click();
    await waitUntilSent(service, MiB);
    await row.getByRole("button", { name: "Pause" }).click();
    await row.getByText("Paused").waitFor();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const [paused] = await service.uploads();
    expect(paused?.offset).toBeLessThan(24 * MiB);
    await service.set({ throttle: 0 });
    await row.getByRole("button", { name: "Continue" }).click();
    await row.getByText("Uploaded").waitFor();
    const [stored] = await service.assets();
    expect((await service.whole(stored?.asset.id ?? "")).sha256).toBe(sha256(content(24 * MiB)));
    expect(await creations()).toHaveLength(1);
  });

  // Another store stores nothing of a part whose request has every byte and no end.
  test.runIf(ON_OWN_STORE)(
    "an upload that is paused when all has arrived, before the service said so, is done when it goes on",
    async () => {
      const size = 4 * MiB;
      await service.set({ stallAfter: [{ host: "upload", method: "PATCH", bytes: size, times: 1 }] });
      const popup = await extension.open("popup.html");
      await choose(popup, video("late.mp4", size));
      const row = rowOf(popup, "late.mp4");
      await row.getByRole("button", { name: "Start" }).click();
      await waitUntilSent(service, size - 1);
      await row.getByRole("button", { name: "Pause" }).click();
      await row.getByText("Paused").waitFor();
      await row.getByRole("button", { name: "Continue" }).click();
      await row.getByText("Uploaded").waitFor();
      await expectWhole(service, size);
      expect(await service.uploads()).toMatchObject([{ bytesReceived: size }]);
    },
  );

  test("an upload that is paused while its last answer is being stored is done", async () => {
    await service.set({ throttle: MiB / 8 });
    const popup = await extension.open("popup.html");
    await choose(popup, video("whole.mp4", 4 * MiB));
    const row = rowOf(popup, "whole.mp4");
    await row.getByRole("button", { name: "Start" }).click();
    await waitUntilSent(service, 0);
    // Nothing can be stored until the last answer has come.
    const letGo = await keepListBusy(popup);
    try {
      await service.set({ throttle: 0 });
      await expect.poll(() => service.requests("PATCH", "/upload/")).toMatchObject([{ status: 204 }]);
      await row.getByRole("button", { name: "Pause" }).click();
      await row.getByText("Paused").waitFor();
    } finally {
      await letGo();
    }
    await row.getByText("Uploaded").waitFor();
    await expectWhole(service, 4 * MiB);
  });

  test("cancels: the upload ends at the service, and the empty asset is spoken of", async () => {
    await service.set({ throttle: MiB });
    const popup = await extension.open("popup.html");
    await choose(popup, video("mistake.mp4", 24 * MiB));
    const row = rowOf(popup, "mistake.mp4");
    await row.getByRole("button", { name: "Start" }).click();
    // Before, there is no asset yet to speak of.
    await row.getByText(/of 25.2 MB/).waitFor();
    await row.getByRole("button", { name: "Cancel" }).click();
    await row.getByRole("button", { name: "End the upload" }).click();
    await expect.poll(() => service.uploads()).toMatchObject([{ terminated: true }]);
    await row.getByText("can't be removed from here").waitFor();
  });

  test("resumes after resets, and shows why it waits", async () => {
    await service.set({
      answerStatus: [{ host: "upload", method: "PATCH", status: 503, retryAfter: "2", times: 1 }],
    });
    const popup = await extension.open("popup.html");
    await choose(popup, video("bumpy.mp4", 3 * MiB));
    const row = rowOf(popup, "bumpy.mp4");
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByText("The service can't take the upload now.").waitFor();
    await row.getByText("Uploaded").waitFor();
  });
});

describe("a failure", () => {
  test.each([
    [401, "doesn't accept the token", "Open options"],
    [403, "may not do this", "Open options"],
    [404, "no such service at this address", "Open options"],
    [422, "refuses the request", "Try again"],
    [500, "The service has a problem", "Try again"],
  ] as const)("with status %i says what happened and offers the next step", async (status, words, button) => {
    const body =
      status === 404 ? "<html><title>Nothing here</title></html>" : '{"errors":["said by the service"]}';
    await service.set({ answerStatus: [{ host: "api", method: "POST", status, body, times: 1 }] });
    const popup = await extension.open("popup.html");
    await choose(popup, video("refused.mp4", MiB));
    const row = rowOf(popup, "refused.mp4");
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByText(words).waitFor();
    if (status !== 404) await row.getByText("said by the service").waitFor();
    await row.getByRole("button", { name: button }).waitFor();
    if (status === 422) {
      // The same fields would be refused again, so they can be changed.
      await editDraft(row, "Another name");
      await row.getByRole("button", { name: "Start" }).click();
      return await rowOf(popup, "Another name").getByText("Uploaded").waitFor();
    }
    await row.getByRole("button", { name: "Try again" }).click();
    await row.getByText("Uploaded").waitFor();
  });

  test("of a service that asks for a long wait is not called a connection failure, and names the time", async () => {
    await service.set({
      answerStatus: [{ host: "upload", method: "PATCH", status: 503, retryAfter: "7200", times: 1 }],
    });
    const popup = await extension.open("popup.html");
    await choose(popup, video("busy.mp4", 2 * MiB));
    const row = rowOf(popup, "busy.mp4");
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByText("The service can't take the upload now. Try again in 2 hr.").waitFor();
    await row.getByRole("button", { name: "Continue" }).click();
    await row.getByText("Uploaded").waitFor();
    expect(await service.assets()).toHaveLength(1);
  });

  test("of the answer to the request says that an asset may exist, and uploads again when asked to", async () => {
    await service.set({ dropAnswer: [{ host: "api", method: "POST", path: "request-upload" }] });
    const popup = await extension.open("popup.html");
    await choose(popup, video("lost.mp4", MiB));
    const row = rowOf(popup, "lost.mp4");
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByText("the video may have been created").waitFor();
    const before = await service.assets();
    await service.set({ dropAnswer: [] });
    await row.getByRole("button", { name: "Upload again" }).click();
    await row.getByText("Uploaded").waitFor();
    expect(await service.assets()).toHaveLength(before.length + 1);
  });

  test("of the file itself asks for it again, and resumes the same asset", async () => {
    const folder = await scratchFolder("e2e");
    const path = join(folder.path, "changing.mp4");
    const write = async () => {
      await writeFile(path, content(24 * MiB));
      await utimes(path, 1000, 1000);
    };
    await write();
    await service.set({ throttle: MiB });
    const popup = await extension.open("popup.html");
    await choose(popup, path);
    const row = rowOf(popup, "changing.mp4");
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByRole("progressbar").waitFor();
    await writeFile(path, "changed");
    await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: MiB, times: 1 }] });
    await row.getByText("was changed, moved or deleted").waitFor({ timeout: 40_000 });
    await write();
    await service.set({ throttle: 0, resetAfter: [] });
    const chooser = popup.waitForEvent("filechooser");
    await row.getByRole("button", { name: "Choose file…" }).click();
    await (await chooser).setFiles(path);
    await row.getByText("Uploaded").waitFor();
    expect(await service.assets()).toHaveLength(1);
    await folder.remove();
  });
});

test("a host that is no longer allowed is asked for by a click, and the upload resumes", async () => {
  const { hostname } = new URL(service.baseUrl);
  const pattern = `http://${hostname}/*`;
  await extension.inWorker(`chrome.permissions.remove({ origins: [${JSON.stringify(pattern)}] })`);
  const popup = await extension.open("popup.html");
  await choose(popup, video("asking.mp4", MiB));
  const row = rowOf(popup, "asking.mp4");
  await row.getByRole("button", { name: "Start" }).click();
  await row.getByText("Needs your permission").waitFor();
  expect(await service.requests()).toEqual([]);
  await extension.allow(pattern);
  await row.getByRole("button", { name: "Allow this host" }).click();
  await row.getByText("Uploaded").waitFor();
});

test("the whole way from choosing to the copied id needs no mouse", async () => {
  const popup = await extension.open("popup.html");
  await popup.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await popup.locator("#choose-videos:enabled").waitFor();
  const press = async (name: string) => {
    const button = popup.getByRole("button", { name, exact: true });
    await button.waitFor();
    for (let tabs = 0; !(await button.evaluate((each) => each === document.activeElement)); tabs++) {
      if (tabs > 30) throw new Error(`the key Tab never reaches "${name}"`);
      await popup.keyboard.press("Tab");
    }
    await popup.keyboard.press("Enter");
  };
  const chooser = popup.waitForEvent("filechooser");
  await press("Choose videos");
  await (await chooser).setFiles([
    { name: "keys.mp4", mimeType: "video/mp4", buffer: Buffer.from(content(MiB)) },
  ]);
  await press("Start");
  await rowOf(popup, "keys.mp4").getByText("Uploaded").waitFor();
  await press("More");
  await press("Copy asset id");
  const [stored] = await service.assets();
  await expect.poll(() => popup.evaluate(() => navigator.clipboard.readText())).toBe(stored?.asset.id);
});

test("an upload cancelled while its location is asked for names the asset that this made", async () => {
  await service.set({ latency: 1500 });
  const popup = await extension.open("popup.html");
  await choose(popup, video("second-thoughts.mp4", MiB));
  const row = rowOf(popup, "second-thoughts.mp4");
  await row.getByRole("button", { name: "Start" }).click();
  await row.getByText("Asking the service").waitFor();
  await row.getByRole("button", { name: "Cancel" }).click();
  await row.getByText("stays in the account").waitFor();
  expect(await service.assets()).toHaveLength(1);
  expect(await service.uploads()).toEqual([]);
  expect(JSON.stringify(await extension.inWorker("chrome.storage.session.get()"))).not.toContain("location-");
});
