import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Asset } from "../../../core/mod.ts";
import { type Job, STATES } from "../../../entrypoints/shared/job.ts";
import { asset, failure, half, inLanguages, makeJob } from "../../support/extension/pages/jobs.ts";
import { hasFocus } from "../../support/extension/pages/popup-actions.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";
import { isAll } from "../../support/in-all.ts";

const popup = usePopup();
const { button, expectAsks, focused, row, rows } = popup;

const links = {
  ...asset,
  playbackUrl: "https://play.video.example/9c81/index.m3u8",
  downloadUrl: "https://play.video.example/9c81.mp4",
};
const running = () => makeJob("uploading", { id: "one", asset, progress: half });
const settings = { playbackPage: "https://watch.example/?v={playbackId}&a={assetId}" };
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
    // The row comes right by itself once it can be drawn.
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

test("a row breaks a long host's name, and covers no button, in the narrowest side panel", async () => {
  const playbackUrl = "https://video.example/watch";
  const jobs = [
    makeJob("done", { asset: { ...asset, playbackUrl } }),
    makeJob("done", { asset }),
    makeJob("draft"),
    makeJob("uploading", { asset, progress: half }),
    makeJob("needs-permission", {
      needs: { permission: "host", origin: "https://uploads.southamerica.video.example" },
    }),
  ];
  await popup.open({ query: "?panel", jobs });
  await popup.page.setViewportSize({ width: 240, height: 1000 });
  await row("holiday-2024")
    .nth(jobs.length - 1)
    .waitFor();
  expect(await popup.page.evaluate("document.documentElement.scrollWidth")).toBe(240);
  const buttons = await popup.page.evaluate(() =>
    [...document.querySelectorAll("#list :is(button, a)")].map((each) => {
      const { left, top, width, height } = each.getBoundingClientRect();
      const above = document.elementFromPoint(left + width / 2, top + height / 2);
      return {
        name: each.getAttribute("aria-label") ?? each.textContent,
        isCovered: !each.contains(above),
      };
    }),
  );
  expect(buttons.length).toBeGreaterThan(jobs.length);
  expect(buttons.filter(({ isCovered }) => isCovered)).toEqual([]);
});

test("the first failure that comes is announced, not one that was there", async () => {
  const error = failure("interrupted", { retryable: true });
  const jobs = [1, 2].map(() => makeJob("uploading", { asset, progress: half }));
  await popup.open({ jobs: [makeJob("failed", { error }), ...jobs] });
  await popup.page.getByText("lost too often").waitFor();
  const alert = popup.page.getByRole("alert").filter({ hasText: "lost too often" });
  expect(await alert.count()).toBe(0);
  await popup.tell({ type: "changed", jobs: jobs.map((job) => ({ ...job, state: "failed", error })) });
  await expect.poll(() => popup.page.locator("#list > [data-state=failed]").count()).toBe(3);
  expect(await alert.count()).toBe(1);
});

test("a finished upload is a card with its link, and an older one is one line with the rest folded away", async () => {
  const done = { asset: links, outcome: { resent: 0, duration: 12_400, resumed: false } };
  await popup.open({
    jobs: [makeJob("done", done), makeJob("done", done)],
    settings: { playbackPage: "https://watch.example/?v={playbackId}" },
  });
  const [card, older] = [rows().nth(0), rows().nth(1)];
  await card.getByText("Uploaded · 48.2 MB").waitFor();
  expect(await card.getByRole("link").allTextContents()).toEqual(["Watch"]);
  expect(await card.locator(".buttons button").allTextContents()).toEqual(["Copy link"]);
  expect(await older.evaluate((li) => li.getBoundingClientRect().height)).toBeLessThan(60);
  expect(await older.getByRole("link", { name: "Watch" }).isVisible()).toBe(true);
  expect(await older.getByRole("button").count()).toBe(2);
  const inOlder = (name: string) => older.getByRole("button", { name });
  await inOlder("More").press("Enter");
  await popup.page.getByText("can't tell when it is ready").waitFor();
  for (const name of ["Copy link", "Copy asset id", "Copy playback id", "Remove"])
    expect(await inOlder(name).isVisible(), name).toBe(true);
  expect(await older.getByRole("link").allTextContents()).toEqual(["", "Download MP4"]);
  await inOlder("Copy asset id").press("Escape");
  expect(await inOlder("Copy asset id").count()).toBe(0);
  expect(await focused()).toBe("More");
});

test("the link of an upload stays from the moment that its asset exists", async () => {
  const job = makeJob("uploading", { asset: links, progress: half });
  const older = makeJob("done", { asset: links });
  await popup.open({ jobs: [older, job] });
  const working = { processing: { since: Date.now(), stage: "working" as const } };
  for (const state of ["uploading", "waiting", "paused", "failed", "done"] as const) {
    const error = state === "failed" && { error: failure("interrupted") };
    const now = { ...job, state, ...error, ...(state === "done" && working) };
    await popup.tell({ type: "changed", jobs: [now, { ...older, ...working }] });
    for (const row of [rows().first(), rows().last()]) {
      await row.getByRole("button", { name: "Copy link" }).waitFor();
      await row.getByRole("link", { name: "Watch" }).waitFor();
    }
  }
});

test("a finished upload no longer says what of the video wasn't taken, but why there is no link to it", async () => {
  const job = makeJob("uploading", { asset: { id: "asset-1" }, source: inLanguages, progress: half });
  await popup.open({ jobs: [job] });
  await rows().getByText("English of 3 languages · without 2 subtitles").waitFor();
  await popup.tell({ type: "changed", jobs: [{ ...job, state: "done" }] });
  await button("More").click();
  await rows().getByText("The service gave no link.").waitFor();
  expect(await rows().innerText()).not.toContain("languages");
});

test("cancelling what was begun asks first, and starts with the harmless answer", async () => {
  await popup.open({ jobs: [running()] });
  const group = popup.page.getByRole("group", { name: "End this upload?" });
  for (const key of ["Enter", "Escape"]) {
    await button("Cancel").click();
    for (const name of ["Keep uploading", "End the upload"]) {
      const answer = group.getByRole("button", { name });
      expect(
        await answer.evaluate((it) => it.ariaDescribedByElements?.map(({ textContent }) => textContent)),
      ).toEqual([expect.stringContaining("End this upload?"), "holiday-2024"]);
    }
    expect(await focused()).toBe("Keep uploading");
    await popup.page.keyboard.press(key);
    await group.waitFor({ state: "detached" });
    expect(await hasFocus(button("Cancel"))).toBe(true);
  }
  await button("Cancel").click();
  await button("End the upload").click();
  await expectAsks().toEqual([{ type: "cancel", jobId: "one" }]);
});

test("the question stays, with the focus in it, whatever becomes of the upload and others meanwhile", async () => {
  const others = Array.from({ length: 3 }, (_, at) => makeJob("queued", { id: `other-${at}`, place: at }));
  await popup.open({ jobs: [running(), ...others] });
  await row("holiday-2024").first().getByRole("button", { name: "Cancel" }).click();
  const needs = { permission: "file" } as const;
  const states = ["waiting", "paused", "requesting", "needs-permission", "uploading"] as const;
  for (const [at, state] of states.entries()) {
    const other = others[at % others.length];
    await popup.tell({
      type: "changed",
      jobs: [
        { ...running(), state, needs, thumbnail: "data:image/png;base64," },
        ...(other === undefined ? [] : [{ ...other, state: at % 2 === 0 ? "uploading" : "done" } as const]),
      ],
    });
    const asked = popup.page.locator(`[data-state=${state}]`).getByRole("group");
    await asked.filter({ hasText: "End this upload?" }).waitFor();
    expect(await focused()).toBe("Keep uploading");
  }
  await popup.tell({ type: "changed", jobs: [{ ...running(), state: "done" }] });
  await popup.page.getByText("End this upload?").waitFor({ state: "detached" });
  expect(await focused()).not.toBe("Pause");
});

test("an upload says what its pieces lack, also when it is finished", async () => {
  const source = { ...inLanguages, lacking: 4.2 };
  const job = makeJob("uploading", { asset: { id: "asset-1" }, source, progress: half });
  await popup.open({ jobs: [job] });
  await rows().getByText("Missing on its site: 0:05").waitFor();
  await popup.tell({ type: "changed", jobs: [{ ...job, state: "done" }] });
  await button("More").waitFor();
  expect(await rows().innerText()).toContain("Missing on its site: 0:05");
});
