import { expect, test } from "vitest";
import { drafts, makeJob } from "../../support/extension/pages/jobs.ts";
import { hasFocus } from "../../support/extension/pages/popup-actions.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, expectAsks } = popup;

test("all drafts that are right start at once, and the focus goes to the first mistake", async () => {
  await popup.open({ jobs: drafts("a", "b", "c") });
  for (const place of [0, 1, 2]) await button("Edit").nth(place).click();
  const name = popup.page.getByLabel("Name", { exact: true }).nth(1);
  await name.fill(" ");
  await button("Start all").click();
  await expectAsks().toEqual([{ type: "start", jobIds: ["c", "a"] }]);
  expect(await hasFocus(name)).toBe(true);
});

test("all drafts get their settings at once, and keep their names", async () => {
  await popup.open({ jobs: drafts("a", "b") });
  await button("Settings for all").click();
  const form = popup.page.locator("#all-drafts");
  await form.getByLabel("Make MP4 files").check();
  expect(await form.getByLabel("Name").count()).toBe(0);
  expect(await popup.asks()).toEqual([]);
  await form.getByRole("button", { name: "Apply to all" }).click();
  const { name: _, ...settings } = { ...makeJob("draft").fields, staticMp4: true };
  await expectAsks().toEqual([{ type: "edit-drafts", fields: settings }]);
  expect(await hasFocus(button("Settings for all"))).toBe(true);
  await button("Settings for all").click();
  await form.waitFor();
  await popup.tell({ type: "removed", jobIds: ["a"] });
  await button("Settings for all").waitFor({ state: "hidden" });
  // What is added then is not asked about by a form that nobody opened.
  await popup.tell({ type: "changed", jobs: drafts("c") });
  await button("Settings for all").waitFor();
  expect(await form.count()).toBe(0);
});

test("many that start in a moment are one row", async () => {
  const clock = Date.now();
  const startsAt = clock + 5000;
  await popup.open({ clock, jobs: Array.from({ length: 20 }, () => makeJob("queued", { startsAt })) });
  const list = popup.page.locator("#list > li");
  await expect.poll(() => list.count()).toBe(1);
  expect(await list.innerText()).toContain("20");
});
