import { describe, expect, test } from "vitest";
import { makeJob } from "./pages/jobs.ts";
import { actionsOn, video } from "./pages/popup-actions.ts";
import { usePopup } from "./pages/use-pages.ts";

const popup = usePopup();
const { button, paste } = actionsOn(popup);

describe("choosing", () => {
  test("waits until the offscreen document has answered", async () => {
    await popup.open({ answers: false });
    expect(await button("Choose videos").isDisabled()).toBe(true);
    await popup.tell({ type: "ready" });
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
  });

  test("hands the files over before the change handler returns, and says how many were taken", async () => {
    await popup.open();
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
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
    await popup.tell({ type: "taken", batch: ask.batch, jobIds: ["a", "b"] });
    await expect.poll(() => popup.page.locator("#status").textContent()).toBe("2 videos added");
  });

  test("opens a dialog for many videos at once, and for the same ones again", async () => {
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

  test("takes dropped files with their handles in a tab, and the videos of folders by their paths", async () => {
    await popup.open({ query: "?tab=7" });
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
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
    await popup.page.getByRole("alert").filter({ hasText: "There are no videos in “empty”." }).waitFor();
  });

  test("takes the good ones of a batch, and says what is wrong with the others", async () => {
    await popup.open();
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    const notes = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") };
    const empty = { ...video, name: "empty.mp4", buffer: Buffer.alloc(0) };
    await popup.page.locator("#files").setInputFiles([notes, video, empty]);
    await expect.poll(async () => (await popup.asks()).length).toBe(1);
    expect((await popup.asks())[0]).toMatchObject({ type: "files", files: [{}] });
    const problem = popup.page.locator("#choose-problem");
    expect(await problem.textContent()).toBe("“notes.txt” is not a video. “empty.mp4” is empty.");
    await popup.page.locator("#files").setInputFiles([notes]);
    await expect.poll(() => problem.textContent()).toBe("“notes.txt” is not a video.");
    await popup.page.locator("#files").setInputFiles([video]);
    await expect.poll(() => problem.textContent()).toBe("");
    expect(await popup.asks()).toHaveLength(2);
  });

  test("takes a link that is pasted anywhere on the page, and asks for its host within that click", async () => {
    await popup.open();
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    await paste("  https://cdn.example/videos/a%20video.mp4?signature=s#t=1 ");
    await expect.poll(async () => (await popup.asks()).length).toBe(1);
    expect((await popup.asks())[0]).toMatchObject({
      type: "addresses",
      videos: [{ address: "https://cdn.example/videos/a%20video.mp4?signature=s", title: "a video.mp4" }],
    });
    expect(await popup.calls()).toEqual(["permission https://cdn.example/*"]);
  });

  test("takes a link that is typed, and refuses what is none before anything is handed over", async () => {
    await popup.open();
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    const field = popup.page.getByLabel("Link to a video");
    for (const [text, reason] of [
      ["video.mp4", "This is not a link to a video"],
      ["ftp://cdn.example/video.mp4", "This is not a link to a video"],
      ["file:///home/me/video.mp4", "Choose the file instead"],
      ["C:\\Videos\\video.mp4", "Choose the file instead"],
      ["https://me:secret@cdn.example/video.mp4", "A link with a user name and password"],
    ] as const) {
      await field.fill(text);
      await field.press("Enter");
      await popup.page.getByRole("alert").filter({ hasText: reason }).waitFor();
      expect(await field.inputValue()).toBe(text);
    }
    await paste("not a link");
    await popup.page.getByRole("alert").filter({ hasText: "This is not a link" }).waitFor();
    expect(await popup.asks()).toEqual([]);
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    await field.fill("http://cdn.example/");
    expect(await popup.page.getByText("This is not a link").count()).toBe(0);
    expect(await field.getAttribute("aria-invalid")).toBeNull();
    await button("Add").click();
    await expect.poll(async () => (await popup.asks()).length).toBe(1);
    expect((await popup.asks())[0]).toMatchObject({ videos: [{ title: "cdn.example" }] });
    expect(await field.inputValue()).toBe("");
  });

  test("takes a link to a playlist or a manifest as a video in pieces, by its name if that tells anything", async () => {
    await popup.open();
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    for (const [address, pieces, title] of [
      ["https://cdn.example/one/launch.m3u8?a=b", "hls", "launch"],
      ["https://cdn.example/one/master.m3u8", "hls", "cdn.example"],
      ["https://cdn.example/one/Launch%20video.mpd", "dash", "Launch video"],
    ] as const) {
      const { length } = await popup.asks();
      await paste(address);
      await expect
        .poll(async () => (await popup.asks()).at(length))
        .toMatchObject({
          videos: [{ address, pieces, title }],
        });
    }
  });

  test("takes a link as the address bar shows it, without https", async () => {
    await popup.open();
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    await paste("cdn.example/videos/tour.mp4");
    await expect
      .poll(async () => (await popup.asks())[0])
      .toMatchObject({ videos: [{ address: "https://cdn.example/videos/tour.mp4", title: "tour.mp4" }] });
  });

  test("leaves a paste into a field to that field", async () => {
    await popup.open({ jobs: [makeJob("draft")] });
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    await button("Edit").click();
    await paste("https://cdn.example/video.mp4", "input[id$=-name]");
    expect(await popup.asks()).toEqual([]);
  });

  test("shows an alert when no offscreen document took the files", async () => {
    await popup.open();
    await popup.page.clock.install();
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    await popup.page.locator("#files").setInputFiles(video);
    await popup.page.clock.fastForward(6000);
    await expect
      .poll(() => popup.page.getByRole("alert").first().textContent())
      .toContain("Choose them again");
  });

  test("shows a message when the offscreen document doesn't answer", async () => {
    await popup.open({ answers: false });
    const told = popup.page.getByText("Uploads don't respond. What was uploaded is not lost.");
    await told.waitFor({ timeout: 15_000 });
    const restart = popup.page.getByRole("button", { name: "Restart Upcut" });
    await restart.focus();
    // It was only late.
    await popup.tell({ type: "ready" });
    await told.waitFor({ state: "hidden" });
    expect(await restart.isVisible()).toBe(false);
    expect(await popup.page.locator(":focus").textContent()).toBe("Choose videos");
  });
});
