import { describe, expect, test } from "vitest";
import type { DialogNote } from "../../../entrypoints/shared/dialog-note.ts";
import { found, frame } from "../../support/extension/pages/findings.ts";
import { asset, half, makeJob } from "../../support/extension/pages/jobs.ts";
import { actionsOn, video } from "../../support/extension/pages/popup-actions.ts";
import { recordOf, usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, expectAsks, focused, paste, pause } = actionsOn(popup);
const noted = async () => (await recordOf(popup.page)).session.dialog as DialogNote | undefined;
const askFirst = async (name: string) => {
  const [chooser] = await Promise.all([popup.page.waitForEvent("filechooser"), button(name).click()]);
  return chooser;
};
/** The browser ends the popup with its question. */
const endWithQuestion = () =>
  popup.page.evaluate(() => {
    chrome.permissions.request = () => new Promise(() => {});
  });

describe("before a dialog that may end the popup", () => {
  test("choosing files is noted, the files carry the note's name, and a dialog that is left is told", async () => {
    await popup.open({ clock: true });
    await pause();
    const chooser = await askFirst("Choose videos");
    const note = await noted();
    expect(note).toMatchObject({ kind: "file", windowId: 1 });
    await chooser.setFiles(video);
    await expectAsks().toMatchObject([{ type: "files", batch: note?.batch }]);
    expect(await noted()).toEqual(note);
    // It has not ended after all.
    await popup.page.clock.runFor(1000);
    await expect.poll(noted).toBeUndefined();
    await askFirst("Choose videos");
    const batch = (await noted())?.batch;
    await popup.page
      .locator("#files")
      .evaluate((input) => input.dispatchEvent(new Event("cancel", { bubbles: true })));
    await expect.poll(async () => (await popup.asks())[1]).toEqual({ type: "dialog-left", batch });
    await popup.page.clock.runFor(1000);
    await expect.poll(noted).toBeUndefined();
  });

  test("choosing a lost file again, and a question for a host, are noted with their upload", async () => {
    const needs = { permission: "host", origin: "https://upload.example" } as const;
    await popup.open({
      jobs: [
        makeJob("needs-file", { id: "one", asset, progress: half }),
        makeJob("needs-permission", { id: "two", asset, needs }),
      ],
    });
    await askFirst("Choose file…");
    expect(await noted()).toMatchObject({ kind: "file", jobId: "one" });
    await endWithQuestion();
    await button("Allow this host").click();
    await expect.poll(noted).toMatchObject({ kind: "host", jobId: "two", windowId: 1 });
  });

  test("a question about videos that were handed over is noted by their batch", async () => {
    await popup.open({ found: [frame([found()])] });
    await paste("https://cdn.example/video.mp4");
    // One that the browser doesn't ask leaves no note.
    await expect.poll(async () => (await recordOf(popup.page)).requests.length).toBe(1);
    await expect.poll(noted).toBeUndefined();
    await endWithQuestion();
    await paste("https://cdn2.example/video.mp4");
    await expect.poll(async () => (await popup.asks()).length).toBe(2);
    expect((await popup.asks())[1]).toMatchObject({ batch: (await noted())?.batch });
    await popup.page.locator("#upload-picked").click();
    await expect.poll(async () => (await popup.asks()).length).toBe(3);
    expect((await popup.asks())[2]).toMatchObject({ type: "addresses", batch: (await noted())?.batch });
  });

  test.each(["?tab=7", "?panel"])("nothing is noted in %s, which no dialog ends", async (query) => {
    await popup.open({ query });
    expect(await button("Open in the side panel").isVisible()).toBe(false);
    await endWithQuestion();
    await paste("https://cdn.example/video.mp4");
    await popup.page.locator("#files").setInputFiles(video);
    await expect.poll(async () => (await popup.asks()).length).toBe(2);
    expect(await noted()).toBeUndefined();
  });
});

describe("the popup that is opened after a dialog", () => {
  const note = { batch: "b", kind: "file", jobId: "new", at: 5 };

  test("takes the person to the new row, and takes the note away", async () => {
    const old = Array.from({ length: 30 }, () => makeJob("done", { asset }));
    await popup.open({
      jobs: [makeJob("queued", { id: "new", startsAt: Date.now() + 60_000, createdAt: 1 }), ...old],
      session: { dialog: note },
    });
    await expect.poll(focused).toBe("holiday-2024");
    await expect.poll(() => popup.page.getByRole("status").textContent()).toMatch(/^holiday-2024: Queued/);
    expect(await noted()).toBeUndefined();
    const inView = await popup.page.evaluate(() => {
      const { top, bottom } = document.activeElement?.getBoundingClientRect() ?? { top: -1, bottom: 0 };
      return top >= 0 && bottom <= innerHeight;
    });
    expect(inView).toBe(true);
  });

  test("waits for a row that comes later, and leaves the person where they are by then", async () => {
    await popup.open({ session: { dialog: note } });
    await button("Paste a link").focus();
    await popup.tell({ type: "changed", jobs: [makeJob("queued", { id: "new" })] });
    await popup.page.getByText("Queued").waitFor();
    expect(await focused()).toBe("Paste a link");
  });

  test("is as ever where there is no row to show", async () => {
    await popup.open({ session: { dialog: { ...note, jobId: undefined } }, jobs: [makeJob("draft")] });
    await expect.poll(noted).toBeUndefined();
    expect(await popup.page.evaluate(() => document.activeElement === document.body)).toBe(true);
  });
});

describe("the side panel", () => {
  type Events = { tabEvents: Record<"activated" | "updated", { fire(...all: unknown[]): void }> };
  const fire = (event: "activated" | "updated", ...all: unknown[]) =>
    popup.page.evaluate(([event, all]) => (globalThis as unknown as Events).tabEvents[event].fire(...all), [
      event,
      all,
    ] as const);

  test("is opened from the popup, in whose place it is", async () => {
    await popup.open();
    await button("Open in the side panel").click();
    await expect.poll(() => popup.calls()).toEqual(["panel 1"]);
    await expect.poll(async () => (await recordOf(popup.page)).closed).toBe(1);
  });

  test("looks for the videos of the tab in front, also of the next one, and takes no focus", async () => {
    await popup.open({ query: "?panel", found: [frame([found()])] });
    await popup.page.locator("#page-videos-line").click();
    await popup.page.getByRole("checkbox", { name: "Launch day" }).waitFor();
    await button("Paste a link").focus();
    const looks = () => popup.page.evaluate(() => (globalThis as unknown as { looks: number[] }).looks);
    await popup.page.evaluate(() => {
      const looks: number[] = [];
      Object.assign(globalThis, { looks });
      const { executeScript } = chrome.scripting;
      chrome.scripting.executeScript = ((injection: chrome.scripting.ScriptInjection<[], unknown>) => {
        looks.push(injection.target.tabId);
        return executeScript(injection);
      }) as typeof executeScript;
    });
    await fire("activated", { tabId: 8, windowId: 1 });
    await fire("activated", { tabId: 9, windowId: 2 });
    await fire("updated", 8, { status: "complete" }, { active: true, windowId: 1 });
    await fire("updated", 8, { status: "loading" }, { active: true, windowId: 1 });
    await fire("updated", 10, { status: "complete" }, { active: false, windowId: 1 });
    await button("Look again").click();
    await expect.poll(looks).toEqual([8, 8, 8]);
    await popup.page.getByRole("checkbox", { name: "Launch day" }).focus();
    await fire("activated", { tabId: 7, windowId: 1 });
    await expect.poll(focused).toBe("Look again");
    // It says what lets it look where it may not.
    await popup.show({ found: "closed" });
    await button("Look again").click();
    await popup.page.getByText("press the Upcut button in the toolbar").waitFor();
    // The click opens a popup, which the uploads answer.
    await popup.show({ found: [frame([found()])] });
    await popup.tell({ type: "ready" });
    await popup.page.locator("#page-videos-line").waitFor();
  });
});
