import { expect, test } from "vitest";
import { video } from "../../support/extension/pages/popup-actions.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { alert, pause } = popup;

test("files are handed over before the change handler returns, and it is said how many were taken", async () => {
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

test("files that are right are taken of a batch, and it is said what is wrong with the others until all are", async () => {
  await popup.open();
  const notes = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") };
  const problem = async () => (await popup.page.locator("#choose-problem").allTextContents()).join();
  for (const [files, words] of [
    [[notes], "“notes.txt” is not a video."],
    [[notes, video], "“notes.txt” is not a video."],
    [[video], ""],
  ] as const) {
    await popup.page.locator("#files").setInputFiles([...files]);
    await expect.poll(problem).toBe(words);
  }
  expect(await popup.asks()).toMatchObject([{ files: [{}] }, { files: [{}] }]);
});

test("it is said how many uploads resume with the files that were chosen", async () => {
  await popup.open();
  await popup.page.locator("#files").setInputFiles(video);
  await expect.poll(async () => (await popup.asks()).length).toBe(1);
  const [ask] = await popup.asks();
  if (ask?.type !== "files") throw new Error("No files were handed over");
  await popup.tell({ type: "taken", batch: ask.batch, jobIds: ["a", "b", "c"], resumed: 2 });
  await expect.poll(popup.status).toBe("2 uploads resume. 1 video added");
});

test("an alert is shown when no offscreen document took the files", async () => {
  await popup.open({ clock: true });
  await pause();
  await popup.page.locator("#files").setInputFiles(video);
  await expect.poll(async () => (await popup.asks()).length).toBe(1);
  await popup.page.clock.runFor(5000);
  await alert("Choose them again").waitFor();
});
