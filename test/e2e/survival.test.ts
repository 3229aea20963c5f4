import { execFileSync } from "node:child_process";
import { stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { content } from "../content.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { choose, drop, handOverOwn, rowOf, setUp } from "./actions.ts";
import { expectWhole, waitUntilSent } from "./evidence.ts";
import { type Extension, loadExtension } from "./extension.ts";
import { chooseFiles, findTarget, openRealPopup, stopWorker, targets } from "./raw-target.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
/** The long run has the sizes and times of a real evening. */
const long = process.env.UPCUT_LONG !== undefined;
const service = useService({ refuseOrigin: true });
let folder: { path: string; remove(): Promise<void> };

beforeAll(async () => {
  folder = await scratchFolder("e2e");
});
afterAll(() => folder.remove());

describe("in one browser", () => {
  const extension = useExtension(service);

  test("files chosen in the real popup are drafts although it closes in the same event", async () => {
    const paths = ["dialog-1.mp4", "dialog-2.mp4"].map((name) => join(folder.path, name));
    for (const path of paths) await writeFile(path, content(2 * MiB));
    const page = await extension.context.newPage();
    await page.goto(`${service.baseUrl}/samples/`);
    const popup = await openRealPopup(extension, page.url());
    await expect
      .poll(() =>
        popup.evaluate(
          '[...document.querySelectorAll("button")].some((each) => each.textContent.includes("Choose videos") && !each.disabled)',
        ),
      )
      .toBe(true);
    // A real dialog takes the popup away right after the event.
    await popup.evaluate(
      'void document.querySelector("input[type=file]").addEventListener("change", () => window.close())',
    );
    await chooseFiles(popup, ...paths).catch(() => {});
    await expect
      .poll(async () => (await targets(extension)).some(({ url }) => url.endsWith("/popup.html")))
      .toBe(false);
    const again = await extension.open("popup.html");
    await expect.poll(() => rowOf(again, "dialog-").count()).toBe(2);
    await rowOf(again, "dialog-1.mp4").getByRole("button", { name: "Start" }).click();
    await rowOf(again, "dialog-1.mp4").getByText("Uploaded").waitFor();
    await expectWhole(service, 2 * MiB);
  });

  test("an upload continues after the popup was closed and the worker stopped", async () => {
    const seconds = long ? 60 : 6;
    const size = 12 * MiB;
    await service.set({ throttle: Math.round(size / seconds) });
    const popup = await extension.open("popup.html");
    await choose(popup, { name: "evening.mp4", bytes: content(size) });
    await rowOf(popup, "evening.mp4").getByRole("button", { name: "Start" }).click();
    await waitUntilSent(service, MiB);
    await popup.close();
    await extension.inWorker("globalThis.former = true");
    await stopWorker(extension);
    // The upload may have woken another one by now, to tell how it stands.
    await expect.poll(() => extension.inWorker("globalThis.former === true").catch(() => false)).toBe(false);
    if (!long) await service.set({ throttle: 0 });
    await expect
      .poll(async () => (await service.uploads())[0]?.offset, { timeout: (seconds + 20) * 1000 })
      .toBe(size);
    await expectWhole(service, size);
    const again = await extension.open("popup.html");
    await rowOf(again, "evening.mp4").getByText("Uploaded").waitFor();
  }, 120_000);

  test("an offscreen document that died is created again, and asks for the file it lost", async () => {
    await service.set({ throttle: MiB });
    const popup = await extension.open("popup.html");
    await choose(popup, { name: "crash.mp4", bytes: content(8 * MiB) });
    await rowOf(popup, "crash.mp4").getByRole("button", { name: "Start" }).click();
    await waitUntilSent(service, MiB);
    await extension.inWorker("chrome.offscreen.closeDocument()");
    await popup.close();
    const again = await extension.open("popup.html");
    await findTarget(extension, "/offscreen.html");
    await rowOf(again, "crash.mp4").getByText("Choose the file again").waitFor();
  });
});

describe("a browser killed at about half of an upload and started again", () => {
  const size = (long ? 100 : 24) * MiB;
  const throttle = long ? 20 * MiB : 3 * MiB;
  let profile: { path: string; remove(): Promise<void> };
  let path: string;

  beforeAll(async () => {
    path = join(folder.path, "video.mp4");
    await writeFile(path, content(size));
    await utimes(path, 1000, 1000);
  });
  afterEach(() => profile.remove());

  /** Sets up a browser, begins an upload, and kills the browser in the middle of it. */
  async function killInTheMiddle(begin: (extension: Extension) => Promise<void>): Promise<void> {
    profile = await scratchFolder("profile");
    const extension = await loadExtension({ userDataDir: profile.path, firstRun: true });
    await setUp(extension, service, (options) => options.getByLabel("Review before uploading").uncheck());
    await service.set({ throttle });
    await begin(extension);
    await waitUntilSent(service, size / 2);
    const ended = new Promise((resolve) => extension.context.once("close", resolve));
    execFileSync("pkill", ["-9", "-f", profile.path]);
    await ended;
    await service.set({ throttle: 0 });
  }

  async function expectContinued(): Promise<void> {
    await expectWhole(service, size);
    const [upload] = await service.uploads();
    expect((upload?.bytesReceived ?? 0) - size).toBeLessThanOrEqual(8 * MiB);
  }

  test("resumes by itself where the file can be read again", async () => {
    await killInTheMiddle(async (extension) => {
      await handOverOwn(await extension.open("popup.html"), path);
    });
    const extension = await loadExtension({ userDataDir: profile.path });
    try {
      await expect.poll(async () => (await service.uploads())[0]?.offset, { timeout: 40_000 }).toBe(size);
      await expectContinued();
      const popup = await extension.open("popup.html");
      await rowOf(popup, "video.mp4").getByText("Uploaded").waitFor();
    } finally {
      await extension.close();
    }
  });

  test("asks for a file it has no handle of, refuses another one, and resumes with the right one", async () => {
    await killInTheMiddle(async (extension) => choose(await extension.open("popup.html"), path));
    const extension = await loadExtension({ userDataDir: profile.path });
    try {
      const popup = await extension.open("popup.html");
      const row = rowOf(popup, "video.mp4");
      await row.getByText("Choose the file again").waitFor();
      const other = join(folder.path, "other.mp4");
      await writeFile(other, content(MiB));
      const give = async (file: string) => {
        const chooser = popup.waitForEvent("filechooser");
        await row.getByRole("button", { name: "Choose file…" }).click();
        await (await chooser).setFiles(file);
      };
      await give(other);
      await row.getByText("This is another file").waitFor();
      await give(path);
      await row.getByText("Uploaded").waitFor();
      await expectContinued();
      expect((await stat(path)).size).toBe(size);
    } finally {
      await extension.close();
    }
  });

  test("asks for a click where the handle of a dropped file needs permission again", async () => {
    await killInTheMiddle(async (extension) => drop(await extension.open("popup.html?tab=1"), path));
    const extension = await loadExtension({ userDataDir: profile.path });
    try {
      const popup = await extension.open("popup.html");
      const row = rowOf(popup, "video.mp4");
      // The browser's own prompt can't be answered by a test: the button is there, and so is the other way.
      await row.getByRole("button", { name: "Allow reading the file" }).waitFor();
      const chooser = popup.waitForEvent("filechooser");
      await row.getByRole("button", { name: "Choose file…" }).click();
      await (await chooser).setFiles(path);
      await row.getByText("Uploaded").waitFor();
      await expectContinued();
    } finally {
      await extension.close();
    }
  });
});
