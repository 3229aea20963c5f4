import { describe, expect, test, vi } from "vitest";
import { asset, failure, fromPage, half, makeJob } from "./pages/jobs.ts";
import { actionsOn, video } from "./pages/popup-actions.ts";
import { usePopup } from "./pages/use-pages.ts";

const popup = usePopup();
const { button, focused, row } = actionsOn(popup);

describe("the next steps", () => {
  const ask = async (name: string) => {
    await button(name).click();
    await vi.waitFor(async () => expect(await popup.asks()).not.toEqual([]));
    return await popup.asks();
  };

  test.each([
    ["uploading", {}, "Pause", "pause"],
    ["paused", {}, "Continue", "continue"],
    ["queued", {}, "Cancel", "cancel"],
    ["queued", {}, "Upload next", "move-up"],
    ["cancelled", {}, "Upload again", "start-over"],
    ["cancelled", {}, "Remove", "remove"],
    ["asset-unknown", { error: failure("asset-unknown") }, "Upload again", "start-over"],
    ["failed", { error: failure("unreachable") }, "Try again", "continue"],
    ["failed", { error: failure("upload-gone") }, "Upload again", "start-over"],
  ] as const)("%s %o: %s", async (state, more, name, type) => {
    await popup.open({ jobs: [makeJob(state, { id: "one", ...more })] });
    expect(await ask(name)).toEqual([{ type, jobId: "one" }]);
  });

  test("cancelling what was begun asks first, and starts with the harmless answer", async () => {
    await popup.open({ jobs: [makeJob("uploading", { id: "one", asset, progress: half })] });
    await button("Cancel").click();
    expect(await focused()).toBe("Keep uploading");
    await popup.page.keyboard.press("Enter");
    expect(await popup.page.getByText("End this upload?").count()).toBe(0);
    expect(await popup.asks()).toEqual([]);
    await button("Cancel").click();
    expect(await ask("End the upload")).toEqual([{ type: "cancel", jobId: "one" }]);
  });

  test("the question is a group with its answers, and Escape leaves it", async () => {
    await popup.open({ jobs: [makeJob("uploading", { id: "one", asset, progress: half })] });
    await button("Cancel").click();
    const group = popup.page.getByRole("group", { name: "End this upload?" });
    for (const name of ["Keep uploading", "End the upload"]) {
      const answer = group.getByRole("button", { name });
      expect(
        await answer.evaluate((it) => it.ariaDescribedByElements?.map(({ textContent }) => textContent)),
      ).toEqual([expect.stringContaining("End this upload?"), "holiday-2024"]);
    }
    await popup.page.keyboard.press("Escape");
    await group.waitFor({ state: "detached" });
    expect(await focused()).toBe("Cancel");
    expect(await popup.asks()).toEqual([]);
  });

  test("what a link leads to is opened where it is a page", async () => {
    const source = { ...fromPage, hasPage: false };
    await popup.open({ jobs: [makeJob("failed", { source, error: failure("source-refused") })] });
    await popup.page.getByText("This is a page, not a video.").waitFor();
    await button("Open it and look for videos there").waitFor();
  });

  test("a lost file is asked for by name, handed over in the handler, and a wrong one is told", async () => {
    const job = makeJob("needs-file", { id: "one", asset, progress: half });
    await popup.open({ jobs: [job] });
    await popup.page.getByText("choose “holiday-2024.mp4” (48.2 MB) again").waitFor();
    const [chooser] = await Promise.all([
      popup.page.waitForEvent("filechooser"),
      button("Choose file…").click(),
    ]);
    expect(chooser.isMultiple()).toBe(false);
    await chooser.setFiles(video);
    await expect.poll(async () => (await popup.asks())[0]).toMatchObject({ type: "give-file", jobId: "one" });
    const got = { ...job.source, name: "video.mp4", size: 4 };
    await popup.tell({ type: "changed", jobs: [{ ...job, refused: got }] });
    await popup.page
      .getByRole("alert")
      .filter({ hasText: "This is another file: “video.mp4” (4 bytes)" })
      .waitFor();
  });

  test("a file that may be read again is, from the handle in the list", async () => {
    await popup.open({
      jobs: [makeJob("needs-permission", { id: "one", asset, needs: { permission: "file" } })],
    });
    await popup.page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      const handle = await root.getFileHandle("video.mp4", { create: true });
      const opening = indexedDB.open("upcut");
      await new Promise((resolve) => {
        opening.onsuccess = resolve;
      });
      const jobs = opening.result.transaction("jobs", "readwrite").objectStore("jobs");
      jobs.get("one").onsuccess = ({ target }) => {
        const { source, ...job } = (target as IDBRequest).result;
        jobs.put({ ...job, source: { ...source, handle } });
      };
    });
    expect(await ask("Allow reading the file")).toEqual([{ type: "permission-given", jobId: "one" }]);
  });

  test("a file that can't be read again may be chosen instead", async () => {
    await popup.open({
      jobs: [makeJob("needs-permission", { id: "one", asset, needs: { permission: "file" } })],
    });
    await button("Allow reading the file").click();
    await popup.page.getByRole("alert").filter({ hasText: "Open this list in a tab" }).waitFor();
    await row("holiday-2024").locator("input[type=file]").setInputFiles(video);
    await expect.poll(async () => (await popup.asks())[0]).toMatchObject({ type: "give-file", jobId: "one" });
  });

  test("a host is asked for within the click", async () => {
    const needs = { permission: "host", origin: "https://upload.example:8443" } as const;
    await popup.open({ jobs: [makeJob("needs-permission", { id: "one", asset, needs })] });
    expect(await ask("Allow this host")).toEqual([{ type: "permission-given", jobId: "one" }]);
    expect(await popup.calls()).toEqual(["permission https://upload.example/*"]);
  });

  test("ids and links of a finished upload are copied", async () => {
    await popup.open({
      jobs: [makeJob("done", { asset })],
      settings: { playbackPage: "https://watch.example/?v={playbackId}" },
    });
    const clipboard = () => popup.page.evaluate(() => navigator.clipboard.readText());
    await button("More").click();
    await button("Copy asset id").click();
    await button("Copied").waitFor();
    expect(await clipboard()).toBe(asset.id);
    await button("Copy playback id").click();
    await expect.poll(clipboard).toBe(asset.playbackId);
    await button("Copy link").click();
    await expect.poll(clipboard).toBe(`https://watch.example/?v=${asset.playbackId}`);
    expect(await popup.page.getByRole("link", { name: "Watch", exact: true }).getAttribute("href")).toBe(
      `https://watch.example/?v=${asset.playbackId}`,
    );
  });

  test("without a link it says why there is none", async () => {
    await popup.open({ jobs: [makeJob("done", { asset })] });
    await button("Copy asset id").waitFor();
    await button("More").click();
    await popup.page.getByText("The service gave no link").waitFor();
  });

  test("what has ended is cleared", async () => {
    await popup.open({ jobs: [makeJob("done", { asset }), makeJob("queued")] });
    expect(await ask("Clear finished")).toEqual([{ type: "clear-ended" }]);
  });
});
