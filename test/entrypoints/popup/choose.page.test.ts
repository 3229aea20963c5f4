import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { FakeGlobals } from "../../support/extension/pages/fake-chrome.ts";
import { video } from "../../support/extension/pages/popup-actions.ts";
import { recordOf, usePopup } from "../../support/extension/pages/use-pages.ts";
import { useFolder } from "../../support/use-folder.ts";

const popup = usePopup();
const { alert, button, expectAsks, store } = popup;
const folder = useFolder("chosen");

test("the way to choose names the account by its host, its name, and the end of its token alone", async () => {
  const token = "tok-5c1e9b7ax7Qf";
  await popup.open({ token });
  const name = popup.page.locator("#choose #account");
  await expect.poll(() => name.textContent()).toBe("video.example …x7Qf");
  await popup.store({ settings: { address: "https://video.example", accountName: "Video team" } });
  await expect.poll(() => name.getAttribute("title")).toBe("Video team · video.example …x7Qf");
  await popup.store({ token: "tok-another-token-9f3k" });
  await expect.poll(() => name.textContent()).toContain("…9f3k");
  expect(await popup.page.evaluate(() => document.documentElement.outerHTML)).not.toContain("tok-");
});

test("files are asked for many at once, and the same ones again", async () => {
  await popup.open();
  for (let round = 1; round <= 2; round++) {
    const [chooser] = await Promise.all([
      popup.page.waitForEvent("filechooser"),
      button("Choose videos").click(),
    ]);
    expect(chooser.isMultiple()).toBe(true);
    await chooser.setFiles([video, { ...video, name: "other.mp4" }]);
    await expect.poll(async () => (await popup.asks()).length).toBe(round);
  }
});

test("files that are dropped in a tab come with their handles, and the videos of folders by their paths", async () => {
  await popup.open({ query: "?tab=7" });
  await popup.page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const fill = async (folder: FileSystemDirectoryHandle, name: string, content = "\0\0\0\x18ftypmp42") => {
      const handle = await folder.getFileHandle(name, { create: true });
      const writable = await handle.createWritable();
      await writable.write(content);
      await writable.close();
      return handle;
    };
    const video = await fill(root, "video.mp4");
    const folder = await root.getDirectoryHandle("folder", { create: true });
    const below = await folder.getDirectoryHandle("below", { create: true });
    const empty = await root.getDirectoryHandle("empty", { create: true });
    for (const name of ["clip10.mp4", "clip9.mp4", "notes.txt", ".hidden.mp4"]) await fill(folder, name);
    await fill(folder, "nothing.mp4", "");
    await fill(below, "a.mkv");
    const item = (handle: FileSystemHandle) => ({
      kind: "file",
      getAsFile: () => new File(["video"], handle.name),
      getAsFileSystemHandle: async () => handle,
    });
    const dataTransfer = { types: ["Files"], items: [video, folder, empty].map(item) };
    dispatchEvent(Object.assign(new Event("drop", { cancelable: true }), { dataTransfer }));
  });
  const kinds = () =>
    popup.page.evaluate(() => {
      const { record } = globalThis as unknown as {
        record: { asks: { files: { file: File; handle: object }[] }[] };
      };
      return record.asks[0]?.files.map(({ file, handle }) => `${file.name} ${handle.constructor.name}`);
    });
  const names = ["video.mp4", "a.mkv", "clip9.mp4", "clip10.mp4"];
  await expect.poll(kinds).toEqual(names.map((name) => `${name} FileSystemFileHandle`));
  await alert("There are no videos in “empty”.").waitFor();
});

test("the files of a chosen folder are taken by their paths, in a page that a dialog leaves open", async () => {
  await popup.open();
  expect(await button("Choose a folder").count()).toBe(0);
  await popup.open({ query: "?tab=7" });
  await mkdir(join(folder.path, "below"));
  for (const name of ["10.mp4", "9.mp4", "notes.txt", ".hidden.mp4", "below/a.mkv"])
    await writeFile(join(folder.path, name), "\0\0\0\x18ftypmp42");
  const [chooser] = await Promise.all([
    popup.page.waitForEvent("filechooser"),
    button("Choose a folder").click(),
  ]);
  await chooser.setFiles(folder.path);
  const names = () =>
    popup.page.evaluate(() =>
      (globalThis as unknown as FakeGlobals).record.asks.flatMap((ask) =>
        ask.type === "files" ? ask.files.map(({ file }) => file.name) : [],
      ),
    );
  await expect.poll(names).toEqual(["9.mp4", "10.mp4", "a.mkv"]);
});

test("files that are pasted are taken, and not the name that a file manager gives beside them", async () => {
  await popup.open();
  await popup.page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(["video"], "pasted.mp4", { type: "video/mp4" }));
    clipboardData.setData("text/plain", "/home/me/pasted.mp4");
    document.body.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
    );
  });
  await expectAsks().toMatchObject([{ type: "files", files: [{}] }]);
  expect(await popup.page.locator("#link-problem").count()).toBe(0);
});

test("the review before uploading is turned off where it is on, and leaves other settings alone", async () => {
  await popup.open({ settings: { uploadsAtATime: 7 } });
  const box = popup.page.getByLabel("Review before uploading");
  expect(await box.count()).toBe(0);
  await store({ settings: { address: "https://video.example", reviewFirst: true, uploadsAtATime: 7 } });
  await box.click();
  const stored = async () => (await recordOf(popup.page)).storage.settings;
  await expect.poll(stored).toMatchObject({ reviewFirst: false, uploadsAtATime: 7 });
});
