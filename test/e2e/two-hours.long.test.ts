/** Two hours that a real player plays in pieces of four seconds, from the page to the service. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSite, type Site } from "../pages/site.ts";
import { expectTwoHours, PIECES } from "../pages/two-hours.ts";
import { useService } from "../service/use-service.ts";
import { openPopupAbove } from "./listed.ts";
import { useExtension } from "./use-extension.ts";

const service = useService();
const extension = useExtension(service);
let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

test("two hours of 1,800 pieces arrive as one file, and each piece is fetched once", async () => {
  const page = await extension.context.newPage();
  await page.goto(site.page("hls-long"));
  await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
  const popup = await openPopupAbove(extension, page);
  const began = performance.now();
  await popup.uploadAll();
  const state = () => popup.evaluate<string>("document.querySelector('#list li')?.textContent ?? ''");
  await expect.poll(state, { timeout: 600_000, interval: 500 }).toMatch(/Uploaded/);
  const seconds = (performance.now() - began) / 1000;
  await popup.close();
  const [{ asset } = { asset: undefined }] = await service.assets();
  await service.whole(asset?.id ?? "");
  const bytes = new Uint8Array(await (await fetch(String(asset?.downloadUrl))).arrayBuffer());
  console.table({ "two hours": { pieces: PIECES, bytes: bytes.length, seconds } });
  await expectTwoHours(bytes);
  // The player has fetched some at the beginning by then.
  const fetched = site.takeRequests().flatMap(({ path }) => /long\/(\d+)\.m4s/.exec(path)?.[1] ?? []);
  const later = fetched.filter((number) => Number(number) >= 100);
  expect(later).toHaveLength(PIECES - 100);
  expect(new Set(later).size).toBe(later.length);
}, 900_000);
