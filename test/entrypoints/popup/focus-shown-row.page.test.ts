import { expect, test } from "vitest";
import { asset, makeJob, named } from "../../support/extension/pages/jobs.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, focused, noted, status } = popup;

const note = { batch: "b", kind: "file", jobId: "new", at: 5 };

test("after a dialog the popup takes the person to the new row, and takes the note away", async () => {
  const old = Array.from({ length: 30 }, () => makeJob("done", { asset }));
  await popup.open({
    jobs: [makeJob("queued", { id: "new", startsAt: Date.now() + 60_000, createdAt: 1 }), ...old],
    session: { dialog: note },
  });
  await expect.poll(focused).toBe("holiday-2024");
  await expect.poll(status).toMatch(/^holiday-2024: Queued/);
  expect(await noted()).toBeUndefined();
  const inView = await popup.page.evaluate(() => {
    const { top, bottom } = document.activeElement?.getBoundingClientRect() ?? { top: -1, bottom: 0 };
    return top >= 0 && bottom <= innerHeight;
  });
  expect(inView).toBe(true);
});

test("after a dialog the popup waits for a row that comes later, and leaves the person where they are by then", async () => {
  await popup.open({ session: { dialog: note } });
  await button("Paste a link").focus();
  await popup.tell({ type: "changed", jobs: [makeJob("queued", { id: "new" })] });
  await popup.page.getByText("Queued").waitFor();
  expect(await focused()).toBe("Paste a link");
});

test("after a dialog the popup is as ever where there is no row to show", async () => {
  await popup.open({ session: { dialog: { ...note, jobId: undefined } }, jobs: [makeJob("draft")] });
  await expect.poll(noted).toBeUndefined();
  expect(await popup.page.evaluate(() => document.activeElement === document.body)).toBe(true);
});

test("the page shows the row that a notification told of, with the focus in it", async () => {
  const jobs = Array.from({ length: 60 }, (_, at) =>
    named(makeJob("done", { asset, id: `job-${at}` }), `${at}.`),
  );
  await popup.open({ jobs, query: "?tab=&job=job-3" });
  await expect
    .poll(() => popup.page.evaluate(() => document.activeElement?.closest("li")?.querySelector("h3")?.id))
    .toBe("title-job-3");
  const top = await popup.page.locator("li:focus-within").evaluate((it) => it.getBoundingClientRect().top);
  expect(top).toBeLessThan(700);
});
