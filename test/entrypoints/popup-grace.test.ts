import { describe, expect, test } from "vitest";
import { violationsOf } from "./accessibility.ts";
import { failure, makeJob } from "./pages/jobs.ts";
import { actionsOn } from "./pages/popup-actions.ts";
import { recordOf, usePopup } from "./pages/use-pages.ts";

const popup = usePopup();
const { button, focused, row } = actionsOn(popup);
const inGrace = () => makeJob("queued", { id: "one", startsAt: Date.now() + 5000 });
const status = () => popup.page.getByRole("status").textContent();

describe("a new upload in its grace", () => {
  test("counts the seconds until it starts, which are said once", async () => {
    await popup.open();
    await popup.page.clock.install();
    await popup.page.clock.pauseAt(Date.now() + 60_000);
    const now = await popup.page.evaluate(() => Date.now());
    const job = makeJob("queued", { startsAt: now + 5000 });
    await popup.page.evaluate(() => {
      const said: string[] = [];
      Object.assign(globalThis, { said });
      const line = document.getElementById("status");
      if (line) new MutationObserver(() => said.push(line.textContent)).observe(line, { childList: true });
      document.querySelector<HTMLInputElement>("#files")?.dispatchEvent(new Event("change"));
    });
    await popup.page
      .locator("#files")
      .setInputFiles({ name: "a.mp4", mimeType: "video/mp4", buffer: Buffer.from("a") });
    await expect.poll(async () => (await popup.asks()).length).toBe(1);
    const [ask] = await popup.asks();
    if (ask?.type !== "files") throw new Error("No files were handed over");
    await popup.tell({ type: "changed", jobs: [job] });
    await popup.tell({ type: "taken", batch: ask.batch, jobIds: [job.id], startsAt: now + 5000 });
    await row("holiday-2024").getByText("Starts in 5 sec").waitFor();
    await expect.poll(status).toBe("1 video added. It starts in 5 sec.");
    for (const left of [4, 3, 2, 1]) {
      await popup.page.clock.runFor(1000);
      await row("holiday-2024").getByText(`Starts in ${left} sec`).waitFor();
    }
    await popup.page.clock.runFor(1500);
    await row("holiday-2024").getByText("Queued").waitFor();
    expect(await popup.page.evaluate(() => (globalThis as unknown as { said: string[] }).said)).toEqual([
      "1 video added. It starts in 5 sec.",
      "",
    ]);
    expect(await button("Start now").count()).toBe(0);
  });

  test.each([
    ["Start now", "start"],
    ["Edit", "redraft"],
    ["Remove", "remove"],
  ])("%s: %s", async (name, type) => {
    await popup.open({ jobs: [inGrace()] });
    await button(name).click();
    await expect.poll(() => popup.asks()).toEqual([{ type, jobId: "one" }]);
  });

  test("that is edited opens its form, with the focus in its name", async () => {
    const others = Array.from({ length: 14 }, () => makeJob("done"));
    const job = inGrace();
    await popup.open({ jobs: [...others, job] });
    await button("Edit").press("Enter");
    const { startsAt: _, ...draft } = job;
    await popup.tell({ type: "changed", jobs: [{ ...draft, state: "draft" }] });
    const name = popup.page.getByLabel("Name", { exact: true });
    await name.waitFor();
    expect(await name.evaluate((input) => document.activeElement === input)).toBe(true);
    await button("Start").waitFor();
  });

  test.each(["light", "dark"])("has no axe violations (%s)", async (scheme) => {
    await popup.open({
      jobs: [inGrace(), makeJob("failed", { retryOffered: true, error: failure("unauthorized") })],
      dark: scheme === "dark",
    });
    await button("Start now").waitFor();
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    expect(await violationsOf(popup.page)).toEqual([]);
  });
});

describe("the review before uploading", () => {
  test("is turned on and off beside the way to choose, and leaves other settings alone", async () => {
    await popup.open({ settings: { uploadsAtATime: 7 } });
    const box = popup.page.getByLabel("Review before uploading");
    expect(await box.isChecked()).toBe(false);
    await box.check();
    const stored = async () => (await recordOf(popup.page)).storage.settings;
    await expect.poll(stored).toMatchObject({ reviewFirst: true, uploadsAtATime: 7 });
    await box.uncheck();
    await expect.poll(stored).toMatchObject({ reviewFirst: false, uploadsAtATime: 7 });
  });

  test("shows what was set elsewhere", async () => {
    await popup.open({ settings: { reviewFirst: true } });
    const box = popup.page.getByLabel("Review before uploading");
    await expect.poll(() => box.isChecked()).toBe(true);
    await popup.page.evaluate(() =>
      (globalThis as unknown as { store(more: object): void }).store({
        settings: { address: "https://video.example", reviewFirst: false },
      }),
    );
    await expect.poll(() => box.isChecked()).toBe(false);
  });
});

describe("uploads that failed for the account", () => {
  const failed = (id: string, code: "unauthorized" | "wrong-address", retryOffered = true) =>
    makeJob("failed", { id, error: failure(code), ...(retryOffered && { retryOffered }) });
  const offer = () => popup.page.getByRole("region", { name: "Failed uploads" });

  test("are offered together once the token was replaced", async () => {
    const before = ["a", "b", "c"].map((id) => failed(id, "unauthorized", false));
    await popup.open({ jobs: before });
    await row("holiday-2024").first().waitFor();
    expect(await offer().isVisible()).toBe(false);
    await popup.tell({ type: "changed", jobs: before.map((job) => ({ ...job, retryOffered: true })) });
    await offer().getByText("3 uploads failed for the token.").waitFor();
    await expect.poll(status).toContain("3 uploads failed");
    await offer().getByRole("button", { name: "Try again" }).click();
    await expect
      .poll(() => popup.asks())
      .toEqual(["a", "b", "c"].map((jobId) => ({ type: "continue", jobId })));
    await popup.tell({ type: "changed", jobs: ["a", "b", "c"].map((id) => makeJob("queued", { id })) });
    await offer().waitFor({ state: "hidden" });
    expect(await focused()).toBe("Choose videos");
  });

  test("are offered by what they failed for, also in a popup that is opened later", async () => {
    await popup.open({ jobs: [failed("a", "wrong-address")] });
    await offer().getByText("1 upload failed for the address").waitFor();
    await popup.tell({ type: "changed", jobs: [failed("b", "unauthorized")] });
    await offer().getByText("2 uploads failed for the token or the address").waitFor();
    await popup.tell({ type: "removed", jobIds: ["a"] });
    await offer().getByText("1 upload failed for the token").waitFor();
  });
});
