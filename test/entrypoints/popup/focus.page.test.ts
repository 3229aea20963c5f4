import { expect, test } from "vitest";
import type { Job } from "../../../entrypoints/shared/job.ts";
import type { OffscreenEvent } from "../../../entrypoints/shared/messages.ts";
import { asset, drafts, failure, half, makeJob, named } from "../../support/extension/pages/jobs.ts";
import { hasFocus } from "../../support/extension/pages/popup-actions.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, focused, laidOut, row, rows } = popup;

test("focus moves from a button that goes to the best next step, and stays on one that stays", async () => {
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
  for (const state of ["requesting", "paused", "queued"] as const) expect(await become(state)).toBe("Cancel");
});

test("focus moves to a neighbour when an upload goes, and at last to the way to begin", async () => {
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

const done = makeJob("done", { asset });
const two = drafts("a", "b");
test.each<[string, Job[], OffscreenEvent]>([
  ["Clear finished", [done, makeJob("queued")], { type: "removed", jobIds: [done.id] }],
  ["Start all", two, { type: "changed", jobs: two.map((job) => ({ ...job, state: "queued" })) }],
])("focus stays on the page when its button goes with its use: %s", async (name, jobs, news) => {
  await popup.open({ jobs });
  await button(name).press("Enter");
  await popup.tell(news);
  await button(name).waitFor({ state: "hidden" });
  // Whoever presses Enter once more stops nothing.
  expect(await focused()).toBe("Choose videos");
});

test("focus moves with its row, and the others stay where they are looked at", async () => {
  const jobs = Array.from({ length: 40 }, (_, at) => named(makeJob("queued", { id: `job-${at}` }), `${at}.`));
  await popup.open({ jobs });
  await expect.poll(() => rows().count()).toBe(40);
  await row("30.").getByRole("button", { name: "Pause" }).focus();
  await row("20.").evaluate((it) => it.scrollIntoView({ block: "center" }));
  const place = () => row("20.").evaluate((it) => Math.round(it.getBoundingClientRect().top));
  await laidOut();
  const before = await place();
  await popup.tell({ type: "changed", jobs: [{ ...(jobs[30] as Job), state: "requesting" }] });
  await expect.poll(() => rows().first().getByRole("heading").textContent()).toBe("30.");
  expect(await focused()).toBe("Pause");
  await laidOut();
  expect(Math.abs((await place()) - before)).toBeLessThan(3);
});
