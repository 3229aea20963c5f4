import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Asset } from "../../core/mod.ts";
import type { Job } from "../../entrypoints/shared/job.ts";
import { found, frame } from "./pages/findings.ts";
import { half, makeJob } from "./pages/jobs.ts";
import { actionsOn } from "./pages/popup-actions.ts";
import { usePopup } from "./pages/use-pages.ts";

const popup = usePopup();
const { button, row } = actionsOn(popup);
const settings = { playbackPage: "https://watch.example/?v={playbackId}&a={assetId}" };
const rows = () => popup.page.locator("#list > li");
/** Half a character doesn't survive the way from the test into the page as it is. */
const HALF = "half-a-character";
const BIDI = /[\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/;

/** Opens the popup with jobs in which a word stands for half a character. */
async function openWith(jobs: Job[]): Promise<void> {
  await popup.open({ settings });
  const news = JSON.stringify({ type: "changed", jobs }).replaceAll(HALF, "\\ud800");
  await popup.page.evaluate((news) => {
    (globalThis as unknown as { tell(news: unknown): void }).tell(JSON.parse(news));
  }, news);
}

const done = (id: string, asset: object) =>
  makeJob("done", {
    id,
    asset: { id: `asset-${id}`, ...asset },
    outcome: { resent: 0, duration: 1, resumed: false },
  });

describe("a record of the service that can't be shown", () => {
  test.each(["playbackId", "playbackUrl", "downloadUrl", "name", "id"])(
    "hides no other upload, with half a character as its %s",
    async (field) => {
      const odd = done("odd", { [field]: HALF });
      const others = Array.from({ length: 20 }, (_, at) => done(`other-${at}`, {}));
      await openWith([...others.slice(0, 10), odd, ...others.slice(10)]);
      await expect.poll(() => rows().count()).toBe(21);
    },
  );

  test("hides no other upload, whatever it holds", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary-ascii" }),
      fc.constantFrom(HALF, "gpm.\u202E4pm", "javascript:alert(1)", "https://user:secret@evil.example/"),
    );
    const value = fc.oneof(text, fc.jsonValue(), fc.constantFrom({ toString: 1 }, { valueOf: 1 }, []));
    const record = fc.record(
      { id: text, name: value, playbackId: value, playbackUrl: value, downloadUrl: value, status: value },
      { requiredKeys: ["id"] },
    );
    const records = fc.sample(record, { numRuns: 60, seed: 13 });
    await openWith(
      records.map((asset, at) =>
        makeJob(at % 2 === 0 ? "done" : "cancelled", { id: `job-${at}`, asset: asset as unknown as Asset }),
      ),
    );
    await expect.poll(() => rows().count()).toBe(60);
    const links = await popup.page
      .locator("#list a")
      .evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    for (const link of links) expect(link).toMatch(/^https?:\/\/[^@\s]*$/);
    expect(await popup.page.content()).not.toMatch(BIDI);
  });

  test("leaves a plain row that can be removed, should it not be drawn at all", async () => {
    const broken = {
      ...makeJob("uploading", { id: "broken" }),
      progress: null,
      fields: null,
    } as unknown as Job;
    const nothing = { id: "nothing", state: "draft", createdAt: 1 } as unknown as Job;
    const others = Array.from({ length: 20 }, (_, at) => done(`other-${at}`, {}));
    await openWith([others[0] as Job, broken, nothing, ...others.slice(1)]);
    await expect.poll(() => rows().count()).toBe(22);
    const plain = rows().filter({ hasText: "This upload can't be shown" });
    expect(await plain.count()).toBe(2);
    await plain.first().getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => popup.asks()).toEqual([{ type: "remove", jobId: "broken" }]);
    // It comes right by itself once it can be drawn.
    await popup.tell({ type: "changed", jobs: [makeJob("paused", { id: "broken", progress: half })] });
    await expect.poll(() => plain.count()).toBe(1);
    await row("holiday-2024").getByText("Paused").waitFor();
  });
});

describe("what is copied", () => {
  test("is the address that a link was read as", async () => {
    await popup.open({ jobs: [done("one", { playbackUrl: " ht\ntps://CDN.example/a\u202Eb.m3u8 " })] });
    await button("Copy link").click();
    await popup.page.getByText("Copied: https://cdn.example/a%E2%80%AEb.m3u8").waitFor();
    expect(await popup.page.evaluate(() => navigator.clipboard.readText())).toBe(
      "https://cdn.example/a%E2%80%AEb.m3u8",
    );
  });
});

describe("characters that turn the reading direction around", () => {
  const trick = "gpm.\u202Elaunch\u2069 4pm\u200B";
  const plain = "gpm.launch 4pm";

  test("are shown nowhere in the list", async () => {
    const source = { ...makeJob("draft").source, name: trick };
    const fields = { ...makeJob("draft").fields, name: trick };
    const error = {
      name: "UploadError",
      code: "rejected",
      message: trick,
      retryable: false,
      details: [trick],
    } as const;
    const jobs = (["draft", "uploading", "failed", "needs-file", "cancelled"] as const).map((state) =>
      makeJob(state, { source, fields, error, refused: source, asset: { id: trick, name: trick } }),
    );
    await popup.open({ jobs });
    await expect.poll(() => rows().count()).toBe(5);
    await popup.tell({ type: "changed", jobs: [{ ...(jobs[1] as Job), state: "paused" }] });
    await popup.page.getByText(`${plain}: Paused`).waitFor();
    expect(await popup.page.content()).not.toMatch(BIDI);
  });

  test("are left out of a draft's name before anything is sent, as it is shown", async () => {
    const job = makeJob("draft", { id: "one", fields: { ...makeJob("draft").fields, name: trick } });
    await popup.open({ jobs: [job] });
    await button("Edit").click();
    const name = popup.page.getByLabel("Name");
    await expect.poll(() => name.inputValue()).toBe(plain);
    await button("Start").click();
    await expect
      .poll(() => popup.asks())
      .toMatchObject([
        { type: "edit", jobId: "one", fields: { name: plain } },
        { type: "start", jobId: "one" },
      ]);
    await name.fill("\u2067turned\u2069");
    await name.blur();
    expect(await name.inputValue()).toBe("turned");
    await expect.poll(async () => (await popup.asks()).at(-1)).toMatchObject({ fields: { name: "turned" } });
  });

  test("are left out of the names of a page's videos", async () => {
    const page = frame(
      [
        found({ title: trick }),
        found({ title: "\u202E\u200B", address: "https://cdn.example/tour.mp4" }),
        { kind: "file", address: "https://cdn.example/gpm.%E2%80%AElaunch%E2%81%A9%205pm", aliases: [] },
      ],
      { title: trick },
    );
    await popup.open({ found: [page], query: "?tab=7" });
    await popup.page.getByRole("heading", { name: `Videos on “${plain}”` }).waitFor();
    const titles = popup.page.locator("#page-videos-list .title");
    await expect.poll(() => titles.allTextContents()).toEqual([plain, "tour", "gpm.launch 5pm"]);
    await popup.page.getByLabel("Select all").check();
    await button("Upload 3 videos").click();
    await expect
      .poll(async () => (await popup.asks())[0])
      .toMatchObject({
        videos: [{ title: plain }, { title: "tour" }, { title: "gpm.launch 5pm" }],
      });
    expect(await popup.page.content()).not.toMatch(BIDI);
  });
});
