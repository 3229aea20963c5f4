import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FakeGlobals } from "../../support/extension/pages/fake-chrome.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";
import { actionsOn, hasFocus, video } from "../../support/extension/pages/popup-actions.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";
import { useFolder } from "../../support/use-folder.ts";

const popup = usePopup();
const folder = useFolder("chosen");
const { button, expectAsks, focused, paste, pause } = actionsOn(popup);
const alert = (hasText: string) => popup.page.getByRole("alert").filter({ hasText });

describe("files", () => {
  test("are handed over before the change handler returns, and it is said how many were taken", async () => {
    await popup.open();
    // As a real dialog does it: the page is gone right after the event.
    const posted = await popup.page.evaluate(() => {
      const posts: unknown[] = [];
      const post = BroadcastChannel.prototype.postMessage;
      BroadcastChannel.prototype.postMessage = function (message) {
        posts.push(message.type);
        post.call(this, message);
      };
      const input = document.querySelector<HTMLInputElement>("#files");
      const files = new DataTransfer();
      files.items.add(new File(["video"], "video.mp4", { type: "video/mp4" }));
      if (input) input.files = files.files;
      input?.dispatchEvent(new Event("change"));
      return posts;
    });
    expect(posted).toEqual(["files"]);
    await expect.poll(async () => (await popup.asks()).length).toBe(1);
    const [ask] = await popup.asks();
    if (ask?.type !== "files") throw new Error("No files were handed over");
    await popup.tell({ type: "taken", batch: ask.batch, jobIds: ["a", "b"], leftOut: 1 });
    await expect.poll(() => popup.page.locator("#status").textContent()).toBe("2 videos added");
    const problem = popup.page.getByText("1 video was left out: the list is full. Remove some first.");
    await expect.poll(() => problem.isVisible()).toBe(true);
  });

  test("are asked for many at once, and the same ones again", async () => {
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

  test("that are dropped in a tab come with their handles, and the videos of folders by their paths", async () => {
    await popup.open({ query: "?tab=7" });
    await popup.page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      const fill = async (folder: FileSystemDirectoryHandle, name: string, content = "video") => {
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

  test("of a chosen folder are taken by their paths, in a page that a dialog leaves open", async () => {
    await popup.open();
    expect(await button("Choose a folder").count()).toBe(0);
    await popup.open({ query: "?tab=7" });
    await mkdir(join(folder.path, "below"));
    for (const name of ["10.mp4", "9.mp4", "notes.txt", ".hidden.mp4", "below/a.mkv"])
      await writeFile(join(folder.path, name), "video");
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

  test("that are pasted are taken, and not the name that a file manager gives beside them", async () => {
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

  test("that are right are taken of a batch, and it is said what is wrong with the others until all are", async () => {
    await popup.open();
    const notes = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") };
    const problem = async () => (await popup.page.locator("#choose-problem").allTextContents()).join();
    for (const [files, words] of [
      [[notes, video], "“notes.txt” is not a video."],
      [[video], ""],
    ] as const) {
      await popup.page.locator("#files").setInputFiles([...files]);
      await expect.poll(problem).toBe(words);
    }
    expect(await popup.asks()).toMatchObject([{ files: [{}] }, { files: [{}] }]);
  });
});

describe("a link", () => {
  test("that is pasted anywhere on the page is taken, and its host asked for within that click", async () => {
    await popup.open({ jobs: [makeJob("draft")] });
    await button("Edit").click();
    // What is pasted into another field is that field's.
    await paste("https://cdn.example/other.mp4", "input[id$=-name]");
    await paste("  https://cdn.example/videos/a%20video.mp4?signature=s#t=1 ");
    await expectAsks().toMatchObject([
      {
        type: "addresses",
        videos: [{ address: "https://cdn.example/videos/a%20video.mp4?signature=s", title: "a video.mp4" }],
      },
    ]);
    expect(await popup.calls()).toEqual(["permission https://cdn.example/*"]);
  });

  test("that is typed is taken, and what is none is refused before anything is handed over", async () => {
    await popup.open();
    const field = popup.page.getByLabel("Link to a video");
    await button("Paste a link").click();
    expect(await hasFocus(field)).toBe(true);
    await field.fill("file:///home/me/video.mp4");
    await field.press("Enter");
    await alert("Choose the file instead").waitFor();
    await paste("not a link");
    await alert("This is not a link").waitFor();
    expect(await field.inputValue()).toBe("not a link");
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    expect(await popup.asks()).toEqual([]);
    await field.fill("http://cdn.example/a.mp4");
    expect(await popup.page.getByText("This is not a link").count()).toBe(0);
    expect(await field.getAttribute("aria-invalid")).toBeNull();
    await button("Add").click();
    await expectAsks().toMatchObject([{ videos: [{ title: "a.mp4" }] }]);
    expect(await field.count()).toBe(0);
  });

  test("to a page is told to be one before anything is asked for, and opened by a click", async () => {
    await popup.open();
    await paste("https://www.youtube.com/watch?v=1");
    await alert("This is a page: open it and press Upcut.").waitFor();
    expect(await button("It is a video").count()).toBe(0);
    await button("Open it").click();
    await expect.poll(() => popup.calls()).toEqual(["tab https://www.youtube.com/watch?v=1"]);
    expect(await popup.asks()).toEqual([]);
    // The person knows better.
    await paste("https://cdn.example/download?id=7");
    await button("It is a video").click();
    await expectAsks().toMatchObject([{ videos: [{ address: "https://cdn.example/download?id=7" }] }]);
  });
});

test("an alert is shown when no offscreen document took the files", async () => {
  await popup.open({ clock: true });
  await pause();
  await popup.page.locator("#files").setInputFiles(video);
  await expect.poll(async () => (await popup.asks()).length).toBe(1);
  await popup.page.clock.runFor(5000);
  await alert("Choose them again").waitFor();
});

test("nothing can be chosen until the offscreen document answers, and a message is shown when it doesn't", async () => {
  await popup.open({ answers: false, clock: true });
  await pause();
  expect(await button("Choose videos").isDisabled()).toBe(true);
  await popup.page.clock.runFor(10_000);
  const told = popup.page.getByText("Uploads don't respond. What was uploaded is not lost.");
  await told.waitFor();
  await button("Restart Upcut").focus();
  // It was only late.
  await popup.tell({ type: "ready" });
  await told.waitFor({ state: "hidden" });
  expect(await button("Restart Upcut").isVisible()).toBe(false);
  expect(await focused()).toBe("Choose videos");
  expect(await button("Choose videos").isEnabled()).toBe(true);
});
