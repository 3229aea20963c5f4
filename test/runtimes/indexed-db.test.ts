/** The journal in IndexedDB, in pages of a real Chromium. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../browser/launch.ts";
import { useService } from "../service/use-service.ts";
import { note } from "../support/caught.ts";
import { MiB, writeContent } from "../support/content.ts";
import { journalContract } from "../support/core/journal-contract.ts";
import { expectOneAssetEach } from "../support/core/pause-outcome.ts";
import { MARKER } from "../support/marker.ts";
import { useFolder } from "../support/use-folder.ts";
import { useOpened } from "../support/use-opened.ts";
import { bundle } from "./bundle.ts";
import { serveSite } from "./page/site.ts";

const KEY = "0f".repeat(32);
const size = 24 * MiB + 17;
const service = useService();
const site = useOpened(async () => serveSite({ "page.js": await bundle("page/journal.ts") }));
const folder = useFolder("page-video");
/** Holds a journal, which is the one place for secrets. */
const profile = useFolder("journal-profile");
const browser = useOpened(() => launchChromium({ pagesOnly: true, userDataDir: profile.path }));
let page: Page;
let video: string;
let sha256: string;

beforeAll(async () => {
  video = join(folder.path, "video.mp4");
  sha256 = await writeContent(video, size);
  page = await openPage();
});

async function openPage(): Promise<Page> {
  const opened = await browser.context.newPage();
  opened.on("console", (message) => note(message.text()));
  await opened.goto(site.url);
  await opened.waitForFunction(() => "journals" in window);
  return opened;
}

const name = () => crypto.randomUUID();

test("every case of the contract is run", async () => {
  expect(await page.evaluate(() => window.journals.cases())).toEqual(Object.keys(journalContract));
});

describe("indexedDbJournal()", () => {
  test.each(Object.keys(journalContract))("%s", async (each) => {
    await page.evaluate((title) => window.journals.runCase(title), each);
  });

  test("leases a key to one page at a time, until that is closed", async () => {
    const database = name();
    const other = await openPage();
    const claim = (where: Page) =>
      where.evaluate(([db, key]) => window.journals.claim(db, key), [database, KEY] as const);
    expect(await claim(page)).toBe(true);
    expect(await claim(other)).toBe(false);
    expect(await page.evaluate((key) => window.journals.isHeld(key), KEY)).toBe(true);
    const third = await openPage();
    expect(await third.evaluate(([db]) => window.journals.claim(db, "another"), [database] as const)).toBe(
      true,
    );
    await third.close();
    await expect
      .poll(() => other.evaluate(([db]) => window.journals.claim(db, "another"), [database] as const))
      .toBe(true);
    await other.close();
  });

  test("lets nobody write who has lost the lease", async () => {
    const outcome = await page.evaluate((db) => window.journals.writeAfterLosing(db), name());
    expect(outcome).toMatchObject({
      held: false,
      error: "Cannot use the journal: its lease has become another's",
      stored: { uploads: { one: { asset: { id: "the thief's" } } } },
    });
  });

  test("forgets what is too old, for every journal", async () => {
    const outcome = await page.evaluate((db) => window.journals.outlive(db, 50), name());
    expect(outcome).toEqual({ before: 1, after: 0, found: undefined });
  });

  test("goes on with a new database where the person cleared it", async () => {
    expect(await page.evaluate((db) => window.journals.deleteUnder(db), name())).toBe(1);
  });
});

test("a call in the tick of an abort makes one asset and resumes it, at each moment", async () => {
  await service.set({ throttle: MiB });
  const outcomes = await page.evaluate(([db, url, token]) => window.journals.pauseAtMoments(db, url, token), [
    name(),
    service.baseUrl,
    service.token,
  ] as const);
  await expectOneAssetEach(service, outcomes);
});

test("a page that is reloaded in the middle of an upload resumes the same asset", async () => {
  const database = name();
  // Both before it begins, since a page may take longer to open than the video to be sent.
  const [opened, rival] = [await openPage(), await openPage()];
  for (const each of [opened, rival]) await each.locator("input").setInputFiles(video);
  const send = (where: Page) =>
    where.evaluate(([db, url, token]) => window.journals.send(db, url, token), [
      database,
      service.baseUrl,
      service.token,
    ] as const);
  await service.set({ throttle: 4 * MiB });
  const lost = send(opened).catch(() => undefined);
  await expect.poll(async () => (await service.uploads())[0]?.arrived ?? 0).toBeGreaterThanOrEqual(9 * MiB);
  expect(await send(rival)).toEqual({ code: "in-progress" });
  await opened.reload();
  await lost;
  await service.set({ throttle: 0 });
  await opened.waitForFunction(() => "journals" in window);
  const listed = await opened.evaluate((db) => window.journals.list(db), database);
  expect(listed).toMatchObject([{ name: "video.mp4", size, method: "resumable" }]);
  expect(JSON.stringify(listed)).not.toContain(MARKER);
  await opened.locator("input").setInputFiles(video);
  const outcome = await send(opened);
  expect(outcome).toMatchObject({ resumed: true, id: listed[0]?.assetId });
  expect(await service.whole(listed[0]?.assetId ?? "")).toMatchObject({ sha256 });
  expect(await service.assets()).toHaveLength(1);
  expect(await opened.evaluate((db) => window.journals.list(db), database)).toEqual([]);
  await Promise.all([opened.close(), rival.close()]);
});
