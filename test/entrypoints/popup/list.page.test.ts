import { describe, expect, test } from "vitest";
import type { Job } from "../../../entrypoints/shared/job.ts";
import type { OffscreenEvent } from "../../../entrypoints/shared/messages.ts";
import { play } from "../../support/extension/pages/fake-chrome.ts";
import { found, frame, pagesFound } from "../../support/extension/pages/findings.ts";
import { asset, failure, half, makeJob } from "../../support/extension/pages/jobs.ts";
import { actionsOn, hasFocus, video } from "../../support/extension/pages/popup-actions.ts";
import { recordOf, usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, expectAsks, focused, pause, row } = actionsOn(popup);
const status = () => popup.page.getByRole("status").textContent();
const store = (items: Record<string, unknown>) => play(popup.page, "store", items);

describe("the page", () => {
  test("asks for the list where it can't read it, and never calls it empty meanwhile", async () => {
    await popup.open();
    await popup.page.getByText("No uploads yet").waitFor();
    await popup.page.evaluate(async () => {
      const opening = indexedDB.open("upcut", 1000);
      await new Promise((resolve) => {
        opening.onsuccess = resolve;
      });
      opening.result.close();
    });
    await popup.page.reload();
    await expectAsks().toEqual([{ type: "list" }]);
    expect(await popup.page.getByText("No uploads yet").count()).toBe(0);
    await popup.tell({ type: "changed", jobs: [], isWhole: true });
    await popup.page.getByText("No uploads yet").waitFor();
    await popup.tell({ type: "changed", jobs: [makeJob("done", { asset })] });
    await row("holiday-2024").waitFor();
  });

  test("says which stored settings it does without, and leads to the options", async () => {
    const fields = { staticMp4: true, playbackPolicy: "everybody", further: {} };
    await popup.open({ settings: { fields: fields as never } });
    const told = popup.page.getByRole("alert").filter({ hasText: "Default playback policy" });
    await told.waitFor();
    await button("Open options").click();
    await expect.poll(() => popup.calls()).toEqual(["options"]);
    await store({ settings: { address: "https://video.example" } });
    await told.waitFor({ state: "detached" });
  });

  test.each([
    ["the popup", "", 380],
    ["the narrowest side panel", "?panel", 240],
    ["a tab", "?tab=7", 320],
  ])("has one scroll bar in %s, however long its lists are", async (_, query, width) => {
    const videos = Array.from({ length: 30 }, (_, at) => found({ address: `https://a.example/${at}.mp4` }));
    await popup.open({
      query,
      jobs: Array.from({ length: 30 }, () => makeJob("done", { asset })),
      found: [frame([...videos, ...(pagesFound.loops?.[0]?.videos ?? [])])],
    });
    await popup.page.setViewportSize({ width, height: 600 });
    await popup.page.locator("#page-videos-line").click();
    await popup.page.locator("#background-loops-title").click();
    await popup.page.locator("#page-videos-list > li").nth(29).waitFor();
    const scrolling = await popup.page.evaluate(() =>
      [...document.querySelectorAll("*")].flatMap((each) => {
        const { overflowX, overflowY } = getComputedStyle(each);
        const isRoot = each === document.documentElement;
        const aside = each.scrollWidth > each.clientWidth && (isRoot || /auto|scroll/.test(overflowX));
        const down = each.scrollHeight > each.clientHeight && (isRoot || /auto|scroll/.test(overflowY));
        return [aside && "aside", down && "down"].flatMap((way) =>
          way ? `${each.tagName}#${each.id} ${way}` : [],
        );
      }),
    );
    expect(scrolling).toEqual(["HTML# down"]);
  });

  test("breaks a long host's name, and covers no button, in the narrowest side panel", async () => {
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

  test("connects an account at first, and gives way to the list as soon as it is connected", async () => {
    await popup.open({ token: "" });
    await popup.page.getByLabel("Token", { exact: true }).waitFor();
    expect(await button("Choose videos").isVisible()).toBe(false);
    expect(await popup.page.locator("#first-run :is(input, button)").count()).toBe(4);
    await popup.page.getByLabel("Token", { exact: true }).fill("tok-2");
    await button("Connect").click();
    const stored = async () => (await recordOf(popup.page)).storage;
    await expect.poll(stored).toMatchObject({ token: "tok-2" });
    await store({ isUnchecked: false });
    await button("Choose videos").waitFor();
    expect(await popup.page.getByText("No uploads yet").isVisible()).toBe(true);
    expect(await popup.page.getByText("Connect your account").isVisible()).toBe(false);
    const link = popup.page.getByRole("link", { name: "Open in a tab" });
    await expect.poll(() => link.getAttribute("href")).toBe("?tab=7");
  });

  test("has no scroll bars and clips no text in the common case", async () => {
    await popup.open({
      jobs: [makeJob("done", { asset }), makeJob("uploading", { asset, progress: half })],
    });
    await row("holiday-2024").first().waitFor();
    const overflow = await popup.page.evaluate(() =>
      [document.documentElement, document.getElementById("list")].flatMap(
        (each) => each && [each.scrollWidth - each.clientWidth, each.scrollHeight - each.clientHeight],
      ),
    );
    expect(overflow).toEqual([0, 0, 0, 0]);
  });
});

describe("the list", () => {
  test("draws progress into the nodes that are there, and never says 100 % before the service has answered", async () => {
    const job = makeJob("uploading", { asset, progress: half });
    const tell = (more: Partial<typeof job>) => popup.tell({ type: "changed", jobs: [{ ...job, ...more }] });
    await popup.open({ jobs: [job] });
    await button("Pause").focus();
    await popup.page.evaluate(() =>
      Object.assign(globalThis, { bar: document.querySelector("#list progress") }),
    );
    await tell({ progress: { ...half, sent: 43_380_000 } });
    await popup.page.getByText("90% · 1 sec left").waitFor();
    expect(await popup.page.locator("#list .state").getAttribute("title")).toContain(
      "43.3\u00a0of\u00a048.2\u00a0MB",
    );
    const bar = popup.page.getByRole("progressbar", { name: "holiday-2024" });
    expect(await bar.evaluate((bar) => bar === (globalThis as unknown as { bar: Element }).bar)).toBe(true);
    expect(await focused()).toBe("Pause");
    await tell({ progress: { ...half, sent: 48_200_000 } });
    await popup.page.getByText("Finishing…").waitFor();
    expect(await bar.getAttribute("value")).toBe("0.99");
    await tell({ state: "paused" });
    await popup.page.getByText("Paused · 45%").waitFor();
    expect(await focused()).toBe("Continue");
    await expect.poll(status).toBe("holiday-2024: Paused");
  });

  test("leads from a button that goes to the best next step, and stays on one that stays", async () => {
    const job = makeJob("uploading", { id: "one", asset, progress: half });
    const resume = { assetId: asset.id, offset: 16_777_216, possible: true };
    const error = failure("interrupted", { resume, retryable: true });
    const become = async (state: typeof job.state) => {
      const more = state === "failed" ? { error } : {};
      await popup.tell({ type: "changed", jobs: [{ ...job, state, ...more }] });
      await popup.page.locator(`[data-state=${state}]`).waitFor();
      return await focused();
    };
    await popup.open({ jobs: [job] });
    // Whoever presses a key in that moment does nothing worse than that.
    for (const [state, next] of [
      ["failed", "Continue"],
      ["done", "Copy asset id"],
      ["needs-file", "Choose file…"],
    ] as const) {
      await button("Pause").focus();
      expect(await become(state)).toBe(next);
      await become("uploading");
    }
    await button("Cancel").focus();
    for (const state of ["requesting", "paused", "queued"] as const)
      expect(await become(state)).toBe("Cancel");
  });

  test("moves the focus to a neighbour when an upload goes, and at last to the way to begin", async () => {
    await popup.open({
      jobs: ["a", "b"].map((id) =>
        makeJob("cancelled", { id, fields: { ...makeJob("draft").fields, name: id } }),
      ),
    });
    await row("b").getByRole("button", { name: "Remove" }).click();
    await popup.tell({ type: "removed", jobIds: ["b"] });
    await row("b").waitFor({ state: "detached" });
    expect(await hasFocus(row("a").getByRole("button", { name: "Remove" }))).toBe(true);
    await popup.tell({ type: "removed", jobIds: ["a"] });
    await popup.page.getByText("No uploads yet").waitFor();
    expect(await focused()).toBe("Choose videos");
  });

  test("announces the first failure that comes, not one that was there", async () => {
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

  test("that can't be kept is reported with what can be done about it", async () => {
    await popup.open();
    const trouble = popup.page.getByRole("region", { name: "Stored list" });
    await popup.tell({ type: "trouble", trouble: "unreadable" });
    await trouble.getByRole("button", { name: "Start a new list" }).click();
    await popup.tell({ type: "trouble", trouble: "unstored" });
    await trouble.getByRole("alert").filter({ hasText: "can't be stored" }).waitFor();
    expect(await trouble.getByRole("button", { name: "Start a new list" }).isVisible()).toBe(false);
    await button("Try again").press("Enter");
    await popup.tell({ type: "trouble" });
    await trouble.waitFor({ state: "hidden" });
    // The focus of a button that goes with its use stays on the page.
    expect(await focused()).toBe("Choose videos");
    expect(await popup.asks()).toEqual([
      { type: "repair-list", discardStored: true },
      { type: "repair-list", discardStored: false },
    ]);
  });
});

const done = makeJob("done", { asset });
const drafts = [makeJob("draft"), makeJob("draft")];
test.each<[string, Job[], OffscreenEvent]>([
  ["Clear finished", [done, makeJob("queued")], { type: "removed", jobIds: [done.id] }],
  ["Start all", drafts, { type: "changed", jobs: drafts.map((job) => ({ ...job, state: "queued" })) }],
])("the focus of a button that goes with its use stays on the page: %s", async (name, jobs, news) => {
  await popup.open({ jobs });
  await button(name).press("Enter");
  await popup.tell(news);
  await button(name).waitFor({ state: "hidden" });
  // Whoever presses Enter once more stops nothing.
  expect(await focused()).toBe("Choose videos");
});

describe("seconds are counted down", () => {
  test("until a new upload starts, which are said once, and until the next try", async () => {
    await popup.open({ clock: true });
    await pause();
    const now = await popup.page.evaluate(() => Date.now());
    const job = makeJob("queued", { startsAt: now + 5000 });
    const waiting = { reason: "connection", until: now + 59_000, attempt: 1 } as const;
    await popup.page.evaluate(() => {
      const said: string[] = [];
      Object.assign(globalThis, { said });
      const line = document.getElementById("status");
      const note = () => void (line && said.push(line.textContent));
      if (line)
        new MutationObserver(note).observe(line, { childList: true, characterData: true, subtree: true });
    });
    await popup.page.locator("#files").setInputFiles(video);
    await expect.poll(async () => (await popup.asks()).length).toBe(1);
    const [ask] = await popup.asks();
    if (ask?.type !== "files") throw new Error("No files were handed over");
    const waits = makeJob("waiting", { asset, progress: half, waiting });
    await popup.tell({ type: "changed", jobs: [job, waits] });
    await popup.tell({ type: "taken", batch: ask.batch, jobIds: [job.id], startsAt: now + 5000 });
    await expect.poll(status).toBe("1 video added. It starts in 5\u00a0sec.");
    const states = () => popup.page.locator("#list .state").allTextContents();
    const left = async () => (await states()).join().match(/\d+(?=\u00a0sec)/g);
    expect(await left()).toEqual(["5", "59"]);
    // Rows are drawn once a second, at some moment of it.
    await popup.page.clock.runFor(3000);
    await expect.poll(left).toBeOneOf([
      ["3", "57"],
      ["2", "56"],
    ]);
    await popup.page.clock.runFor(3500);
    await expect.poll(async () => (await states())[1]).toMatch(/^Queued/);
    expect(await popup.page.evaluate(() => (globalThis as unknown as { said: string[] }).said)).toEqual([
      "1 video added. It starts in 5\u00a0sec.",
      "",
    ]);
    expect(await button("Start now").count()).toBe(0);
  });

  test("and a new upload that is edited meanwhile opens its form, with the focus in its name", async () => {
    const job = makeJob("queued", { id: "one" });
    await popup.open({ jobs: Array.from({ length: 14 }, () => makeJob("done")), clock: true });
    await pause();
    const startsAt = (await popup.page.evaluate(() => Date.now())) + 5000;
    await popup.tell({ type: "changed", jobs: [{ ...job, startsAt }] });
    await button("Edit").press("Enter");
    await popup.page.clock.runFor(20);
    expect(await popup.asks()).toEqual([{ type: "redraft", jobIds: ["one"] }]);
    await popup.tell({ type: "changed", jobs: [{ ...job, state: "draft" }] });
    await button("Start").waitFor();
    expect(await hasFocus(popup.page.getByLabel("Name", { exact: true }))).toBe(true);
  });
});

test("the review before uploading is turned off where it is on, and leaves other settings alone", async () => {
  await popup.open({ settings: { uploadsAtATime: 7 } });
  const box = popup.page.getByLabel("Review before uploading");
  expect(await box.count()).toBe(0);
  await store({ settings: { address: "https://video.example", reviewFirst: true, uploadsAtATime: 7 } });
  await box.click();
  const stored = async () => (await recordOf(popup.page)).storage.settings;
  await expect.poll(stored).toMatchObject({ reviewFirst: false, uploadsAtATime: 7 });
});

test("uploads that failed for the account are offered together once the token was replaced", async () => {
  const failed = (id: string, code: "unauthorized" | "wrong-address", retryOffered = true) =>
    makeJob("failed", { id, error: failure(code), ...(retryOffered && { retryOffered }) });
  const offer = () => popup.page.getByRole("region", { name: "Failed uploads" });
  const before = ["a", "b", "c"].map((id) => failed(id, "unauthorized", false));
  await popup.open({ jobs: before });
  await row("holiday-2024").first().waitFor();
  expect(await offer().isVisible()).toBe(false);
  await popup.tell({ type: "changed", jobs: before.map((job) => ({ ...job, retryOffered: true })) });
  await offer().getByText("3 uploads failed for the token.").waitFor();
  await expect.poll(status).toContain("3 uploads failed");
  await offer().getByRole("button", { name: "Try again" }).click();
  await expectAsks().toEqual(["c", "b", "a"].map((jobId) => ({ type: "continue", jobIds: [jobId] })));
  await popup.tell({ type: "changed", jobs: ["a", "b", "c"].map((id) => makeJob("queued", { id })) });
  await offer().waitFor({ state: "hidden" });
  expect(await focused()).toBe("Choose videos");
  // They are offered by what they failed for.
  await popup.tell({ type: "changed", jobs: [failed("a", "wrong-address")] });
  await offer().getByText("1 upload failed for the address").waitFor();
  await popup.tell({ type: "changed", jobs: [failed("b", "unauthorized")] });
  await offer().getByText("2 uploads failed for the token or the address").waitFor();
  await popup.tell({ type: "removed", jobIds: ["a"] });
  await offer().getByText("1 upload failed for the token").waitFor();
});
