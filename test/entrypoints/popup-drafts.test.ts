import { describe, expect, test } from "vitest";
import { makeJob } from "./pages/jobs.ts";
import { actionsOn } from "./pages/popup-actions.ts";
import { usePopup } from "./pages/use-pages.ts";

const popup = usePopup();
const { button } = actionsOn(popup);
/** Opens the form of a draft. */
const edit = (place = 0) => button("Edit").nth(place).click();

describe("a draft", () => {
  const fields = { name: "holiday-2024", staticMp4: false, method: "auto", further: {} };

  test("sends each edit once typing rests, and the last one before it starts", async () => {
    await popup.open({ jobs: [makeJob("draft", { id: "one" })] });
    await edit();
    await popup.page.clock.install();
    await popup.page.clock.pauseAt(Date.now() + 60_000);
    await popup.page.getByLabel("Name").fill("Launch");
    await popup.page.getByLabel("Name").pressSequentially(" video", { delay: 10 });
    await popup.page.clock.runFor(1000);
    await expect.poll(async () => (await popup.asks()).length).toBe(1);
    await popup.page.getByLabel("Make MP4 files").check();
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
    await edit();
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
    await edit();
    await popup.page.getByLabel("Name").fill("Launch video ");
    const echo = { ...job, fields: { ...job.fields, name: "Launch" } };
    await popup.tell({ type: "changed", jobs: [echo, makeJob("queued")] });
    await popup.page.getByText("Queued").waitFor();
    expect(await popup.page.getByLabel("Name").inputValue()).toBe("Launch video ");
  });

  test("shows what another page edited", async () => {
    const job = makeJob("draft", { id: "one" });
    await popup.open({ jobs: [job] });
    await edit();
    await popup.page.getByLabel("Name").blur();
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
    await edit();
    await popup.page.getByLabel("Name").fill("Last words");
    await popup.page.evaluate(() => dispatchEvent(new Event("pagehide")));
    await expect.poll(async () => (await popup.asks())[0]).toMatchObject({ fields: { name: "Last words" } });
  });

  test("of several, all that are right start at once, and the focus goes to the first mistake", async () => {
    await popup.open({ jobs: ["a", "b", "c"].map((id) => makeJob("draft", { id })) });
    for (const place of [0, 1, 2]) await edit(place);
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

  test("takes one line until it is opened, and again once it is closed", async () => {
    await popup.open({ jobs: [makeJob("draft", { id: "one" })] });
    const row = popup.page.locator("#list > li");
    const height = () => row.evaluate((row) => row.getBoundingClientRect().height);
    expect(await height()).toBeLessThan(60);
    expect(await popup.page.locator("#list form").count()).toBe(0);
    await edit();
    expect(await popup.page.getByLabel("Name").evaluate((name) => document.activeElement === name)).toBe(
      true,
    );
    expect(await button("Edit").getAttribute("aria-expanded")).toBe("true");
    await popup.page.getByLabel("Name").fill("Launch");
    await popup.page.keyboard.press("Escape");
    await expect.poll(height).toBeLessThan(60);
    expect(await button("Edit").evaluate((it) => document.activeElement === it)).toBe(true);
    await expect.poll(async () => (await popup.asks())[0]).toMatchObject({ fields: { name: "Launch" } });
  });

  test("isn't closed with a mistake in it", async () => {
    await popup.open({ jobs: [makeJob("draft", { id: "one" })] });
    await edit();
    await popup.page.getByLabel("Name").fill(" ");
    await edit();
    await popup.page.getByText("Enter a name.").waitFor();
    expect(await popup.asks()).toEqual([]);
  });

  test("gets the settings of all at once, and keeps its name", async () => {
    await popup.open({ jobs: ["a", "b"].map((id) => makeJob("draft", { id })) });
    await button("Settings for all").click();
    const form = popup.page.locator("#all-drafts");
    await form.getByLabel("Make MP4 files").check();
    expect(await form.getByLabel("Name").count()).toBe(0);
    expect(await popup.asks()).toEqual([]);
    await form.getByRole("button", { name: "Apply to all" }).click();
    const { name: _, ...settings } = { ...fields, staticMp4: true };
    await expect.poll(() => popup.asks()).toEqual([{ type: "edit-drafts", fields: settings }]);
    expect(await button("Settings for all").evaluate((it) => document.activeElement === it)).toBe(true);
    await popup.tell({ type: "removed", jobIds: ["a"] });
    await button("Settings for all").waitFor({ state: "hidden" });
  });

  test.each([
    ["was uploaded before", { uploadedBefore: Date.now() - 86_400_000 }, "Uploaded yesterday. Upload again?"],
    ["is being uploaded", { duplicateOf: "d" }, "Is being uploaded already. Upload again?"],
  ])("that %s says so, and is not started with the others", async (_, more, sentence) => {
    await popup.open({
      jobs: [...["a", "b"].map((id) => makeJob("draft", { id })), makeJob("draft", { id: "c", ...more })],
    });
    await popup.page.getByText(sentence).waitFor();
    await button("Start all").click();
    await expect.poll(async () => (await popup.asks()).length).toBe(2);
    expect(await popup.asks()).not.toContainEqual({ type: "start", jobId: "c" });
    await button("Upload again").click();
    await expect.poll(async () => (await popup.asks()).at(-1)).toEqual({ type: "start", jobId: "c" });
  });

  test("whose address gives another length asks whether it is the one, and is not started with the others", async () => {
    const { source } = makeJob("draft");
    const pieces = {
      ...source,
      kind: "url" as const,
      pieces: "hls" as const,
      host: "a.example",
      hasPage: true,
    };
    const otherLength = { playedSeconds: 605, foundSeconds: 15 };
    await popup.open({
      jobs: [
        ...["a", "b"].map((id) => makeJob("draft", { id })),
        makeJob("draft", { id: "c", source: pieces, otherLength }),
      ],
    });
    const row = popup.page.locator("li", { hasText: "The video that was found is 0:15" });
    await row.getByText("the one on the page 10:05. It may be a different video.").waitFor();
    await button("Start all").click();
    await expect.poll(async () => (await popup.asks()).length).toBe(2);
    expect(await popup.asks()).not.toContainEqual({ type: "start", jobId: "c" });
    await row.getByRole("button", { name: "Open its page" }).waitFor();
    await row.getByRole("button", { name: "Start", exact: true }).click();
    await expect.poll(async () => (await popup.asks()).at(-1)).toEqual({ type: "start", jobId: "c" });
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
  });
});
