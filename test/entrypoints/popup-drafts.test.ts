import { describe, expect, test } from "vitest";
import { makeJob } from "./pages/jobs.ts";
import { actionsOn } from "./pages/popup-actions.ts";
import { usePopup } from "./pages/use-pages.ts";

const popup = usePopup();
const { button } = actionsOn(popup);

describe("a draft", () => {
  const fields = { name: "holiday-2024", staticMp4: false, method: "auto", further: {} };

  test("sends each edit once typing rests, and the last one before it starts", async () => {
    await popup.open({ jobs: [makeJob("draft", { id: "one" })] });
    await popup.page.clock.install();
    await popup.page.clock.pauseAt(Date.now() + 60_000);
    await popup.page.getByLabel("Name").fill("Launch");
    await popup.page.getByLabel("Name").pressSequentially(" video", { delay: 10 });
    await popup.page.clock.runFor(1000);
    await expect.poll(async () => (await popup.asks()).length).toBe(1);
    await popup.page.getByLabel("MP4 renditions").check();
    await popup.page.clock.runFor(1000);
    await popup.page.getByLabel("Name").fill("Launch video 2");
    await button("Start").click();
    await expect.poll(async () => (await popup.asks()).at(-1)).toEqual({ type: "start", jobId: "one" });
    expect(await popup.asks()).toEqual([
      { type: "edit", jobId: "one", fields: { ...fields, name: "Launch video" } },
      { type: "edit", jobId: "one", fields: { ...fields, name: "Launch video", staticMp4: true } },
      { type: "edit", jobId: "one", fields: { ...fields, name: "Launch video 2", staticMp4: true } },
      { type: "start", jobId: "one" },
    ]);
  });

  test("is not started with a mistake, which is told at its field and gets the focus", async () => {
    await popup.open({ jobs: [makeJob("draft", { id: "one" })] });
    await popup.page.getByText("More", { exact: true }).click();
    await button("Add a profile").click();
    await popup.page.getByLabel("Width").fill("wide");
    await popup.page.getByText("More", { exact: true }).click();
    await button("Start").click();
    const width = popup.page.getByLabel("Width");
    expect(await width.evaluate((input) => document.activeElement === input)).toBe(true);
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

  test("keeps what the person is typing when its own edit comes back", async () => {
    const job = makeJob("draft", { id: "one" });
    await popup.open({ jobs: [job] });
    await popup.page.getByLabel("Name").fill("Launch video ");
    const echo = { ...job, fields: { ...job.fields, name: "Launch" } };
    await popup.tell({ type: "changed", jobs: [echo, makeJob("queued")] });
    await popup.page.getByText("Queued").waitFor();
    expect(await popup.page.getByLabel("Name").inputValue()).toBe("Launch video ");
  });

  test("shows what another page edited", async () => {
    const job = makeJob("draft", { id: "one" });
    await popup.open({ jobs: [job] });
    const name = "From the tab";
    await popup.tell({
      type: "changed",
      jobs: [{ ...job, fields: { ...job.fields, name, profiles: [{ width: 9 }] } }],
    });
    await expect.poll(() => popup.page.getByLabel("Name", { exact: true }).first().inputValue()).toBe(name);
    await popup.page.getByText("More", { exact: true }).click();
    expect(await popup.page.getByLabel("Width").inputValue()).toBe("9");
  });

  test("sends its last edit when the popup closes", async () => {
    await popup.open({ jobs: [makeJob("draft", { id: "one" })] });
    await popup.page.getByLabel("Name").fill("Last words");
    await popup.page.evaluate(() => dispatchEvent(new Event("pagehide")));
    await expect.poll(async () => (await popup.asks())[0]).toMatchObject({ fields: { name: "Last words" } });
  });

  test("of several, all that are right start at once, and the focus goes to the first mistake", async () => {
    await popup.open({ jobs: ["a", "b", "c"].map((id) => makeJob("draft", { id })) });
    await popup.page.getByLabel("Name").nth(1).fill(" ");
    await button("Start all").click();
    await expect.poll(async () => (await popup.asks()).length).toBe(2);
    expect(await popup.asks()).toEqual([
      { type: "start", jobId: "c" },
      { type: "start", jobId: "a" },
    ]);
    expect(
      await popup.page
        .getByLabel("Name")
        .nth(1)
        .evaluate((input) => document.activeElement === input),
    ).toBe(true);
  });

  test("far from the screen gets its form as it comes near, so that the keyboard goes through all", async () => {
    const count = 40;
    await popup.open({
      jobs: Array.from({ length: count }, (_, index) => makeJob("draft", { id: `job${index}` })),
    });
    await expect.poll(() => popup.page.locator("#list > li").count()).toBe(count);
    const forms = popup.page.locator("#list form");
    expect(await forms.count()).toBeLessThan(count);
    await forms.first().getByLabel("Name").focus();
    const names = new Set<string>();
    for (let keys = 0; names.size < count && keys < 10 * count; keys++) {
      const id = await popup.page.evaluate(() => document.activeElement?.id ?? "");
      if (id.endsWith("-name")) names.add(id);
      await popup.page.keyboard.press("Tab");
    }
    expect(names.size).toBe(count);
    expect(await forms.count()).toBe(count);
  });

  test("far from the screen is started with all others", async () => {
    const count = 40;
    await popup.open({
      jobs: Array.from({ length: count }, (_, index) => makeJob("draft", { id: `job${index}` })),
    });
    await expect.poll(() => popup.page.locator("#list > li").count()).toBe(count);
    await button("Start all").click();
    const started = async () =>
      new Set((await popup.asks()).flatMap((ask) => (ask.type === "start" ? [ask.jobId] : [])));
    await expect.poll(async () => (await started()).size).toBe(count);
    expect(await popup.page.locator("#list form").count()).toBeLessThan(count);
  });
});
