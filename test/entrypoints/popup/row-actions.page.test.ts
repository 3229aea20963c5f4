import { describe, expect, test } from "vitest";
import { asset, failure, fromPage, half, makeJob } from "../../support/extension/pages/jobs.ts";
import { fillHistory } from "../../support/extension/pages/popup.ts";
import { actionsOn, hasFocus, video } from "../../support/extension/pages/popup-actions.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, expectAsks, focused, row } = actionsOn(popup);
const running = () => makeJob("uploading", { id: "one", asset, progress: half });

describe("the next steps", () => {
  test("are told to the uploads", async () => {
    const steps = [
      ["uploading", {}, "Pause", "pause"],
      ["paused", {}, "Continue", "continue"],
      ["queued", {}, "Cancel", "cancel"],
      ["queued", {}, "Upload next", "move-up"],
      ["cancelled", {}, "Upload again", "start-over"],
      ["asset-unknown", { error: failure("asset-unknown") }, "Upload again", "start-over"],
      ["failed", { error: failure("unreachable") }, "Try again", "continue"],
      ["failed", { error: failure("upload-gone") }, "Upload again", "start-over"],
    ] as const;
    const jobs = steps.map(([state, more], at) => {
      const job = makeJob(state, { id: `${at}`, ...more });
      return { ...job, fields: { ...job.fields, name: `(${at})` } };
    });
    await popup.open({ jobs });
    for (const [at, [, , name]] of steps.entries())
      await row(`(${at})`).getByRole("button", { name, exact: true }).click();
    const many: readonly string[] = ["pause", "continue"];
    await expectAsks().toEqual(
      steps.map(([, , , type], at) => ({
        type,
        ...(many.includes(type) ? { jobIds: [`${at}`] } : { jobId: `${at}` }),
      })),
    );
  });

  test("within the grace of one are to edit and to remove it, and of many one row that undoes them", async () => {
    const startsAt = Date.now() + 60_000;
    const jobs = [2, 1, 0].map((place) =>
      makeJob("queued", { id: `${place}`, startsAt, createdAt: 1, place }),
    );
    await popup.open();
    // A grace is as long as this at most.
    await popup.page.evaluate((now) => {
      Date.now = () => now;
    }, startsAt - 4000);
    await popup.tell({ type: "changed", jobs: jobs.slice(0, 1) });
    await row("holiday-2024").getByText("Starts in 4 sec").waitFor();
    for (const name of ["Edit", "Remove"]) await row("holiday-2024").getByRole("button", { name }).click();
    await popup.tell({ type: "changed", jobs });
    const all = row("3 videos start in 4 sec");
    await all.waitFor();
    // Nothing else holds what its own row holds.
    expect(await button("Pause all").count()).toBe(0);
    expect(await popup.page.locator("#list > li").count()).toBe(1);
    expect(await all.getByRole("button").allTextContents()).toEqual(["Start now", "Review", "Undo"]);
    for (const button of await all.getByRole("button").all()) await button.click();
    const jobIds = ["0", "1", "2"];
    await expectAsks().toEqual([
      ...["redraft", "remove"].map((type) => ({ type, jobIds: ["2"] })),
      ...["start", "redraft", "remove"].map((type) => ({ type, jobIds })),
    ]);
    // Whoever presses Enter while they begin stops nothing.
    await all.getByRole("button", { name: "Start now" }).focus();
    const begun = jobs.map(({ startsAt: _, ...job }) => ({ ...job, state: "uploading" as const }));
    await popup.tell({ type: "changed", jobs: begun });
    await all.waitFor({ state: "detached" });
    expect(await focused()).toBe("holiday-2024");
  });

  test("cancelling what was begun asks first, and starts with the harmless answer", async () => {
    await popup.open({ jobs: [running()] });
    const group = popup.page.getByRole("group", { name: "End this upload?" });
    for (const key of ["Enter", "Escape"]) {
      await button("Cancel").click();
      for (const name of ["Keep uploading", "End the upload"]) {
        const answer = group.getByRole("button", { name });
        expect(
          await answer.evaluate((it) => it.ariaDescribedByElements?.map(({ textContent }) => textContent)),
        ).toEqual([expect.stringContaining("End this upload?"), "holiday-2024"]);
      }
      expect(await focused()).toBe("Keep uploading");
      await popup.page.keyboard.press(key);
      await group.waitFor({ state: "detached" });
      expect(await hasFocus(button("Cancel"))).toBe(true);
    }
    await button("Cancel").click();
    await button("End the upload").click();
    await expectAsks().toEqual([{ type: "cancel", jobId: "one" }]);
  });

  test("the question stays, with the focus in it, whatever becomes of the upload and others meanwhile", async () => {
    const others = Array.from({ length: 3 }, (_, at) => makeJob("queued", { id: `other-${at}`, place: at }));
    await popup.open({ jobs: [running(), ...others] });
    await row("holiday-2024").first().getByRole("button", { name: "Cancel" }).click();
    const needs = { permission: "file" } as const;
    const states = ["waiting", "paused", "requesting", "needs-permission", "uploading"] as const;
    for (const [at, state] of states.entries()) {
      const other = others[at % others.length];
      await popup.tell({
        type: "changed",
        jobs: [
          { ...running(), state, needs, thumbnail: "data:image/png;base64," },
          ...(other === undefined ? [] : [{ ...other, state: at % 2 === 0 ? "uploading" : "done" } as const]),
        ],
      });
      const asked = popup.page.locator(`[data-state=${state}]`).getByRole("group");
      await asked.filter({ hasText: "End this upload?" }).waitFor();
      expect(await focused()).toBe("Keep uploading");
    }
    await popup.tell({ type: "changed", jobs: [{ ...running(), state: "done" }] });
    await popup.page.getByText("End this upload?").waitFor({ state: "detached" });
    expect(await focused()).not.toBe("Pause");
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
    await popup.page.getByText("Details").click();
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

  test("a file that may be read again is, from the handle in the list, or may be chosen instead", async () => {
    await popup.open({
      jobs: [makeJob("needs-permission", { id: "one", asset, needs: { permission: "file" } })],
    });
    await button("Allow reading the file").click();
    await popup.page.getByRole("alert").filter({ hasText: "Open this list in a tab" }).waitFor();
    await row("holiday-2024").locator("input[type=file]").setInputFiles(video);
    await expect.poll(async () => (await popup.asks())[0]).toMatchObject({ type: "give-file", jobId: "one" });
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
    await button("Allow reading the file").click();
    await expect
      .poll(async () => (await popup.asks())[1])
      .toEqual({ type: "permission-given", jobId: "one" });
  });

  test("a host is asked for within the click", async () => {
    const needs = { permission: "host", origin: "https://upload.example:8443" } as const;
    await popup.open({ jobs: [makeJob("needs-permission", { id: "one", asset, needs })] });
    await button("Allow this host").click();
    await expectAsks().toEqual([{ type: "permission-given", jobId: "one" }]);
    expect(await popup.calls()).toEqual(["permission https://upload.example/*"]);
  });

  test("the link of a video that was uploaded before is copied, where the service gave one", async () => {
    const [playbackUrl, endedAt] = ["https://play.example/9c81", Date.now() - 60_000];
    const facts = { name: "holiday", assetId: "asset-1", digests: [] };
    await popup.open();
    await fillHistory(popup.page, [
      { ...facts, id: "one", endedAt, playbackUrl },
      { ...facts, id: "two", endedAt: endedAt - 1 },
    ]);
    const drafts = [endedAt, endedAt - 1].map((uploadedBefore) => makeJob("draft", { uploadedBefore }));
    await popup.tell({ type: "changed", jobs: drafts });
    await button("Copy link").click();
    await expect.poll(() => popup.page.evaluate(() => navigator.clipboard.readText())).toBe(playbackUrl);
    expect(await button("Upload again").count()).toBe(2);
    expect(await button(/^(Copy link|Copied)$/).count()).toBe(1);
  });

  test("ids and link of an upload are copied as soon as they are known, and it is watched once it is done", async () => {
    const job = makeJob("requesting");
    await popup.open({
      jobs: [job],
      settings: { playbackPage: "https://watch.example/?v={playbackId}" },
    });
    await row("holiday-2024").waitFor();
    expect(await button("More").count()).toBe(0);
    await popup.tell({ type: "changed", jobs: [{ ...job, state: "uploading", asset }] });
    await button("More").click();
    const clipboard = () => popup.page.evaluate(() => navigator.clipboard.readText());
    await button("Copy asset id").click();
    await button("Copied").waitFor();
    expect(await clipboard()).toBe(asset.id);
    await button("Copy playback id").click();
    await expect.poll(clipboard).toBe(asset.playbackId);
    // Nothing folds in under the mouse.
    for (const state of ["waiting", "paused", "uploading"] as const)
      await popup.tell({ type: "changed", jobs: [{ ...job, state, asset }] });
    await button("Copy link").click();
    const link = `https://watch.example/?v=${asset.playbackId}`;
    await expect.poll(clipboard).toBe(link);
    // There is nothing to be watched yet.
    const watch = popup.page.getByRole("link", { name: "Watch", exact: true });
    expect(await watch.count()).toBe(0);
    await popup.tell({ type: "changed", jobs: [{ ...job, state: "done", asset }] });
    await watch.waitFor();
    expect(await watch.getAttribute("href")).toBe(link);
  });

  test("an earlier upload is watched from the history, where its address is known", async () => {
    const facts = { name: "holiday", assetId: "asset-1", digests: [], endedAt: 1 };
    await popup.open({ query: "?tab=7" });
    await fillHistory(popup.page, [
      { ...facts, id: "one", playbackUrl: "https://play.example/9c81" },
      { ...facts, id: "two" },
    ]);
    await popup.page.locator("#history summary").click();
    const past = popup.page.locator("#history-list > li");
    await expect.poll(() => past.count()).toBe(2);
    const links = past.getByRole("link", { name: "Watch" });
    expect(await links.evaluateAll((all) => all.map((each) => each.getAttribute("href")))).toEqual([
      "https://play.example/9c81",
    ]);
  });
});
