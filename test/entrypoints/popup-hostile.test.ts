import { describe, expect, test } from "vitest";
import type { Job } from "../../entrypoints/shared/job.ts";
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

describe("a record of the service that can't be shown", () => {
  test("hides no other upload, and leaves a plain row that can be removed", async () => {
    const broken = {
      ...makeJob("uploading", { id: "broken" }),
      progress: null,
      fields: null,
    } as unknown as Job;
    const nothing = { id: "nothing", state: "draft", createdAt: 1 } as unknown as Job;
    const others = Array.from({ length: 20 }, () => makeJob("queued"));
    const odd = ["playbackId", "playbackUrl", "downloadUrl", "name", "id"].map((field) =>
      makeJob("done", { asset: { id: "odd", [field]: HALF } }),
    );
    await openWith([broken, nothing, ...odd, ...others]);
    await expect.poll(() => rows().count()).toBe(27);
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

describe("characters that turn the reading direction around", () => {
  const trick = "gpm.\u202Elaunch\u2069 4pm\u200B";
  const plain = "gpm.launch 4pm";

  test("are shown nowhere in the list, and left out of a draft's name before anything is sent", async () => {
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
      makeJob(state, {
        id: state,
        source,
        fields,
        error,
        refused: source,
        asset: { id: trick, name: trick },
      }),
    );
    await popup.open({ jobs });
    await expect.poll(() => rows().count()).toBe(5);
    await popup.tell({ type: "changed", jobs: [{ ...(jobs[1] as Job), state: "paused" }] });
    await popup.page.getByText(`${plain}: Paused`).waitFor();
    expect(await popup.page.content()).not.toMatch(BIDI);
    await popup.page.locator("[data-state=draft]").getByRole("button", { name: "Edit" }).click();
    const name = popup.page.getByLabel("Name", { exact: true });
    await expect.poll(() => name.inputValue()).toBe(plain);
    await button("Start").click();
    await expect
      .poll(() => popup.asks())
      .toMatchObject([
        { type: "edit", jobId: "draft", fields: { name: plain } },
        { type: "start", jobId: "draft" },
      ]);
    await name.fill("\u2067turned\u2069");
    await name.blur();
    expect(await name.inputValue()).toBe("turned");
    await expect.poll(async () => (await popup.asks()).at(-1)).toMatchObject({ fields: { name: "turned" } });
  });
});
