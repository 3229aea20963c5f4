/**
 * `npm start`: builds the extension, starts the local service, and opens a browser with the extension loaded and set
 * up for it, on a page of sample videos and live streams to try on.
 *
 * Without a display or a terminal it does the main job by itself instead: uploads a video through the popup, ends a
 * live stream through the menu, says what arrived and where the screenshots are, and ends.
 */
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Locator, Page } from "playwright-core";
import type { Asset } from "../core/mod.ts";
import { choose, rowOf, setUp } from "./e2e/actions.ts";
import buildExtension from "./e2e/build.ts";
import { type Extension, loadExtension } from "./e2e/extension.ts";
import { writeLongVideo } from "./service/long-video.ts";
import { type Service, type ServiceOptions, startService } from "./service/service.ts";

const FOLDER = ".upcut";
const VIDEO = resolve(FOLDER, "launch-video.mp4");
const SHOTS = resolve(FOLDER, "screenshots");

const visible = process.stdout.isTTY === true && hasDisplay();
await mkdir(SHOTS, { recursive: true });

console.log("Building the extension");
await buildExtension();
const service = await startOnUsualPorts({
  directory: join(FOLDER, "service"),
  // Slow enough to see the progress.
  switches: { throttle: 5_000_000 },
});
const token = service.accounts[0]?.token ?? "";
await writeLongVideo("test/service/samples/launch-video.mp4", VIDEO, 240);

const extension = await loadExtension({ headless: !visible });
await setUp(extension, { baseUrl: service.baseUrl, token });
if (visible) await leaveToThePerson(extension);
else await doTheMainJob(extension);
await extension.close().catch(() => {});
await service.close();
process.exit(0);

async function leaveToThePerson({ context, open }: Extension): Promise<void> {
  const start = await context.newPage();
  await start.goto(service.startPage);
  await open("popup.html");
  await start.bringToFront();
  console.log(`
The browser is open, with Upcut in its toolbar (behind the puzzle piece), set up for the local service.

  Upload      the Upcut button, or the tab beside: choose ${VIDEO}
              or a sample from ${service.startPage}samples/
  End a stream  select its id on ${service.startPage}, right-click, "End the stream"

Close the browser or press Ctrl-C to end.`);
  await Promise.race([
    new Promise((resolve) => context.once("close", resolve)),
    once(process, "SIGINT"),
    once(process, "SIGTERM"),
  ]);
}

async function doTheMainJob(loaded: Extension): Promise<void> {
  const popup = await loaded.open("popup.html");
  await popup.setViewportSize({ width: 380, height: 560 });
  console.log(`\nUploading ${VIDEO} through the popup`);
  await choose(popup, VIDEO);
  const row = rowOf(popup, "launch-video.mp4");
  await row.getByLabel("Name").fill("Launch video");
  await shoot(popup, "1-chosen");
  await row.getByRole("button", { name: "Start" }).click();
  const uploading = rowOf(popup, "Launch video");
  await uploading.getByRole("progressbar").waitFor();
  const uploaded = uploading.getByText("Uploaded");
  let shot = false;
  for (let last = ""; !(await uploaded.isVisible()); await popup.waitForTimeout(300)) {
    const percent = await percentOf(uploading.getByRole("progressbar"));
    if (percent !== undefined && `${percent} %` !== last) {
      last = `${percent} %`;
      console.log(`  ${last}`);
    }
    if (!shot && (percent ?? 0) > 70) {
      await shoot(popup, "2-uploading");
      shot = true;
    }
  }
  await shoot(popup, "3-uploaded");
  const asset = await finished();
  console.log(`\nThe asset record, once the service had processed it:\n${JSON.stringify(asset, null, 2)}`);

  const [stream = ""] = service.streams;
  await demo(`streams/${encodeURIComponent(stream)}/start`, "POST");
  console.log(`\nEnding the live stream "${stream}" by its selected id in the context menu`);
  const opened = loaded.context.waitForEvent("page");
  await loaded.inWorker(
    `chrome.contextMenus.onClicked.dispatch({ menuItemId: "selection", selectionText: ${JSON.stringify(stream)} }, undefined)`,
  );
  const confirmation = await opened;
  await confirmation.getByRole("button", { name: "End session" }).waitFor();
  await shoot(confirmation, "4-confirm");
  await confirmation.getByRole("button", { name: "End session" }).click();
  await confirmation
    .getByText(/recording stopped/i)
    .first()
    .waitFor();
  await shoot(confirmation, "5-ended");
  const { streams } = await demo<{ streams: { id: string; live: boolean; recording: boolean }[] }>("streams");
  const { live, recording } = streams.find(({ id }) => id === stream) ?? {};
  console.log(`  live: ${live}, recording: ${recording}`);
  console.log(`\nWatch it:    ${asset.downloadUrl} (npm run service serves it again)`);
  console.log(`Screenshots: ${SHOTS}`);
}

async function percentOf(bar: Locator): Promise<number | undefined> {
  return (await bar.count()) === 0
    ? undefined
    : await bar.evaluate((each: HTMLProgressElement) => Math.floor(each.position * 100));
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

function hasDisplay(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform === "darwin" || process.platform === "win32" || Boolean(DISPLAY ?? WAYLAND_DISPLAY);
}

async function startOnUsualPorts(options: ServiceOptions): Promise<Service> {
  try {
    return await startService({ ...options, apiPort: 8787, uploadPort: 8788 });
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EADDRINUSE") throw error;
    return await startService({ ...options, apiPort: 0, uploadPort: 0 });
  }
}

async function finished(): Promise<Asset> {
  for (;;) {
    const { assets } = await demo<{ assets: { asset: Asset }[] }>("assets");
    const asset = assets.map((each) => each.asset).sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0))[0];
    if (asset?.status?.phase === "ready" || asset?.status?.phase === "failed") return asset;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function demo<T>(path: string, method = "GET"): Promise<T> {
  const response = await fetch(`${service.baseUrl}/_demo/${path}`, { method });
  return (await response.json()) as T;
}
