import { describe, expect, test } from "vitest";
import type { Job } from "../../../entrypoints/shared/job.ts";
import { drafts, inLanguages, makeJob } from "../../support/extension/pages/jobs.ts";
import { hasFocus } from "../../support/extension/pages/popup-actions.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, lastAsk, pause } = popup;

const edit = (place = 0) => button("Edit").nth(place).click();
const name = (place = 0) => popup.page.getByLabel("Name", { exact: true }).nth(place);

describe("a draft", () => {
  const fields = { name: "holiday-2024", staticMp4: false, method: "auto", further: {} };

  test("sends each edit once typing rests, and the last one before it starts", async () => {
    await popup.open({ jobs: drafts("one"), clock: true });
    await edit();
    await pause();
    await name().fill("Launch");
    await name().pressSequentially(" video", { delay: 10 });
    expect(await popup.asks()).toEqual([]);
    await popup.page.clock.runFor(1000);
    await expect.poll(async () => (await popup.asks()).length).toBe(1);
    await popup.page.getByLabel("Make MP4 files").check();
    await popup.page.clock.runFor(1000);
    await name().fill("Launch video 2");
    await button("Start").click();
    await expect.poll(lastAsk).toEqual({ type: "start", jobIds: ["one"] });
    expect(await popup.asks()).toEqual([
      { type: "edit", jobId: "one", fields: { ...fields, name: "Launch video" } },
      { type: "edit", jobId: "one", fields: { ...fields, name: "Launch video", staticMp4: true } },
      { type: "edit", jobId: "one", fields: { ...fields, name: "Launch video 2", staticMp4: true } },
      { type: "start", jobIds: ["one"] },
    ]);
  });

  test("of a video in several languages offers them, and is edited to the chosen one", async () => {
    const { languages: _, ...unread } = inLanguages;
    const job = makeJob("draft", { id: "one", source: unread });
    await popup.open({ jobs: [job] });
    await edit();
    // What a playlist offers becomes known while the form is open.
    await popup.tell({ type: "changed", jobs: [{ ...job, source: inLanguages }] });
    const sound = popup.page.getByRole("combobox", { name: "Sound", exact: true });
    expect(await sound.inputValue()).toBe("en");
    await sound.selectOption({ label: "German" });
    await expect.poll(lastAsk).toMatchObject({ type: "edit", fields: { language: "de" } });
    await sound.selectOption({ label: "English" });
    await expect.poll(async () => (await popup.asks()).length).toBe(2);
    expect(await lastAsk()).not.toHaveProperty("fields.language");
  });

  test("is not started with a mistake, which is told at its field and gets the focus", async () => {
    await popup.open({ jobs: drafts("one"), clock: true });
    await edit();
    // Edits are sent once typing rests, which a slow machine may take for long.
    await pause();
    await popup.page.getByText("More", { exact: true }).click();
    await button("Add a profile").click();
    const width = popup.page.getByLabel("Width");
    await width.fill("wide");
    await popup.page.getByText("More", { exact: true }).click();
    await button("Start").click();
    expect(await hasFocus(width)).toBe(true);
    expect(await width.getAttribute("aria-invalid")).toBe("true");
    expect(await width.evaluate((input) => input.ariaDescribedByElements?.[0]?.textContent)).toBe(
      "Give a whole number.",
    );
    expect(await popup.asks()).toEqual([]);
    await width.fill("1280");
    await button("Start").click();
    await expect.poll(async () => (await popup.asks()).map(({ type }) => type)).toEqual(["edit", "start"]);
    expect((await popup.asks())[0]).toMatchObject({ fields: { profiles: [{ width: 1280 }] } });
  });

  test("shows what another page edited, but keeps what the person is typing when its own edit comes back", async () => {
    const [job] = drafts("one") as [Job];
    await popup.open({ jobs: [job] });
    await edit();
    await name().fill("Launch video ");
    const echo = { ...job, fields: { ...job.fields, name: "Launch", staticMp4: true } };
    await popup.tell({ type: "changed", jobs: [echo, makeJob("queued")] });
    await popup.page.getByText("Queued").waitFor();
    expect(await name().inputValue()).toBe("Launch video ");
    // What is typed overwrites nothing else that came meanwhile.
    await name().fill("Launch video 2");
    await expect.poll(lastAsk).toMatchObject({ fields: { name: "Launch video 2", staticMp4: true } });
    await name().blur();
    const elsewhere = { ...job.fields, name: "From the tab", profiles: [{ width: 9 }] };
    await popup.tell({ type: "changed", jobs: [{ ...job, fields: elsewhere }] });
    await expect.poll(() => name().inputValue()).toBe("From the tab");
    await popup.page.getByText("More", { exact: true }).click();
    expect(await popup.page.getByLabel("Width").inputValue()).toBe("9");
  });

  test("sends its last edit when the popup closes", async () => {
    await popup.open({ jobs: drafts("one") });
    await edit();
    await name().fill("Last words");
    await popup.page.evaluate(() => dispatchEvent(new Event("pagehide")));
    await expect.poll(lastAsk).toMatchObject({ fields: { name: "Last words" } });
  });

  test("takes one line until it is opened, and again once it is closed, but not with a mistake in it", async () => {
    await popup.open({ jobs: drafts("one") });
    const row = popup.page.locator("#list > li");
    const height = () => row.evaluate((row) => row.getBoundingClientRect().height);
    expect(await height()).toBeLessThan(60);
    expect(await popup.page.locator("#list form").count()).toBe(0);
    await edit();
    expect(await hasFocus(name())).toBe(true);
    expect(await button("Edit").getAttribute("aria-expanded")).toBe("true");
    await name().fill(" ");
    await edit();
    await popup.page.getByText("Enter a name.").waitFor();
    expect(await popup.asks()).toEqual([]);
    await name().fill("Launch");
    await popup.page.keyboard.press("Escape");
    await expect.poll(height).toBeLessThan(60);
    expect(await hasFocus(button("Edit"))).toBe(true);
    await expect.poll(lastAsk).toMatchObject({ fields: { name: "Launch" } });
  });
});
