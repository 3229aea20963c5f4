import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Asset } from "../../../core/mod.ts";
import { type Job, STATES } from "../../../entrypoints/shared/job.ts";
import { failure, half, makeJob } from "../../support/extension/pages/jobs.ts";
import { actionsOn } from "../../support/extension/pages/popup-actions.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";
import { isAll } from "../../support/in-all.ts";

const popup = usePopup();
const { button, expectAsks, row } = actionsOn(popup);
const settings = { playbackPage: "https://watch.example/?v={playbackId}&a={assetId}" };
const rows = () => popup.page.locator("#list > li");
const INVISIBLE = /[\p{Bidi_Control}\p{Cc}\p{Cs}\u200B\u2060\uFEFF]/u;
/** Half a character doesn't survive the way from the test into the page as it is. */
const HALF = "half-a-character";

/** Tells the popup of jobs in which a word stands for half a character. */
async function tellOf(jobs: Job[]): Promise<void> {
  const news = JSON.stringify({ type: "changed", jobs }).replaceAll(HALF, "\\ud800");
  await popup.page.evaluate((news) => {
    (globalThis as unknown as { tell(news: unknown): void }).tell(JSON.parse(news));
  }, news);
}

/** Every text in the list, once what has changed is drawn. */
const textsInList = () =>
  popup.page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return [...document.querySelectorAll("#list *")].flatMap((each) => [
      each.getAttribute("title") ?? "",
      each.ariaLabel ?? "",
      ...[...each.childNodes].map((node) => (node instanceof Text ? node.data : "")),
    ]);
  });

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("\ud800", "gpm.\u202E4pm", "\u2066a", "a\0b", "https://\ud800.example", "\u{E0001}"),
);
const odd = fc.oneof(
  { weight: 4, arbitrary: text },
  fc.jsonValue(),
  fc.constantFrom({ toString: 1 }, { valueOf: null, toString: null }, [[]], [{ toString: 1 }], undefined),
);
const anyAsset = fc.record({
  id: text,
  name: odd,
  playbackId: odd,
  playbackUrl: odd,
  downloadUrl: odd,
  status: odd,
}) as unknown as fc.Arbitrary<Asset>;

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
    await popup.open({ settings });
    await tellOf([broken, nothing, ...odd, ...others]);
    await expect.poll(() => rows().count()).toBe(27);
    const plain = rows().filter({ hasText: "This upload can't be shown" });
    expect(await plain.count()).toBe(2);
    await plain.first().getByRole("button", { name: "Remove" }).click();
    await expectAsks().toEqual([{ type: "remove", jobIds: ["broken"] }]);
    // It comes right by itself once it can be drawn.
    await popup.tell({ type: "changed", jobs: [makeJob("paused", { id: "broken", progress: half })] });
    await expect.poll(() => plain.count()).toBe(1);
    await row("holiday-2024").getByText("Paused").waitFor();
  });
});

test("an upload is shown whole for any record of an asset, whatever its fields hold", async () => {
  await popup.open({ settings });
  await tellOf(STATES.map((state) => makeJob(state, { id: state })));
  for (const name of ["More", "Edit"]) await button(name).click();
  const everyState = fc.array(anyAsset, { minLength: STATES.length, maxLength: STATES.length });
  await fc.assert(
    fc.asyncProperty(everyState, text, async (assets, said) => {
      const jobs = STATES.map((state, at) => {
        const asset = assets[at] as Asset;
        const error = failure("rejected", {
          details: [said],
          message: said,
          resume: { assetId: asset.id, offset: 0, possible: false },
        });
        return makeJob(state, {
          id: state,
          asset,
          progress: half,
          error,
          source: { kind: "file", name: said, type: "", lastModified: 0 },
          fields: { name: said, staticMp4: false, method: "auto", further: {} },
          refused: { name: said, type: "", lastModified: 0 },
          endedAtService: false,
        });
      });
      await tellOf(jobs);
      const shown = await textsInList();
      expect(shown).toContain("Cancelled");
      expect(shown).not.toContain("This upload can't be shown");
      for (const each of shown) expect(each).not.toMatch(INVISIBLE);
    }),
    { numRuns: isAll ? 30 : 8 },
  );
});

test("an upload that is being cancelled says so, and nothing of what it was before", async () => {
  const error = failure("interrupted", {
    resume: { assetId: "asset-41f2", offset: 16_777_216, possible: true },
  });
  const more = { error, progress: half, needs: { permission: "file" } } as const;
  const jobs = STATES.map((state) => makeJob(state, { id: state, ...more }));
  await popup.open({ jobs });
  await row("holiday-2024").first().waitFor();
  for (const cancel of await button("Cancel").all()) await cancel.click();
  await tellOf(jobs.map((job) => ({ ...job, ending: true })));
  const shown = (await textsInList()).filter((each) => each !== "" && each !== "MP4");
  expect([...new Set(shown)].sort()).toEqual(["Cancelling…", "holiday-2024"]);
});

test("characters that turn the reading direction around are left out of a draft's name before anything is sent", async () => {
  const trick = "gpm.\u202Elaunch\u2069 4pm\u200B";
  const plain = "gpm.launch 4pm";
  await popup.open({ jobs: [makeJob("draft", { fields: { ...makeJob("draft").fields, name: trick } })] });
  await button("Edit").click();
  const name = popup.page.getByLabel("Name", { exact: true });
  await expect.poll(() => name.inputValue()).toBe(plain);
  await button("Start").click();
  await expectAsks().toMatchObject([{ fields: { name: plain } }, { type: "start" }]);
  await name.fill("\u2067turned\u2069");
  await name.blur();
  expect(await name.inputValue()).toBe("turned");
  await expect.poll(async () => (await popup.asks()).at(-1)).toMatchObject({ fields: { name: "turned" } });
});
