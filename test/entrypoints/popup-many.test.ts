import { describe, expect, test } from "vitest";
import type { Job } from "../../entrypoints/shared/job.ts";
import { violationsOf } from "./accessibility.ts";
import { asset, failure, half, makeJob, manyJobs } from "./pages/jobs.ts";
import { actionsOn } from "./pages/popup-actions.ts";
import { heaviestTask } from "./pages/tasks.ts";
import { usePopup } from "./pages/use-pages.ts";

/** Share of a task in all that the page does: on a slow machine each takes longer. */
const MOST = 0.25;

const popup = usePopup();
const { button, focused, row } = actionsOn(popup);

const named = (job: Job, name: string): Job => ({ ...job, fields: { ...job.fields, name } });
const titles = () => popup.page.locator("#list h3").allTextContents();
const status = () => popup.page.locator("#status").textContent();

describe("the head of the list", () => {
  test("says how all uploads stand, and so does the title", async () => {
    const jobs = [
      makeJob("uploading", { asset, progress: half }),
      makeJob("queued"),
      makeJob("done", { asset }),
    ];
    await popup.open({ jobs });
    await popup.page.getByText("1 of 3 · 70.1 of 145 MB · 23 sec left").waitFor();
    const bar = popup.page.getByRole("progressbar", { name: "All uploads" });
    expect(Number(await bar.getAttribute("value"))).toBeCloseTo(70.1 / 144.6, 2);
    expect(await popup.page.title()).toBe("48% · Upcut");
    await popup.tell({ type: "changed", jobs: jobs.map((job) => ({ ...job, state: "done", asset })) });
    await bar.waitFor({ state: "hidden" });
    expect(await popup.page.title()).toBe("Upcut");
  });

  test("is not there for a single upload, which says it all itself", async () => {
    await popup.open({ jobs: [makeJob("uploading", { asset, progress: half }), makeJob("draft")] });
    await row("holiday-2024").first().waitFor();
    expect(await popup.page.locator("#list-summary").isVisible()).toBe(false);
    expect(await popup.page.title()).toBe("45% · Upcut");
  });

  test("does something for all of them with one command each, where that is of use", async () => {
    const error = failure("unreachable");
    const jobs = [
      ...["paused", "paused", "queued", "queued"].map((state) => makeJob(state as "paused")),
      ...[1, 2].map(() => makeJob("failed", { error })),
    ];
    await popup.open({ jobs });
    for (const name of ["Pause all", "Continue all", "Try failed again"]) await button(name).click();
    await expect
      .poll(() => popup.asks())
      .toEqual([{ type: "pause-all" }, { type: "continue-all" }, { type: "retry-failed" }]);
    await popup.open({ jobs: [makeJob("queued"), makeJob("paused"), makeJob("done", { asset })] });
    await row("holiday-2024").first().waitFor();
    for (const name of ["Pause all", "Continue all", "Try failed again"])
      expect(await button(name).isVisible(), name).toBe(false);
  });
});

describe("the order of the list", () => {
  test("has what runs first, what has ended last, and changes as uploads do", async () => {
    const [done, draft, queued, failed, running] = (
      ["done", "draft", "queued", "failed", "uploading"] as const
    ).map((state) =>
      named(makeJob(state, { asset, progress: half, error: failure("unreachable") }), state),
    ) as [Job, Job, Job, Job, Job];
    await popup.open({ jobs: [done, draft, queued, failed, running] });
    await expect.poll(titles).toEqual(["uploading", "failed", "queued", "draft", "done"]);
    await popup.tell({
      type: "changed",
      jobs: [
        { ...running, state: "done" },
        { ...draft, state: "queued" },
      ],
    });
    // Of the queue the older one is first, of what has ended the newer one.
    await expect.poll(titles).toEqual(["failed", "draft", "queued", "uploading", "done"]);
    await popup.tell({ type: "changed", jobs: [{ ...queued, movedUpAt: 1 }] });
    await expect.poll(titles).toEqual(["failed", "queued", "draft", "uploading", "done"]);
  });

  test("moves a row with its focus, and the others stay where they are looked at", async () => {
    const jobs = Array.from({ length: 40 }, (_, at) =>
      named(makeJob("queued", { id: `job-${at}` }), `${at}.`),
    );
    await popup.open({ jobs });
    await expect.poll(() => popup.page.locator("#list > li").count()).toBe(40);
    await row("30.").getByRole("button", { name: "Pause" }).focus();
    await row("20.").evaluate((it) => it.scrollIntoView({ block: "center" }));
    const place = () => row("20.").evaluate((it) => Math.round(it.getBoundingClientRect().top));
    await popup.page.waitForTimeout(200);
    const before = await place();
    await popup.tell({ type: "changed", jobs: [{ ...(jobs[30] as Job), state: "requesting" }] });
    await expect.poll(async () => (await titles())[0]).toBe("30.");
    expect(await focused()).toBe("Pause");
    expect(await popup.page.evaluate(() => document.activeElement?.closest("li")?.ariaLabel ?? "")).toBe("");
    await popup.page.waitForTimeout(200);
    expect(Math.abs((await place()) - before)).toBeLessThan(3);
  });
});

describe("a finished upload", () => {
  const links = {
    ...asset,
    playbackUrl: "https://play.video.example/9c81/index.m3u8",
    downloadUrl: "https://play.video.example/9c81.mp4",
  };

  test("is one line, with the best thing to do and the rest folded away", async () => {
    await popup.open({
      jobs: [makeJob("done", { asset: links, outcome: { resent: 0, duration: 12_400, resumed: false } })],
      settings: { playbackPage: "https://watch.example/?v={playbackId}" },
    });
    const li = popup.page.locator("#list > li");
    expect(await li.evaluate((li) => li.getBoundingClientRect().height)).toBeLessThan(60);
    await li.getByText("Uploaded · 48.2 MB").waitFor();
    expect(await li.getByRole("link").allTextContents()).toEqual(["Watch"]);
    expect(await li.getByRole("button").count()).toBe(1);
    await button("More").focus();
    await popup.page.keyboard.press("Enter");
    await popup.page.getByText("can't tell when it is ready").waitFor();
    for (const name of ["Copy link", "Copy asset id", "Copy playback id", "Remove"])
      expect(await button(name).isVisible(), name).toBe(true);
    expect(await li.getByRole("link", { name: "Download MP4" }).isVisible()).toBe(true);
    expect(await violationsOf(popup.page)).toEqual([]);
    await button("Copy link").focus();
    await popup.page.keyboard.press("Escape");
    expect(await button("Copy link").count()).toBe(0);
    expect(await focused()).toBe("More");
  });

  test("offers its link to be copied where that is no page to watch", async () => {
    await popup.open({ jobs: [makeJob("done", { asset: { ...asset, playbackUrl: links.playbackUrl } })] });
    await button("Copy link").waitFor();
    expect(await popup.page.locator("#list a").count()).toBe(0);
  });
});

describe("many ends", () => {
  test("within a moment are one sentence, and one alert", async () => {
    const jobs = Array.from({ length: 13 }, () => makeJob("uploading", { asset, progress: half }));
    await popup.open({ jobs });
    await expect.poll(() => popup.page.locator("#list > li").count()).toBe(13);
    const error = failure("interrupted");
    await popup.tell({
      type: "changed",
      jobs: jobs.map((job, at) => (at < 3 ? { ...job, state: "failed", error } : { ...job, state: "done" })),
    });
    await expect.poll(status).toBe("10 videos uploaded, 3 failed");
    expect(await popup.page.locator("#list [role=alert]").count()).toBe(1);
  });
});

describe("what was removed", () => {
  test("can be put back for some seconds, also by the keyboard", async () => {
    const jobs = [makeJob("failed", { id: "a" }), makeJob("failed", { id: "b" })];
    await popup.open({ jobs });
    await row("holiday-2024").first().waitFor();
    expect(await button("Undo").isVisible()).toBe(false);
    await popup.tell({ type: "removed", jobIds: ["a"], undoable: 1 });
    await expect.poll(status).toBe("1 upload removed");
    await button("Undo").click();
    await expect.poll(() => popup.asks()).toEqual([{ type: "undo" }]);
    await popup.tell({ type: "removed", jobIds: ["b"], undoable: 2 });
    await expect.poll(status).toBe("2 uploads removed");
    await popup.page.keyboard.press("Control+z");
    await expect.poll(async () => (await popup.asks()).length).toBe(2);
    expect(await button("Undo").isVisible()).toBe(false);
    await popup.tell({ type: "removed", jobIds: ["c"] });
    expect(await button("Undo").isVisible()).toBe(false);
  });

  test("is offered no longer than it is kept", async () => {
    await popup.open({ jobs: [makeJob("failed", { id: "a" }), makeJob("failed", { id: "b" })] });
    await popup.page.clock.install();
    await popup.tell({ type: "removed", jobIds: ["a"], undoable: 1 });
    await button("Undo").focus();
    await popup.page.clock.fastForward(5100);
    await button("Undo").waitFor({ state: "hidden" });
    expect(await focused()).toBe("Choose videos");
  });

  test("leaves cancelled uploads, which are no reason to clear what is finished", async () => {
    await popup.open({ jobs: [makeJob("cancelled")] });
    await row("holiday-2024").waitFor();
    expect(await button("Clear finished").isVisible()).toBe(false);
  });
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
    expect(
      await row("3.")
        .last()
        .evaluate((it) => it.getBoundingClientRect().top < innerHeight),
    ).toBe(true);
  });

  test("has no target smaller than 24 pixels", async () => {
    const kinds = ["draft", "queued", "uploading", "failed", "done", "cancelled"] as const;
    await popup.open({ jobs: kinds.map((state) => makeJob(state, { asset })), query: "?tab=7" });
    await button("More").click();
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

  test("of a thousand uploads answers while it is built and while all of them change", async () => {
    const jobs = manyJobs(1000);
    await popup.open({ jobs: [] });
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    const rows = popup.page.locator("#list > li");
    // It takes the page long to be given a thousand of them by the test.
    const keepNews = (jobs: Job[]) =>
      popup.page.evaluate((jobs) => void Object.assign(globalThis, { news: jobs }), jobs);
    const tellNews = () =>
      popup.page.evaluate(() => {
        const { tell, news: jobs } = globalThis as unknown as { tell(event: object): void; news: Job[] };
        tell({ type: "changed", jobs });
      });
    await keepNews(jobs);
    const building = await heaviestTask(popup.page, async () => {
      await tellNews();
      await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(1000);
    });
    const paused = popup.page.locator('#list > li[data-state="paused"]');
    const pausable = jobs.filter(({ state }) => state === "queued" || state === "paused");
    await keepNews(jobs.map((job) => (job.state === "queued" ? { ...job, state: "paused" } : job)));
    const changing = await heaviestTask(popup.page, async () => {
      await tellNews();
      await expect.poll(() => paused.count(), { timeout: 60_000 }).toBe(pausable.length);
    });
    for (const { milliseconds, share } of [building, changing]) {
      console.log(
        `The heaviest task of a thousand uploads: ${milliseconds} ms, ${Math.round(share * 100)} %`,
      );
      expect(share).toBeLessThan(MOST);
    }
  }, 120_000);
});
