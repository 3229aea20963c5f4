/** A browser that is killed while everything that can be uploaded is under way, and what becomes of it in the next one. */

import { utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHls } from "../../core/hls/mod.ts";
import { spawnService } from "../service/spawned.ts";
import { content, contentHash, MiB } from "../support/content.ts";
import { hashOf } from "../support/hls/hls-original.ts";
import { startHlsServer } from "../support/hls/hls-server.ts";
import { serveLong } from "../support/hls/long-hls.ts";
import { serveVideo } from "../support/hosts/video-server.ts";
import { inAll, table } from "../support/in-all.ts";
import { MARKER } from "../support/marker.ts";
import { useFolder } from "../support/use-folder.ts";
import { useOpened } from "../support/use-opened.ts";
import {
  allowByClick,
  choose,
  giveFile,
  handAddresses,
  handOverOwn,
  rowOf,
  setUp,
  start,
  uploaded,
} from "./actions.ts";
import { type Extension, killBrowser, loadExtension, loaded } from "./extension.ts";
import { openRealPopup } from "./raw-target.ts";
import { makeBlob, sendBlob } from "./send-blob.ts";

const SIZE = 12 * MiB;
const PAGES = { "/": "<title>A page</title><video></video>" };
const hls = useOpened(startHlsServer);
const service = useOpened(() => spawnService({ refuseOrigin: true }));
const folder = useFolder("restart");
let extension: Extension;
let popup: Page;
/** A host that is allowed for good, and one that a click on the toolbar allows. */
const allowed = useOpened(() => serveVideo(SIZE, { seed: 4 }, PAGES));
const visited = useOpened(() => serveVideo(SIZE, { seed: 5 }, PAGES, "localhost"));
/** What the service had of each when the browser was killed. */
let sent: Record<string, number>;

const FILES = ["own.mp4", "chosen.mp4", "one.mp4", "two.mp4"];
/** All that can be uploaded, files and videos of pages, and how a person gives it. */
const GIVEN: Record<string, (list: Page, path: string) => Promise<void>> = {
  "own.mp4": (list, path) => handOverOwn(list, path, "own.mp4"),
  "chosen.mp4": (list, path) => choose(list, path),
  Allowed: (list) => handAddresses(list, { address: allowed.url, page: allowed.origin, title: "Allowed" }),
  Visited: (list) => {
    const address = `${visited.url}?signature=${MARKER}-abc`;
    return handAddresses(list, { address, page: visited.origin, title: "Visited" });
  },
  Pieces: (list) => {
    const [address, page] = [`${hls.origin}/long/index.m3u8`, `${hls.origin}/watch`];
    return handAddresses(list, { address, page, title: "Pieces", pieces: "hls" });
  },
  Blob: () => sendBlob(extension, visited.origin, "Blob"),
  "one.mp4": (list, path) => choose(list, path),
  "two.mp4": (list, path) => choose(list, path),
};
const NAMES = table(Object.keys(GIVEN), 3);

const profile = () => join(folder.path, "profile");

async function offsets(): Promise<Record<string, number>> {
  const [assets, uploads] = [await service.assets(), await service.uploads()];
  return Object.fromEntries(
    assets.map(({ asset }) => [
      asset.name ?? "",
      uploads.find(({ assetId }) => assetId === asset.id)?.arrived ?? 0,
    ]),
  );
}

beforeAll(async () => {
  for (const [at, name] of FILES.entries()) {
    await writeFile(join(folder.path, name), content(SIZE, at + 1));
    await utimes(join(folder.path, name), 1000, 1000);
  }
  serveLong(hls, { pieces: 16, size: MiB });
  extension = await loadExtension({ userDataDir: profile(), firstRun: true });
  await setUp(extension, service, (options) =>
    options.getByLabel("Uploads at a time").fill(`${NAMES.length}`),
  );
});
afterAll(() => extension?.close());

/** Presses the toolbar button on a page with a video that only the page can read. */
async function visit(page: Page): Promise<void> {
  await makeBlob(page);
  await (await openRealPopup(extension, page.url())).detach();
}

async function giveAll(): Promise<void> {
  const page = await extension.context.newPage();
  await page.goto(visited.origin);
  await visit(page);
  const list = await extension.open("popup.html?tab=1");
  for (const name of NAMES) await GIVEN[name]?.(list, join(folder.path, name));
  for (const name of NAMES) await start(list, name);
}

test("the browser is killed while all of them are under way", async () => {
  // A browser that is killed may not have written yet what it was allowed.
  await extension.close();
  extension = await loadExtension({ userDataDir: profile() });
  // None gets far ahead of the others.
  await service.set({ stallAfter: [{ host: "upload", method: "PATCH", bytes: 2 * MiB }] });
  await giveAll();
  await expect
    .poll(async () => Object.values(await offsets()).filter((bytes) => bytes > MiB).length)
    .toBe(NAMES.length);
  await killBrowser(extension);
  sent = await offsets();
  for (const each of [allowed, visited]) each.given = 0;
  hls.requests.length = 0;
  await service.set({ stallAfter: [] });
  extension = await loadExtension({ userDataDir: profile() });
  popup = await extension.open("popup.html");
});

/** The upload has gone on as the same asset, and next to nothing was sent twice. */
async function expectContinued(name: string, hash: string): Promise<void> {
  await uploaded(rowOf(popup, name));
  const assets = (await service.assets()).filter(({ asset }) => asset.name === name);
  expect(assets).toHaveLength(1);
  const id = assets[0]?.asset.id ?? "";
  expect((await service.whole(id)).sha256).toBe(hash);
  const upload = (await service.uploads()).find(({ assetId }) => assetId === id);
  expect((upload?.bytesReceived ?? 0) - (upload?.size ?? 0)).toBeLessThanOrEqual(8 * MiB);
}

test("a file that can be read again goes on by itself", async () => {
  await expectContinued("own.mp4", contentHash(SIZE, 1));
});

test("a video of a host that is allowed for good goes on by itself, and only the rest is fetched", async () => {
  await expectContinued("Allowed", contentHash(SIZE, 4));
  expect(allowed.given).toBeLessThanOrEqual(SIZE - (sent.Allowed ?? 0) + 8 * MiB);
});

inAll("a video in pieces goes on by itself, and no piece is fetched twice", async () => {
  await uploaded(rowOf(popup, "Pieces"));
  const asked = hls.requests.filter((path) => /\/[1-9]\d*\.m4s/.test(path));
  await expectContinued("Pieces", await hashOf(await openHls(new URL("/long/index.m3u8", hls.origin))));
  expect(new Set(asked).size).toBe(asked.length);
});

inAll("a file without a handle is asked for, another one is refused, and the right one goes on", async () => {
  const row = rowOf(popup, "chosen.mp4");
  await row.getByText("Choose the file again").waitFor();
  const other = join(folder.path, "other.mp4");
  await writeFile(other, content(MiB));
  await giveFile(row, other);
  await row.getByText("This is another file").waitFor();
  await giveFile(row, join(folder.path, "chosen.mp4"));
  await expectContinued("chosen.mp4", contentHash(SIZE, 2));
});

inAll("files that are chosen again go on together, also one that a backup has touched", async () => {
  const [one, two] = ["one.mp4", "two.mp4"].map((name) => join(folder.path, name)) as [string, string];
  await utimes(two, 2000, 2000);
  await rowOf(popup, "two.mp4").getByText("Choose the file again").waitFor();
  await popup.locator("#files").setInputFiles([one, two]);
  await expectContinued("one.mp4", contentHash(SIZE, 3));
  await expectContinued("two.mp4", contentHash(SIZE, 4));
});

inAll(
  "a video that only the toolbar's click allowed asks for its host, and only the rest is fetched",
  async () => {
    await allowByClick(extension, rowOf(popup, "Visited"), "http://localhost/*");
    await expectContinued("Visited", contentHash(SIZE, 5));
    expect(visited.given).toBeLessThanOrEqual(SIZE - (sent.Visited ?? 0) + 8 * MiB);
  },
);

inAll("a video that only its page has asks for the page, and goes on when it is added again", async () => {
  const row = rowOf(popup, "Blob");
  await row.getByText("Open its page again").waitFor();
  const opened = extension.context.waitForEvent("page");
  await row.getByRole("button", { name: "Open its page" }).click();
  const page = await opened;
  await loaded(page, `${visited.origin}/`);
  await visit(page);
  await sendBlob(extension, visited.origin, "Blob");
  await expectContinued("Blob", contentHash(SIZE, 5));
});

test("nothing was requested twice", async () => {
  expect(await service.requests("POST", "request-upload")).toHaveLength(NAMES.length);
});
