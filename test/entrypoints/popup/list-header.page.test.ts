import { expect, test } from "vitest";
import { asset, drafts, failure, half, inPieces, makeJob } from "../../support/extension/pages/jobs.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, expectAsks, lastAsk, pause, row } = popup;

/** Waits for the title, which the page writes after its rows are drawn. */
const expectTitle = (title: string) => expect.poll(() => popup.page.title()).toBe(title);

test("the head of the list says how all uploads stand, and so does the title; a single one says it all itself", async () => {
  const jobs = [
    makeJob("uploading", { asset, progress: half }),
    makeJob("queued"),
    makeJob("done", { asset }),
  ];
  await popup.open({ jobs: jobs.slice(0, 1) });
  await row("holiday-2024").first().waitFor();
  expect(await popup.page.locator("#list-summary").isVisible()).toBe(false);
  await expectTitle("45% · Upcut");
  await popup.tell({ type: "changed", jobs });
  await popup.page.getByText("1 of 3 · 70.1 of 145 MB · 23 sec left").waitFor();
  const bar = popup.page.getByRole("progressbar", { name: "All uploads" });
  expect(Number(await bar.getAttribute("value"))).toBeCloseTo(70.1 / 144.6, 2);
  await expectTitle("48% · Upcut");
  await popup.tell({ type: "changed", jobs: jobs.map((job) => ({ ...job, state: "done", asset })) });
  await bar.waitFor({ state: "hidden" });
  await expectTitle("Upcut");
});

test("the links of several finished uploads are copied together, each behind its name", async () => {
  const done = (id: string) =>
    makeJob("done", { id, asset: { id, playbackUrl: `https://play.example/${id}.m3u8` } });
  await popup.open({ jobs: [done("one")] });
  await row("holiday-2024").waitFor();
  expect(await button("Copy all links").count()).toBe(0);
  await popup.tell({ type: "changed", jobs: [done("two"), makeJob("done", { id: "none" })] });
  await button("Copy all links").click();
  await expect.poll(popup.status).toBe("2 links copied");
  expect((await popup.page.evaluate(() => navigator.clipboard.readText())).split("\n").sort()).toEqual(
    ["one", "two"].map((id) => `holiday-2024\thttps://play.example/${id}.m3u8`),
  );
});

test("the head of the list does something for all uploads with one command each, where that is of use", async () => {
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

test("what failed for its former token is tried again with the new one, and what waits for its own is left", async () => {
  const own = { id: "a", name: "video.example", ending: "…aaaa" };
  const failed = (id: string, code: "unauthorized" | "unreachable", isKept = false) =>
    makeJob("failed", {
      id,
      asset,
      account: own,
      otherAccount: { id: "b", isKept },
      error: failure(code),
    });
  await popup.open({
    jobs: [
      failed("token", "unauthorized"),
      failed("line", "unreachable"),
      failed("kept", "unauthorized", true),
    ],
  });
  await button("Try failed again").click();
  await expectAsks().toMatchObject([
    { type: "use-account", jobIds: ["token"], account: { name: "video.example" } },
    { type: "continue", jobIds: ["line"] },
  ]);
});

test("all drafts are removed at once where they are many, and nothing else with them", async () => {
  await popup.open({ jobs: [...drafts("a", "b", "c"), makeJob("queued"), makeJob("done")] });
  await popup.page.getByText("Queued").waitFor();
  const remove = button("Remove all not started");
  expect(await remove.count()).toBe(0);
  await popup.tell({ type: "changed", jobs: drafts("d") });
  await remove.click();
  await expect
    .poll(async () => (await popup.asks()).map((ask) => ("jobIds" in ask ? new Set(ask.jobIds) : ask)))
    .toEqual([new Set(["a", "b", "c", "d"])]);
  expect(await lastAsk()).toMatchObject({ type: "remove" });
});

test("all drafts are started without those that the person is asked about", async () => {
  const otherLength = { playedSeconds: 605, foundSeconds: 15 };
  const asked = [
    makeJob("draft", { id: "before", uploadedBefore: Date.now() - 86_400_000 }),
    makeJob("draft", { id: "twice", duplicateOf: "d" }),
    makeJob("draft", { id: "length", source: inPieces, otherLength }),
  ];
  await popup.open({ jobs: [...drafts("a", "b"), ...asked] });
  const row = (words: string) => popup.page.locator("#list > li", { hasText: words });
  const other = row("The video that was found is 0:15");
  await other.getByText("the one on the page 10:05. It may be a different video.").waitFor();
  await other.getByRole("button", { name: "Open its page" }).waitFor();
  await button("Start all").click();
  await expectAsks().toEqual([{ type: "start", jobIds: ["b", "a"] }]);
  for (const [words, step, jobId] of [
    ["Uploaded yesterday. Upload again?", "Upload again", "before"],
    ["Is being uploaded already. Upload again?", "Upload again", "twice"],
    ["The video that was found is 0:15", "Start", "length"],
  ] as const) {
    await row(words).getByRole("button", { name: step, exact: true }).click();
    await expect.poll(lastAsk).toEqual({ type: "start", jobIds: [jobId] });
  }
  expect(await popup.asks()).toHaveLength(4);
});

test("all drafts are started, also those that have no row yet", async () => {
  const ids = Array.from({ length: 40 }, (_, at) => `job${at}`);
  await popup.open({ clock: true });
  await pause();
  await popup.tell({ type: "changed", jobs: drafts(...ids) });
  await button("Start all").click();
  const started = async () =>
    new Set((await popup.asks()).flatMap((ask) => (ask.type === "start" ? ask.jobIds : [])));
  await expect.poll(async () => (await started()).size).toBe(ids.length);
  expect(await popup.page.locator("#list > li").count()).toBeLessThan(ids.length);
});
