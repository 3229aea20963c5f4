/**
 * `npm start`: builds the extension, starts the local service, and opens a browser with the extension loaded and set
 * up for it, on a page of sample videos and live streams to try on.
 *
 * Without a display or a terminal it does the main job by itself instead: uploads a video through the popup, ends a
 * live stream through the menu, says what arrived and where the screenshots are, and ends.
 */
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Locator, Page } from "playwright-core";
import type { Asset } from "../../core/mod.ts";
import { provideChromium } from "../browser/launch.ts";
import { choose, editDraft, rowOf, setUp } from "../e2e/actions.ts";
import { buildExtension } from "../e2e/build.ts";
import { type Extension, loadExtension } from "../e2e/extension.ts";
import { placeSample, type SampleFile } from "../support/sample-file.ts";
import { scratchFolder } from "../support/scratch.ts";
import { writeLongVideo } from "./long-video.ts";
import { type Service, type ServiceOptions, startService } from "./service.ts";

const FOLDER = ".upcut";
const VIDEO = resolve(FOLDER, "launch-video.mp4");
const SHOTS = resolve(FOLDER, "screenshots");

const visible = process.stdout.isTTY === true && hasDisplay();
await mkdir(SHOTS, { recursive: true });
await writeLongVideo("test/service/samples/launch-video.mp4", VIDEO, 240);
const sample = visible ? await placeSample(VIDEO) : undefined;
// However it ends: at Ctrl-C the browser's driver ends the process, before anything below it.
process.once("exit", () => sample?.remove());

console.log("Building the extension");
await Promise.all([buildExtension(), provideChromium({ extensions: true })]);
const service = await startOnUsualPorts({
  directory: join(FOLDER, "service"),
  // Slow enough to see the progress.
  switches: { throttle: 5_000_000, assetCall: true, processingTime: 5_000 },
  ...(sample && { connected: { video: sample.path } }),
});
const token = service.accounts[0]?.token ?? "";

const profile = sample && (await profileFor(sample));
const extension = await loadExtension({
  headless: !visible,
  ...(profile && { userDataDir: profile.path, firstRun: true }),
});
await setUp(extension, { baseUrl: service.baseUrl, token }, async (options) => {
  // A person gets the extension as it is; by itself this enters a name first.
  if (visible) await options.getByLabel("Review before uploading").uncheck();
  await options.getByLabel("Path to ask about a video").fill("/api/asset/{id}");
});
if (sample) await leaveToThePerson(extension, sample);
else await doTheMainJob(extension);
await extension.close().catch(() => {});
await service.close();
await profile?.remove();
process.exit(0);

/** A profile whose file dialogs open where the sample lies. */
async function profileFor({ folder }: SampleFile): Promise<Awaited<ReturnType<typeof scratchFolder>>> {
  const profile = await scratchFolder("profile");
  await mkdir(join(profile.path, "Default"), { recursive: true });
  const preferences = { selectfile: { last_directory: folder } };
  await writeFile(join(profile.path, "Default/Preferences"), JSON.stringify(preferences));
  return profile;
}

async function leaveToThePerson({ context, open, inWorker }: Extension, { path }: SampleFile): Promise<void> {
  const start = await context.newPage();
  await start.goto(service.startPage);
  const tab = await inWorker<number | undefined>(
    `chrome.tabs.query({}).then((tabs) => tabs.find(({ url }) => url === ${JSON.stringify(service.startPage)})?.id)`,
  );
  await open(`popup.html?tab=${tab ?? ""}`);
  // The page of options opened at install, for people who have to connect their account first.
  for (const page of context.pages()) if (page.url().endsWith("/options.html")) await page.close();
  await start.bringToFront();
  console.log(`
The browser is open, with Upcut in its toolbar (behind the puzzle piece), connected to the local service. Its page
${service.startPage} says what can be tried:

  Upload        the Upcut button, or the tab beside: choose ${path},
                or a video of the page
  End a stream  select its id on the page, right-click, "End the stream"

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
  await editDraft(row, "Launch video");
  await shoot(popup, "1-chosen");
  await row.getByRole("button", { name: "Start" }).click();
  const uploading = rowOf(popup, "Launch video");
  await uploading.getByRole("progressbar").waitFor();
  const uploaded = uploading.getByText(/^(Uploaded|Processing|Ready)/);
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
  await uploading.getByText(/^Ready/).waitFor();
  await shoot(popup, "4-ready");
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
  await confirmation.getByRole("button", { name: "End stream" }).waitFor();
  await shoot(confirmation, "5-confirm");
  await confirmation.getByRole("button", { name: "End stream" }).click();
  await confirmation
    .getByText(/if it was live/i)
    .first()
    .waitFor();
  await shoot(confirmation, "6-ended");
  const { streams } = await demo<{ streams: { id: string; live: boolean; recording: boolean }[] }>("streams");
  const { live, recording } = streams.find(({ id }) => id === stream) ?? {};
  console.log(`  live: ${live}, recording: ${recording}`);
  console.log(`\nWatch it:    ${asset.downloadUrl} (npm run service serves it again)`);
  console.log(`Screenshots: ${SHOTS}`);
}

async function percentOf(bar: Locator): Promise<number | undefined> {
  return (await bar.count()) === 0
    ? undefined
    : await bar.evaluate((each: HTMLProgressElement) => Math.floor((each.value * 100) / each.max));
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
