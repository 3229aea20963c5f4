import { describe, expect, test } from "vitest";
import type { Job } from "../../../entrypoints/shared/job.ts";
import { asset, failure, half, inLanguages, makeJob } from "../../support/extension/pages/jobs.ts";
import { actionsOn } from "../../support/extension/pages/popup-actions.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";
import { inAll } from "../../support/in-all.ts";

const popup = usePopup();
const { button, expectAsks, focused, pause, row } = actionsOn(popup);

const named = (job: Job, name: string): Job => ({ ...job, fields: { ...job.fields, name } });
const titles = () => popup.page.locator("#list h3").allTextContents();
const status = () => popup.page.locator("#status").textContent();
const rows = () => popup.page.locator("#list > li");
const laidOut = () =>
  popup.page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );

describe("the head of the list", () => {
  test("says how all uploads stand, and so does the title; a single one says it all itself", async () => {
    const jobs = [
      makeJob("uploading", { asset, progress: half }),
      makeJob("queued"),
      makeJob("done", { asset }),
    ];
    await popup.open({ jobs: jobs.slice(0, 1) });
    await row("holiday-2024").first().waitFor();
    expect(await popup.page.locator("#list-summary").isVisible()).toBe(false);
    expect(await popup.page.title()).toBe("45% · Upcut");
    await popup.tell({ type: "changed", jobs });
    await popup.page.getByText("1 of 3 · 70.1 of 145 MB · 23 sec left").waitFor();
    const bar = popup.page.getByRole("progressbar", { name: "All uploads" });
    expect(Number(await bar.getAttribute("value"))).toBeCloseTo(70.1 / 144.6, 2);
    expect(await popup.page.title()).toBe("48% · Upcut");
    await popup.tell({ type: "changed", jobs: jobs.map((job) => ({ ...job, state: "done", asset })) });
    await bar.waitFor({ state: "hidden" });
    await expect.poll(() => popup.page.title()).toBe("Upcut");
  });

  test("does something for all of them with one command each, where that is of use", async () => {
    const error = failure("unreachable");
    const states = ["paused", "paused", "queued", "queued", "failed", "failed"] as const;
    const jobs = states.map((state, at) =>
      makeJob(state, { id: `${state}-${at}`, ...(state === "failed" && { error }) }),
    );
    const names = ["Pause all", "Continue all", "Try failed again"];
    const others = [makeJob("done", { id: "done" }), makeJob("cancelled")];
    await popup.open({
      jobs: [makeJob("queued", { id: "queued-2" }), makeJob("paused", { id: "paused-0" }), ...others],
    });
    for (const name of names) expect(await button(name).isVisible(), name).toBe(false);
    await popup.tell({ type: "changed", jobs });
    for (const name of [...names, "Clear finished"]) await button(name).click();
    await expectAsks().toEqual([
      { type: "pause", jobIds: ["queued-2", "queued-3"] },
      { type: "continue", jobIds: ["paused-1", "paused-0"] },
      { type: "continue", jobIds: ["failed-5", "failed-4"] },
      { type: "remove", jobIds: ["done"] },
    ]);
  });
});

describe("the order of the list", () => {
  test("moves a row with its focus, and the others stay where they are looked at", async () => {
    const jobs = Array.from({ length: 40 }, (_, at) =>
      named(makeJob("queued", { id: `job-${at}` }), `${at}.`),
    );
    await popup.open({ jobs });
    await expect.poll(() => rows().count()).toBe(40);
    await row("30.").getByRole("button", { name: "Pause" }).focus();
    await row("20.").evaluate((it) => it.scrollIntoView({ block: "center" }));
    const place = () => row("20.").evaluate((it) => Math.round(it.getBoundingClientRect().top));
    await laidOut();
    const before = await place();
    await popup.tell({ type: "changed", jobs: [{ ...(jobs[30] as Job), state: "requesting" }] });
    await expect.poll(async () => (await titles())[0]).toBe("30.");
    expect(await focused()).toBe("Pause");
    await laidOut();
    expect(Math.abs((await place()) - before)).toBeLessThan(3);
  });
});

describe("a finished upload", () => {
  const links = {
    ...asset,
    playbackUrl: "https://play.video.example/9c81/index.m3u8",
    downloadUrl: "https://play.video.example/9c81.mp4",
  };

  test("is a card with its link, and an older one is one line with the rest folded away", async () => {
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
    expect(await older.getByRole("link").count()).toBe(0);
    expect(await older.getByRole("button").count()).toBe(1);
    const inOlder = (name: string) => older.getByRole("button", { name });
    await inOlder("More").press("Enter");
    await popup.page.getByText("can't tell when it is ready").waitFor();
    for (const name of ["Copy link", "Copy asset id", "Copy playback id", "Remove"])
      expect(await inOlder(name).isVisible(), name).toBe(true);
    expect(await older.getByRole("link").allTextContents()).toEqual(["Watch", "Download MP4"]);
    await inOlder("Copy link").press("Escape");
    expect(await inOlder("Copy link").count()).toBe(0);
    expect(await focused()).toBe("More");
  });

  test("no longer says what of the video wasn't taken, but why there is no link to it", async () => {
    const job = makeJob("uploading", { asset: { id: "asset-1" }, source: inLanguages, progress: half });
    await popup.open({ jobs: [job] });
    await rows().getByText("English of 3 languages · without 2 subtitles").waitFor();
    await popup.tell({ type: "changed", jobs: [{ ...job, state: "done" }] });
    await button("More").click();
    await rows().getByText("The service gave no link.").waitFor();
    expect(await rows().innerText()).not.toContain("languages");
  });
});

test("what was removed can be put back as long as it is kept, also by the keyboard", async () => {
  await popup.open({ jobs: ["a", "b"].map((id) => makeJob("failed", { id })), clock: true });
  await pause();
  expect(await button("Undo").isVisible()).toBe(false);
  await popup.tell({ type: "removed", jobIds: ["a"], undoable: 1 });
  await expect.poll(status).toBe("1 upload removed");
  await button("Undo").click();
  await expectAsks().toEqual([{ type: "undo" }]);
  await popup.tell({ type: "removed", jobIds: ["b"], undoable: 2 });
  await expect.poll(status).toBe("2 uploads removed");
  await popup.page.keyboard.press("Control+z");
  await expect.poll(async () => (await popup.asks()).length).toBe(2);
  expect(await button("Undo").isVisible()).toBe(false);
  await popup.tell({ type: "removed", jobIds: ["c"], undoable: 1 });
  await button("Undo").focus();
  await popup.page.clock.runFor(4900);
  expect(await focused()).toBe("Undo");
  await popup.page.clock.runFor(200);
  expect(await button("Undo").isVisible()).toBe(false);
  expect(await focused()).toBe("Choose videos");
});

describe("the list", () => {
  test("shows the row that a notification told of, with the focus in it", async () => {
    const jobs = Array.from({ length: 60 }, (_, at) =>
      named(makeJob("done", { asset, id: `job-${at}` }), `${at}.`),
    );
    await popup.open({ jobs, query: "?tab=&job=job-3" });
    await expect
      .poll(() => popup.page.evaluate(() => document.activeElement?.closest("li")?.querySelector("h3")?.id))
      .toBe("title-job-3");
    const top = await popup.page.locator("li:focus-within").evaluate((it) => it.getBoundingClientRect().top);
    expect(top).toBeLessThan(700);
  });

  test("has no target smaller than 24 pixels", async () => {
    const kinds = ["draft", "queued", "uploading", "failed", "done", "cancelled"] as const;
    await popup.open({ jobs: kinds.map((state) => makeJob(state, { asset })), query: "?tab=7" });
    await button("More").last().click();
    await button("Edit").first().click();
    await popup.page.locator("#history summary").click();
    const small = await popup.page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("button, a, summary, label.check, input, select")]
        .filter((each) => each.checkVisibility() && !each.matches("label input"))
        .flatMap((each) => {
          const { width, height } = each.getBoundingClientRect();
          return width < 24 || height < 24 ? [`${each.outerHTML.slice(0, 80)} ${width} ${height}`] : [];
        }),
    );
    expect(small).toEqual([]);
  });

  inAll("shows every row in sight while hundreds of uploads start and end", async () => {
    const jobs = Array.from({ length: 300 }, (_, place) => makeJob("queued", { asset, createdAt: 1, place }));
    await popup.open({ query: "?tab=7" });
    await popup.page.setViewportSize({ width: 900, height: 1600 });
    await popup.tell({ type: "changed", jobs });
    await expect.poll(() => rows().count()).toBe(jobs.length);
    const blank = await popup.page.evaluate(async (jobs) => {
      const { tell } = globalThis as unknown as { tell(news: unknown): void };
      const frame = () => new Promise(requestAnimationFrame);
      let [blank, seen] = [0, 0];
      for (let at = 0; at < 40; at++) {
        const states = { [at]: "done", [at + 1]: "uploading", [at + 2]: "requesting" };
        const changed = Object.entries(states).map(([at, state]) => ({ ...jobs[Number(at)], state }));
        tell({ type: "changed", jobs: changed });
        await frame();
        for (const title of document.querySelectorAll("#list > li:nth-child(-n + 60) h3")) {
          const { top, bottom } = title.getBoundingClientRect();
          if (bottom < 0 || top > innerHeight) continue;
          seen++;
          if (!title.checkVisibility({ contentVisibilityAuto: true })) blank++;
        }
      }
      return { blank, isSeen: seen > 40 * 15 };
    }, jobs);
    expect(blank).toEqual({ blank: 0, isSeen: true });
  });

  test("of many uploads is drawn a few rows at a time, so that the page answers meanwhile", async () => {
    const count = 200;
    const jobs = Array.from({ length: count }, () => makeJob("queued", { asset }));
    await popup.open({ jobs: jobs.slice(0, 1) });
    await popup.page.evaluate(() => {
      const most = { rows: 0 };
      const drawn = new WeakSet<Node>();
      Object.assign(globalThis, { most });
      new MutationObserver((records) => {
        const changed = records.flatMap(({ type, target, addedNodes }) =>
          type === "attributes" ? [target] : [...addedNodes].filter((node) => !drawn.has(node)),
        );
        const rows = new Set(changed.filter((node) => node instanceof Element && node.matches("#list > li")));
        for (const row of rows) drawn.add(row);
        most.rows = Math.max(most.rows, rows.size);
      }).observe(document.getElementById("list") as Node, {
        childList: true,
        subtree: true,
        attributeFilter: ["data-state"],
      });
    });
    for (const state of ["queued", "paused"] as const) {
      await popup.tell({ type: "changed", jobs: jobs.map((job) => ({ ...job, state })) });
      await expect.poll(() => popup.page.locator(`#list > li[data-state=${state}]`).count()).toBe(count);
    }
    const most = await popup.page.evaluate(() => (globalThis as unknown as { most: object }).most);
    expect(most).toEqual({ rows: 16 });
    expect(await rows().last().getAttribute("aria-labelledby")).toBe(`title-${jobs[0]?.id}`);
  });
});
