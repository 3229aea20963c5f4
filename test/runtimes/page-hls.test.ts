/** Videos in pieces in a page: the same bytes as in every other runtime, so that one goes on with what another began. */
import { createHash } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHls } from "../../core/hls/mod.ts";
import type { ReadableSource } from "../../core/source/source.ts";
import { type Chromium, launchChromium } from "../browser/launch.ts";
import { note } from "../caught.ts";
import { type HlsServer, serveSamples, startHlsServer } from "../hls-server.ts";
import { serveLong } from "../long-hls.ts";
import { bundle } from "./bundle.ts";
import { type Site, serveSite } from "./page/site.ts";

const PART = 8 * 1024 * 1024;
let hls: HlsServer;
let site: Site;
let browser: Chromium;
let page: Page;

beforeAll(async () => {
  hls = await startHlsServer();
  serveSamples(hls);
  serveLong(hls, { pieces: 20, size: 1024 * 1024 });
  site = await serveSite({ "page.js": await bundle("page/hls.ts", ["browser", "module"]) });
  browser = await launchChromium();
  page = await browser.context.newPage();
  page.on("console", (message) => note(message.text()));
  await page.goto(site.url);
  await page.waitForFunction(() => "readHls" in window);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([site?.stop(), hls?.close()]);
});

async function readHere(
  address: string,
): Promise<{ sha256: string; size: number; identity: string | undefined }> {
  const source = (await openHls(new URL(address))) as ReadableSource;
  const hash = createHash("sha256");
  let size = 0;
  for (let isOver = false; !isOver; ) {
    const slice = await source.slice(size, size + PART);
    const pieces = slice.pieces();
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) hash.update(next.value);
    size += slice.size;
    isOver = slice.last;
  }
  await source.close();
  return { sha256: hash.digest("hex"), size, identity: await source.identity() };
}

test.each([
  "/ts/index.m3u8",
  "/fmp4/index.m3u8",
  "/separate/main.m3u8",
  "/aes/index.m3u8",
  "/ranges/ts.m3u8",
  "/long/index.m3u8",
])("%s gives a page the same bytes and identity", async (path) => {
  const address = hls.origin + path;
  const found = await page.evaluate((url) => window.readHls(url), address);
  expect(found).toEqual({ ...(await readHere(address)), qualities: 1 });
});
