/** What takes big files: the memory of the browser, and the time to hand over. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { growthDuring } from "../bench/processes.ts";
import { useService } from "../service/use-service.ts";
import { serveVideo } from "../support/hosts/video-server.ts";
import { scratchFolder } from "../support/scratch.ts";
import { rowOf, setUp, start } from "./actions.ts";
import { type Extension, loadExtension } from "./extension.ts";

const GiB = 1024 ** 3;
// The service counts bytes and throws them away, as its own store alone can.
const service = useService({ processing: "none", discardBytes: true }, { store: "files" });
let folder: Awaited<ReturnType<typeof scratchFolder>>;
let extension: Extension;
let popup: Page;
let profile: string;

beforeEach(async () => {
  folder = await scratchFolder("large");
  profile = join(folder.path, "profile");
  extension = await loadExtension({ userDataDir: profile, firstRun: true });
  await setUp(extension, service);
  popup = await extension.open("popup.html?tab=1");
  // The button is enabled once the uploads have answered; before, nothing would take the files.
  await popup.locator("#choose-videos:enabled").waitFor();
});
afterEach(async () => {
  await extension.close();
  await folder.remove();
});

/** Uploads what is given, and returns by how many MiB the browser's memory grew at most. */
async function growthOf(name: string, size: number, give: () => Promise<void>): Promise<number> {
  const growth = await growthDuring(profile, async () => {
    await give();
    await start(popup, name);
    await rowOf(popup, name)
      .getByText(/^Uploaded/)
      .waitFor({ timeout: 0 });
  });
  expect((await service.uploads())[0]?.bytesReceived).toBe(size);
  console.log(`${name}: ${Math.round(growth)} MiB more at most`);
  return growth;
}

test("3 GiB through the popup arrive whole, and are never in memory", async () => {
  const path = join(folder.path, "sparse.mp4");
  const file = await open(path, "w");
  await file.truncate(3 * GiB);
  await file.close();
  const grown = await growthOf("sparse.mp4", 3 * GiB, () => popup.locator("#files").setInputFiles(path));
  expect(grown).toBeLessThan(100);
}, 180_000);

test("2 GiB from an address through the offscreen document: fetched once, and never whole in memory", async () => {
  const video = await serveVideo(2 * GiB);
  const grown = await growthOf("video.mp4", 2 * GiB, async () => {
    await popup.getByLabel("Link to a video").fill(video.url);
    await popup.getByRole("button", { name: "Add", exact: true }).click();
  });
  expect(video.given / (2 * GiB)).toBeLessThan(1.01);
  // Mostly 40 to 100, for 512 MiB as for 2 GiB; a moment of 205 was seen as well.
  expect(grown).toBeLessThan(300);
  await video.close();
}, 300_000);
