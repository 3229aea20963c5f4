import { expect, test } from "vitest";
import { asset, half, makeJob } from "../../support/extension/pages/jobs.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, expectAsks, focused, row, status } = popup;

test("the list is asked for where the page can't read it, and never called empty meanwhile", async () => {
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

test("progress is drawn into the nodes that are there, and never as 100 % before the service has answered", async () => {
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
