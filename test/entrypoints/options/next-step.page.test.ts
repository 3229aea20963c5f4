import { expect, test } from "vitest";
import { play } from "../../support/extension/pages/fake-chrome.ts";
import type { PageOptions } from "../../support/extension/pages/page-server.ts";
import { video } from "../../support/extension/pages/popup-actions.ts";
import { recordOf, usePages } from "../../support/extension/pages/use-pages.ts";

const openPage = usePages();

/** The options once an account was connected. */
async function begin(faked: PageOptions = {}) {
  const answers = [{ check: { token: "accepted", paths: {}, endsStreams: true } }];
  const page = await openPage("options", { answers, offscreen: "answers", ...faked });
  await page.fill("#address", "https://video.example");
  await page.fill("#token", "tok-1");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.locator("#next").waitFor();
  return page;
}

test("what is next is to pin the icon, until it is pinned, and to choose videos within the click", async () => {
  const page = await begin();
  await page.getByText("Pin Upcut:").waitFor();
  await play(page, "pin");
  await page.getByText("Pin Upcut:").waitFor({ state: "detached" });
  // Videos are chosen by the browser's own picker, which no page can be told to answer.
  await page.evaluate(() => {
    const showOpenFilePicker = async () => {
      document.title = `picked ${navigator.userActivation.isActive}`;
      throw new DOMException("", "AbortError");
    };
    Object.assign(window, { showOpenFilePicker });
  });
  await page.getByRole("button", { name: "Choose videos" }).press("Enter");
  await expect.poll(() => page.title()).toBe("picked true");
});

test("a chosen or dropped video goes to the uploads, and their list opens", async () => {
  const page = await begin({ pinned: true });
  expect(await page.getByText("Pin Upcut:").count()).toBe(0);
  await page.setInputFiles("#files", video);
  await expect.poll(async () => (await recordOf(page)).asks.length).toBe(1);
  const [asked] = (await recordOf(page)).asks as { type: string; batch: string; files: unknown[] }[];
  expect(asked).toMatchObject({ type: "files", files: [{}] });
  await play(page, "tell", { type: "taken", batch: asked?.batch, jobIds: ["1"] });
  await expect.poll(async () => (await recordOf(page)).calls).toContain("tab popup.html?tab=");
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["video"], "dropped.mp4", { type: "video/mp4" }));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  });
  await expect.poll(async () => (await recordOf(page)).asks[1]).toMatchObject({ type: "files" });
});
