import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { useLab } from "../faults/lab.ts";
import { faulty } from "../faults/proxy.ts";
import { content, MiB, writeContent } from "../support/content.ts";
import { inAll } from "../support/in-all.ts";
import { useFolder } from "../support/use-folder.ts";
import {
  choose,
  clearList,
  clickToClose,
  closePages,
  giveFile,
  handOverOwn,
  rowOf,
  setUp,
  start,
  uploaded,
} from "./actions.ts";
import { BUILT } from "./build.ts";
import { expectWhole, waitUntilComplete, waitUntilSent } from "./evidence.ts";
import { type Extension, isHeard, loadExtension } from "./extension.ts";
import { attach, findTarget, targets } from "./raw-target.ts";
import { useExtension } from "./use-extension.ts";

const SIZE = 16 * MiB;
const lab = useLab({ parts: true });
const folder = useFolder("e2e");
let video: string;
let lostVideo: string;
let hash: string;

beforeAll(async () => {
  video = join(folder.path, "video.mp4");
  lostVideo = join(folder.path, "lost.mp4");
  hash = await writeContent(video, SIZE);
  await cp(video, lostVideo);
});

const slow = () => lab.service.set({ throttle: MiB });
const fast = () => lab.service.set({ throttle: 0 });
const sentTwice = async () => ((await lab.service.uploads())[0]?.bytesReceived ?? 0) - SIZE;

async function begin(popup: Page, name = "video.mp4"): Promise<Locator> {
  await slow();
  await choose(popup, { name, bytes: content(SIZE) });
  const row = await start(popup, name);
  await waitUntilSent(lab.service, 2 * MiB);
  return row;
}

/** Begins an upload whose file can be read again by itself. */
async function beginOwn(popup: Page): Promise<Locator> {
  await slow();
  await handOverOwn(popup, video);
  const row = await start(popup);
  await waitUntilSent(lab.service, 2 * MiB);
  return row;
}

describe("in one browser", () => {
  const extension = useExtension(lab);

  test("an upload resumes after the machine slept and its connections died", async () => {
    const row = await begin(await extension.open("popup.html"));
    const { processInfo } = await extension.browser.send("SystemInfo.getProcessInfo");
    const all = (signal: NodeJS.Signals) => {
      for (const { id } of processInfo) process.kill(id, signal);
    };
    all("SIGSTOP");
    try {
      // What is sent from now on meets nobody who knows the connection.
      await lab.upload.refuse(4000);
    } finally {
      all("SIGCONT");
    }
    await fast();
    await uploaded(row);
    await expectWhole(lab.service, SIZE);
    expect(await sentTwice()).toBeLessThanOrEqual(8 * MiB);
  });

  inAll("an upload waits while the browser is offline, and resumes when it is back", async () => {
    const popup = await extension.open("popup.html");
    const row = await begin(popup);
    const { targetId } = await findTarget(extension, "/offscreen.html");
    const offscreen = await attach(extension.browser, targetId);
    const emulate = (offline: boolean) =>
      offscreen.send("Network.emulateNetworkConditions", {
        ...{ offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 },
      });
    await offscreen.send("Network.enable");
    await emulate(true);
    // The network takes the connections with it.
    await lab.upload.refuse(100);
    await row.getByText("Offline. Resumes when the network is back.").waitFor();
    await fast();
    const before = (await lab.service.requests()).length;
    await emulate(false);
    await uploaded(row);
    await expectWhole(lab.service, SIZE);
    // Nothing was tried meanwhile, so nothing of the budget went: what came then is one new beginning.
    const [first] = (await lab.service.requests()).slice(before);
    expect(first?.method).toMatch(/^(HEAD|OPTIONS)$/);
    await offscreen.detach();
  });

  test("a lost answer on a used connection is reported: the browser sends no request twice by itself", async () => {
    const popup = await extension.open("popup.html");
    const upload = async (name: string) => {
      await choose(popup, { name, bytes: content(MiB) });
      return await start(popup, name);
    };
    await uploaded(await upload("first.mp4"));
    lab.api.choose = faulty("POST", { kind: "drop-answer" });
    await (await upload("second.mp4")).getByText("the video may have been created").waitFor();
    expect(await lab.service.assets()).toHaveLength(2);
    expect(await lab.service.requests("POST", "request-upload")).toHaveLength(2);
  });

  test("an offscreen document that dies is created again by the alarm, without any page, resumes, and is closed", async () => {
    await beginOwn(await extension.open("popup.html"));
    await closePages(extension);
    await extension.inWorker("chrome.offscreen.closeDocument()");
    await fast();
    const isThere = async () => (await targets(extension)).some(({ url }) => url.endsWith("/offscreen.html"));
    expect(await isThere()).toBe(false);
    // The alarm that is set comes within half a minute: the same one, sooner.
    const alarm = await extension.inWorker("chrome.alarms.get('look-after-uploads')");
    expect(alarm).toMatchObject({ periodInMinutes: 0.5 });
    const ring = () =>
      extension.inWorker(
        "chrome.alarms.create('look-after-uploads', { when: Date.now(), periodInMinutes: 0.5 })",
      );
    await ring();
    await waitUntilComplete(lab.service, SIZE);
    await expectWhole(lab.service, SIZE);
    // The document ends once nothing is unfinished and no page is open, as the options of the install may be in the first tab.
    await extension.context.pages()[0]?.goto("about:blank");
    const isOpen = "chrome.storage.session.get('open-uploads').then((all) => all['open-uploads'])";
    await expect.poll(() => extension.inWorker(isOpen)).toBe(false);
    await ring();
    await expect.poll(isThere).toBe(false);
  });
});

describe("an extension that ends while an upload runs", () => {
  const copy = useFolder("extension");
  let extension: Extension;
  beforeAll(async () => {
    await cp(BUILT, copy.path, { recursive: true });
    extension = await loadExtension({ folder: copy.path });
    // Without it Chromium doesn't load an unpacked extension again.
    await onExtensions("updateProfileConfiguration({ inDeveloperMode: true })");
    await setUp(extension, lab);
  });
  afterAll(() => extension.close());
  afterEach(() => clearList(extension));

  const onExtensions = async (call: string) => {
    const page = await extension.context.newPage();
    await page.goto("chrome://extensions");
    await page.evaluate(`chrome.developerPrivate.${call}`);
    await page.close();
  };

  const loadAgain = () => onExtensions(`reload("${extension.id}", { failQuietly: true })`);
  const markFormer = () => extension.inWorker("globalThis.former = true");
  const haveBegunAnew = async () => {
    while (!(await isHeard(extension))) await loadAgain();
  };

  inAll("because it is updated resumes, and asks for the file that it lost", async () => {
    const popup = await extension.open("popup.html");
    await beginOwn(popup);
    await choose(popup, lostVideo);
    await start(popup, "lost.mp4");
    await expect.poll(async () => (await lab.service.uploads()).length).toBe(2);
    await markFormer();
    const path = join(copy.path, "manifest.json");
    const manifest = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...manifest, version: "99.0.0" }));
    await extension.inWorker("void chrome.runtime.reload()");
    await haveBegunAnew();
    await fast();
    // By itself, without any page.
    await expect.poll(async () => (await lab.service.uploads()).map(({ offset }) => offset)).toContain(SIZE);
    const again = await extension.open("popup.html");
    await uploaded(rowOf(again, "video.mp4"));
    const lost = rowOf(again, "lost.mp4");
    await lost.getByText("Choose the file again").waitFor();
    await giveFile(lost, lostVideo);
    await uploaded(lost);
    for (const { asset } of await lab.service.assets())
      expect((await lab.service.whole(asset.id)).sha256).toBe(hash);
    expect(await lab.service.assets()).toHaveLength(2);
    expect(await lab.service.requests("POST", "request-upload")).toHaveLength(2);
  });

  inAll("because nothing of it answers any more is restarted by a click, and resumes", async () => {
    const popup = await extension.open("popup.html");
    await beginOwn(popup);
    const [{ targetId: worker }, { targetId: uploads }] = await Promise.all([
      findTarget(extension, "/background.js"),
      findTarget(extension, "/offscreen.html"),
    ]);
    await markFormer();
    const debug = await attach(extension.browser, worker);
    await debug.send("Debugger.enable");
    void debug.evaluate("debugger").catch(() => {});
    await extension.browser.send("Target.closeTarget", { targetId: uploads });
    const again = await extension.open("popup.html");
    await again.getByText("Uploads don't respond. What was uploaded is not lost.").waitFor();
    await fast();
    await clickToClose(again.getByRole("button", { name: "Restart Upcut" }));
    await debug.detach();
    await haveBegunAnew();
    await waitUntilComplete(lab.service, SIZE);
    await expectWhole(lab.service, SIZE);
  });
});
