import { expect, test } from "vitest";
import { makeJob } from "../../support/extension/pages/jobs.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, expectAsks, focused, pause, status } = popup;

test("what was removed can be put back as long as it is kept, also by the keyboard", async () => {
  await popup.open({ jobs: ["a", "b"].map((id) => makeJob("failed", { id })), clock: true });
  await pause();
  expect(await button("Undo").isVisible()).toBe(false);
  await popup.tell({ type: "removed", jobIds: ["a"], undoable: 1 });
  await expect.poll(status).toBe("1 upload removed");
  expect(await popup.page.locator("#status").getAttribute("role")).toBe("status");
  expect(await button("Undo").getAttribute("aria-keyshortcuts")).toBe("Control+Z");
  await button("Undo").click();
  await expectAsks().toEqual([{ type: "undo" }]);
  await popup.tell({ type: "removed", jobIds: ["b"], undoable: 2 });
  await expect.poll(status).toBe("2 uploads removed");
  for (const keys of ["z", "Control+Shift+z", "Control+y"]) await popup.page.keyboard.press(keys);
  expect(await button("Undo").isVisible()).toBe(true);
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
