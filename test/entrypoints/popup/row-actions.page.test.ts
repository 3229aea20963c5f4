import { expect, test } from "vitest";
import { asset, failure, fromPage, half, makeJob, named } from "../../support/extension/pages/jobs.ts";
import { video } from "../../support/extension/pages/popup-actions.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, expectAsks, row } = popup;

test("the next steps are told to the uploads", async () => {
  const steps = [
    ["uploading", {}, "Pause", "pause"],
    ["paused", {}, "Continue", "continue"],
    ["queued", {}, "Cancel", "cancel"],
    ["queued", {}, "Upload next", "move-up"],
    ["cancelled", {}, "Upload again", "start-over"],
    ["asset-unknown", { error: failure("asset-unknown") }, "Upload again", "start-over"],
    ["failed", { error: failure("unreachable") }, "Try again", "continue"],
    ["needs-file", { asset, refused: makeJob("draft").source }, "Upload the new one", "upload-new"],
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

test("a file that may be read again is, with all others, or may be chosen instead", async () => {
  const needs = { permission: "file" } as const;
  await popup.open({
    jobs: ["one", "two"].map((id) => named(makeJob("needs-permission", { id, asset, needs }), id)),
  });
  const allow = row("one").getByRole("button", { name: "Allow reading the file" });
  await allow.click();
  await popup.page.getByRole("alert").filter({ hasText: "Open this list in a tab" }).waitFor();
  await row("one").locator("input[type=file]").setInputFiles(video);
  await expect.poll(async () => (await popup.asks())[0]).toMatchObject({ type: "give-file", jobId: "one" });
  await popup.page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const handle = await root.getFileHandle("video.mp4", { create: true });
    const opening = indexedDB.open("upcut");
    await new Promise((resolve) => {
      opening.onsuccess = resolve;
    });
    const jobs = opening.result.transaction("jobs", "readwrite").objectStore("jobs");
    for (const id of ["one", "two"])
      jobs.get(id).onsuccess = ({ target }) => {
        const { source, ...job } = (target as IDBRequest).result;
        jobs.put({ ...job, source: { ...source, handle } });
      };
  });
  const given = ["two", "one"].map((jobId) => ({ type: "permission-given", jobId }));
  await allow.click();
  await expect.poll(async () => (await popup.asks()).slice(1)).toEqual(given);
  await button("Allow all files").click();
  await expect.poll(async () => (await popup.asks()).slice(3)).toEqual(given);
});

test("a host is asked for within the click", async () => {
  const needs = { permission: "host", origin: "https://upload.example:8443" } as const;
  await popup.open({ jobs: [makeJob("needs-permission", { id: "one", asset, needs })] });
  await button("Allow upload.example:8443").click();
  await expectAsks().toEqual([{ type: "permission-given", jobId: "one" }]);
  expect(await popup.calls()).toEqual(["permission https://upload.example/*"]);
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
  const watch = popup.page.getByRole("link", { name: "Watch", exact: true });
  await popup.tell({ type: "changed", jobs: [{ ...job, state: "done", asset }] });
  await watch.waitFor();
  expect(await watch.getAttribute("href")).toBe(link);
});
