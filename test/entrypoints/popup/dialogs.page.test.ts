import { describe, expect, test } from "vitest";
import { found, frame } from "../../support/extension/pages/findings.ts";
import { asset, half, makeJob } from "../../support/extension/pages/jobs.ts";
import { video } from "../../support/extension/pages/popup-actions.ts";
import { recordOf, usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, expectAsks, noted, paste, pause } = popup;

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
    // The popup has not ended after all.
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
    await button(/^Allow /).click();
    await expect.poll(noted).toMatchObject({ kind: "host", jobId: "two", windowId: 1 });
  });

  test("a question about videos that were handed over is noted by their batch", async () => {
    await popup.open({ found: [frame([found()])] });
    await paste("https://cdn.example/video.mp4");
    // A question that the browser doesn't ask leaves no note.
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
