import { describe, expect, test } from "vitest";
import type { StoredJob } from "../../entrypoints/shared/job.ts";
import { violationsOf } from "./accessibility.ts";
import { asset, failure, half, makeJob, states } from "./pages/jobs.ts";
import { actionsOn } from "./pages/popup-actions.ts";
import { usePopup } from "./pages/use-pages.ts";

const popup = usePopup();
const { button, focused, row } = actionsOn(popup);

describe("the list", () => {
  test("draws progress into the nodes that are there, and the focus stays", async () => {
    const job = makeJob("uploading", { asset, progress: half });
    await popup.open({ jobs: [job] });
    await button("Pause").focus();
    await popup.page.evaluate(() =>
      Object.assign(globalThis, { bar: document.querySelector("#list progress") }),
    );
    await popup.tell({ type: "changed", jobs: [{ ...job, progress: { ...half, sent: 43_380_000 } }] });
    await popup.page.getByText("43.3 of 48.2 MB").waitFor();
    const bar = popup.page.getByRole("progressbar", { name: "holiday-2024" });
    expect(await bar.evaluate((bar) => bar === (globalThis as unknown as { bar: Element }).bar)).toBe(true);
    expect(await focused()).toBe("Pause");
    await popup.tell({ type: "changed", jobs: [{ ...job, state: "paused" }] });
    await popup.page.getByText("Paused · 21.9 of 48.2 MB").waitFor();
    expect(await focused()).toBe("Continue");
    await expect.poll(() => popup.page.locator("#status").textContent()).toBe("holiday-2024: Paused");
  });

  test.each([
    ["failed", "Continue"],
    ["done", "Copy asset id"],
    ["needs-file", "Choose file…"],
  ] as const)(
    "leads from a button that goes to the best next step where an upload is %s",
    async (state, next) => {
      const job = makeJob("uploading", { id: "one", asset, progress: half });
      await popup.open({ jobs: [job] });
      await button("Pause").focus();
      const resume = { assetId: asset.id, offset: 16_777_216, possible: true };
      const error = failure("interrupted", { resume, retryable: true });
      await popup.tell({ type: "changed", jobs: [{ ...job, state, ...(state === "failed" && { error }) }] });
      await popup.page.locator(`[data-state=${state}]`).waitFor();
      // Whoever presses a key in that moment does nothing worse than that.
      expect(await focused()).toBe(next);
    },
  );

  test("leaves the focus on a button that stays while others come and go", async () => {
    const job = makeJob("queued", { id: "one" });
    await popup.open({ jobs: [job] });
    await button("Cancel").focus();
    for (const state of ["requesting", "uploading", "paused"] as const) {
      await popup.tell({ type: "changed", jobs: [{ ...job, state, progress: half }] });
      await popup.page.locator(`[data-state=${state}]`).waitFor();
      expect(await focused()).toBe("Cancel");
    }
  });

  test("never says 100 % before the service has answered", async () => {
    const job = makeJob("uploading", { asset, progress: { ...half, sent: 48_200_000 } });
    await popup.open({ jobs: [job] });
    await popup.page.getByText("Finishing…").waitFor();
    expect(await popup.page.getByRole("progressbar").getAttribute("value")).toBe("0.99");
  });

  test("counts down to the next try", async () => {
    const waiting = { reason: "connection", until: Date.now() + 59_000, attempt: 1 } as const;
    await popup.open({ jobs: [makeJob("waiting", { asset, progress: half, waiting })] });
    const told = popup.page.getByText("Trying again in");
    const seconds = async () => Number(/in (\d+) sec/.exec((await told.textContent()) ?? "")?.[1]);
    const first = await seconds();
    expect(first).toBeGreaterThan(0);
    await expect.poll(seconds).toBeLessThan(first - 1);
  });

  test("moves the focus to a neighbour when an upload goes, and at last to the way to begin", async () => {
    await popup.open({
      jobs: ["a", "b"].map((id) =>
        makeJob("cancelled", { id, fields: { ...makeJob("draft").fields, name: id } }),
      ),
    });
    await row("b").getByRole("button", { name: "Remove" }).click();
    await popup.tell({ type: "removed", jobIds: ["b"] });
    await expect.poll(() => row("b").count()).toBe(0);
    expect(
      await row("a")
        .getByRole("button", { name: "Remove" })
        .evaluate((it) => document.activeElement === it),
    ).toBe(true);
    await popup.tell({ type: "removed", jobIds: ["a"] });
    await popup.page.getByText("No uploads yet").waitFor();
    expect(await focused()).toBe("Choose videos");
  });

  test("puts new uploads first", async () => {
    const [older, newer] = [makeJob("draft", { id: "older" }), makeJob("draft", { id: "newer" })];
    await popup.open({ jobs: [older] });
    await row("holiday-2024").waitFor();
    await popup.tell({ type: "changed", jobs: [newer] });
    await expect.poll(() => popup.page.getByRole("listitem").count()).toBe(2);
    expect(await popup.page.getByRole("heading", { level: 3 }).first().getAttribute("id")).toBe(
      "title-newer",
    );
  });

  test("announces a failure that comes, not one that was there", async () => {
    const error = failure("interrupted", { retryable: true });
    const job = makeJob("uploading", { asset, progress: half });
    await popup.open({ jobs: [makeJob("failed", { error }), job] });
    await popup.page.getByText("lost too often").waitFor();
    expect(await popup.page.getByRole("alert").filter({ hasText: "lost too often" }).count()).toBe(0);
    await popup.tell({ type: "changed", jobs: [{ ...job, state: "failed", error }] });
    await popup.page.getByRole("alert").filter({ hasText: "lost too often" }).waitFor();
  });

  test("never shows what only the store may know", async () => {
    const entry = { location: "https://upload.example/?token=secret" };
    await popup.open({
      jobs: [makeJob("paused", { asset, journal: { key: "k", entry } } as unknown as Partial<StoredJob>)],
    });
    await row("holiday-2024").waitFor();
    expect(await popup.page.content()).not.toContain("secret");
  });

  test("shows each of a thousand uploads, and what changes about each of them", async () => {
    const jobs = Array.from({ length: 1000 }, () => makeJob("uploading", { asset, progress: half }));
    await popup.open({ jobs });
    const rows = popup.page.getByRole("listitem");
    await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(1000);
    expect(await popup.page.locator("#list > li").last().getAttribute("aria-labelledby")).toBe(
      `title-${jobs[0]?.id}`,
    );
    const news = jobs.map((job) => ({ ...job, progress: { ...half, sent: 43_380_000 } }));
    await popup.tell({ type: "changed", jobs: news });
    const changed = popup.page.locator("#list .state", { hasText: "43.3 of 48.2 MB" });
    await expect.poll(() => changed.count(), { timeout: 60_000 }).toBe(1000);
  }, 120_000);
});

describe("a list that can't be kept", () => {
  test("is reported with what can be done about it, without axe violations", async () => {
    await popup.open({ jobs: states.mixed?.() ?? [] });
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    const trouble = popup.page.getByRole("region", { name: "Stored list" });
    await popup.tell({ type: "trouble", trouble: "unstored" });
    await trouble.getByRole("alert").filter({ hasText: "can't be stored" }).waitFor();
    expect(await trouble.getByRole("button", { name: "Start a new list" }).isVisible()).toBe(false);
    await trouble.getByRole("button", { name: "Try again" }).click();
    await popup.tell({ type: "trouble", trouble: "unreadable" });
    await trouble.getByRole("button", { name: "Start a new list" }).click();
    expect(await violationsOf(popup.page)).toEqual([]);
    expect(await popup.asks()).toEqual([
      { type: "repair-list", discardStored: false },
      { type: "repair-list", discardStored: true },
    ]);
    await popup.tell({ type: "trouble" });
    await trouble.waitFor({ state: "hidden" });
  });
});

describe("the focus of a button that goes with its use is kept on the page", () => {
  test("when the finished are cleared", async () => {
    const done = makeJob("done", { asset });
    await popup.open({ jobs: [done, makeJob("queued")] });
    await button("Clear finished").press("Enter");
    await popup.tell({ type: "removed", jobIds: [done.id] });
    await button("Clear finished").waitFor({ state: "hidden" });
    expect(await focused()).toBe("Choose videos");
  });

  test("when all drafts are started", async () => {
    const drafts = [makeJob("draft"), makeJob("draft")];
    await popup.open({ jobs: drafts });
    await button("Start all").press("Enter");
    await popup.tell({ type: "changed", jobs: drafts.map((job) => ({ ...job, state: "queued" })) });
    await button("Start all").waitFor({ state: "hidden" });
    expect(await focused()).toBe("Pause all");
  });

  test("when the list can be stored again", async () => {
    await popup.open();
    await popup.tell({ type: "trouble", trouble: "unstored" });
    await button("Try again").press("Enter");
    await popup.tell({ type: "trouble" });
    await button("Try again").waitFor({ state: "hidden" });
    expect(await focused()).toBe("Choose videos");
  });
});
