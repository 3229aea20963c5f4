import { expect, test } from "vitest";
import { content, sha256 } from "../content.ts";
import { useService } from "../service/use-service.ts";
import { choose, editDraft, rowOf } from "./actions.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
const service = useService();
const extension = useExtension(service);

test("the same file added in two pages makes two assets, each whole", async () => {
  const video = { name: "video.mp4", bytes: content(10 * MiB) };
  const pages = [await extension.open("popup.html?tab=1"), await extension.open("popup.html")];
  for (const page of pages) await choose(page, video);
  for (const page of pages) await expect.poll(() => rowOf(page, "video.mp4").count()).toBe(2);
  await pages[0]?.getByRole("button", { name: "Start all" }).click();
  for (const page of pages) await expect.poll(() => page.getByText(/^Uploaded ·/).count()).toBe(2);
  const assets = await service.assets();
  expect(assets).toHaveLength(2);
  for (const { asset } of assets) expect((await service.whole(asset.id)).sha256).toBe(sha256(video.bytes));
});

test("a draft edited in two pages keeps what each has changed", async () => {
  const [tab, popup] = [await extension.open("popup.html?tab=1"), await extension.open("popup.html")];
  await choose(tab, { name: "video.mp4", bytes: content(MiB) });
  const [inTab, inPopup] = [rowOf(tab, "video.mp4"), rowOf(popup, "video.mp4")];
  await editDraft(inTab);
  await inTab.getByLabel("Name").blur();
  await editDraft(inPopup, "Named");
  await expect.poll(() => inTab.getByLabel("Name").inputValue()).toBe("Named");
  await inTab.getByLabel("Make MP4 files").check();
  // Nothing is written into a form that a person is at; what is typed there overwrites nothing else.
  await inPopup.getByLabel("Name").fill("Named again");
  await inPopup.getByLabel("Name").blur();
  await expect.poll(() => inPopup.getByLabel("Make MP4 files").isChecked()).toBe(true);
  await inPopup.getByRole("button", { name: "Start" }).click();
  await rowOf(tab, "Named again").getByText("Uploaded").waitFor();
  expect(await service.assets()).toMatchObject([{ received: { name: "Named again", staticMp4: true } }]);
});

test("each page shows and steers the same upload", async () => {
  await service.set({ throttle: MiB });
  const [tab, popup] = [await extension.open("popup.html?tab=1"), await extension.open("popup.html")];
  await choose(tab, { name: "video.mp4", bytes: content(12 * MiB) });
  const [inTab, inPopup] = [rowOf(tab, "video.mp4"), rowOf(popup, "video.mp4")];
  await inPopup.getByRole("button", { name: "Start" }).click();
  await inTab.getByRole("progressbar").waitFor();
  await inTab.getByRole("button", { name: "Pause" }).click();
  await inPopup.getByText("Paused").waitFor();
  const late = await extension.open("popup.html");
  await rowOf(late, "video.mp4").getByText("Paused").waitFor();
  await service.set({ throttle: 0 });
  await rowOf(late, "video.mp4").getByRole("button", { name: "Continue" }).click();
  for (const row of [inTab, inPopup]) await row.getByText("Uploaded").waitFor();
  await tab.getByRole("button", { name: "Clear finished" }).click();
  for (const row of [inTab, inPopup, rowOf(late, "video.mp4")]) await row.waitFor({ state: "detached" });
  expect(await service.requests("POST", "request-upload")).toHaveLength(1);
});
