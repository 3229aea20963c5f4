import { expect, test } from "vitest";
import { play } from "../../support/extension/pages/fake-chrome.ts";
import { asset, half, makeJob } from "../../support/extension/pages/jobs.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, focused, pause, store } = popup;

test("nothing can be chosen until the offscreen document answers, and a message is shown when it doesn't", async () => {
  await popup.open({ answers: false, clock: true });
  await pause();
  expect(await button("Choose videos").isDisabled()).toBe(true);
  await popup.page.clock.runFor(10_000);
  const told = popup.page.getByText("Uploads don't respond. What was uploaded is not lost.");
  await told.waitFor();
  await button("Restart Upcut").focus();
  // The uploads were only late.
  await popup.tell({ type: "ready" });
  await told.waitFor({ state: "hidden" });
  expect(await button("Restart Upcut").isVisible()).toBe(false);
  expect(await focused()).toBe("Choose videos");
  expect(await button("Choose videos").isEnabled()).toBe(true);
});

test("a list that can't be kept is reported with what can be done about it", async () => {
  await popup.open();
  expect(await popup.page.locator("#trouble").count()).toBe(0);
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

test("stored settings that can't be used are named, and leads to the options", async () => {
  const fields = { staticMp4: true, playbackPolicy: "everybody", further: {} };
  await popup.open({ settings: { fields: fields as never } });
  const told = popup.page.getByRole("alert").filter({ hasText: "Who may watch" });
  await told.waitFor();
  await button("Open options").click();
  await expect.poll(() => popup.calls()).toEqual(["options"]);
  await store({ settings: { address: "https://video.example" } });
  await told.waitFor({ state: "detached" });
});

test("a permission that is taken back is told while uploads run, with the button that gives it", async () => {
  const jobs = [makeJob("uploading", { asset, progress: half })];
  await popup.open({ jobs });
  await popup.row("holiday-2024").waitFor();
  const told = popup.page.getByRole("alert").filter({ hasText: "lets Upcut reach video.example" });
  expect(await told.count()).toBe(0);
  await play(popup.page, "revoke", "https://video.example/*");
  await told.waitFor();
  await popup.button("Allow video.example").click();
  await told.waitFor({ state: "hidden" });
});
