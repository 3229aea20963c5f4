import { expect, test } from "vitest";
import { asset, half, makeJob } from "../../support/extension/pages/jobs.ts";
import { hasFocus, video } from "../../support/extension/pages/popup-actions.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, expectAsks, focused, pause, row, status } = popup;

test("within the grace of one are to edit and to remove it, and of many one row that undoes them", async () => {
  const startsAt = Date.now() + 60_000;
  const jobs = [2, 1, 0].map((place) => makeJob("queued", { id: `${place}`, startsAt, createdAt: 1, place }));
  await popup.open();
  // A grace is as long as this at most.
  await popup.page.evaluate((now) => {
    Date.now = () => now;
  }, startsAt - 4000);
  await popup.tell({ type: "changed", jobs: jobs.slice(0, 1) });
  await row("holiday-2024").getByText("Starts in 4 sec").waitFor();
  for (const name of ["Edit", "Remove"]) await row("holiday-2024").getByRole("button", { name }).click();
  await popup.tell({ type: "changed", jobs });
  const all = row("3 videos start in 4 sec");
  await all.waitFor();
  // Nothing else holds what its own row holds.
  expect(await button("Pause all").count()).toBe(0);
  expect(await popup.page.locator("#list > li").count()).toBe(1);
  expect(await all.getByRole("button").allTextContents()).toEqual(["Start now", "Review", "Don't upload"]);
  for (const button of await all.getByRole("button").all()) await button.click();
  const jobIds = ["0", "1", "2"];
  await expectAsks().toEqual([
    ...["redraft", "remove"].map((type) => ({ type, jobIds: ["2"] })),
    ...["start", "redraft", "remove"].map((type) => ({ type, jobIds })),
  ]);
  // Whoever presses Enter while they begin stops nothing.
  await all.getByRole("button", { name: "Start now" }).focus();
  const begun = jobs.map(({ startsAt: _, ...job }) => ({ ...job, state: "uploading" as const }));
  await popup.tell({ type: "changed", jobs: begun });
  await all.waitFor({ state: "detached" });
  expect(await focused()).toBe("holiday-2024");
});

test("seconds are counted down until a new upload starts, which are said once, and until the next try", async () => {
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

test("a new upload that is edited meanwhile opens its form, with the focus in its name", async () => {
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
