import { join } from "node:path";
import { expect, test } from "vitest";
import { content, writeContent } from "../content.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { changeOptions, choose, rowOf } from "./actions.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
const service = useService();
const extension = useExtension(service);

test("what was cleared is put back, stays known when it is gone, and is not uploaded twice by accident", async () => {
  const folder = await scratchFolder("list");
  const path = join(folder.path, "twice.mp4");
  await writeContent(path, MiB, 1);
  const popup = await extension.open("popup.html?tab=1");
  await choose(popup, path);
  const row = rowOf(popup, "twice.mp4");
  await row.getByRole("button", { name: "Start" }).click();
  await row.getByText("Uploaded").waitFor();

  await popup.getByRole("button", { name: "Clear finished" }).click();
  await popup.getByText("1 upload removed").waitFor();
  expect(await row.count()).toBe(0);
  await popup.getByRole("button", { name: "Undo" }).click();
  await row.getByText("Uploaded").waitFor();

  await popup.getByRole("button", { name: "Clear finished" }).click();
  await row.waitFor({ state: "detached" });
  await choose(popup, path);
  await row.getByText("Uploaded today. Upload again?").waitFor();
  expect(await service.assets()).toHaveLength(1);
  await row.getByRole("button", { name: "Upload again" }).click();
  await row.getByText(/^Uploaded ·/).waitFor();
  expect(await service.assets()).toHaveLength(2);

  await popup.locator("#history summary").click();
  await popup.getByLabel("Search what was uploaded").fill("twice");
  const past = popup.locator("#history-list > li");
  await expect.poll(() => past.count()).toBe(2);
  await past.first().getByRole("button", { name: "Copy asset id" }).waitFor();
  await folder.remove();
});

test("what is still being uploaded is asked about when it is chosen again, until the first is no longer", async () => {
  const folder = await scratchFolder("list");
  const path = join(folder.path, "twice.mp4");
  await writeContent(path, 2 * MiB, 1);
  await changeOptions(extension, (options) => options.getByLabel("Review before uploading").uncheck());
  await service.set({ throttle: MiB / 32 });
  const popup = await extension.open("popup.html?tab=1");
  await choose(popup, path);
  await popup.getByRole("progressbar").waitFor();
  await choose(popup, path);
  const question = popup.getByText("Is being uploaded already. Upload again?");
  await question.waitFor();
  // Nothing of it starts, and nobody is told that it does.
  await popup.getByRole("status").getByText("1 video added", { exact: true }).waitFor();
  await popup.getByRole("button", { name: "Cancel" }).click();
  await popup.getByRole("button", { name: "End the upload" }).click();
  await popup.getByRole("button", { name: "Start", exact: true }).waitFor();
  expect(await question.count()).toBe(0);

  await popup.getByRole("button", { name: "Start", exact: true }).click();
  await popup.getByRole("progressbar").waitFor();
  await choose(popup, path);
  await question.waitFor();
  await service.set({ throttle: 0 });
  await popup.getByText("Uploaded today. Upload again?").waitFor();
  expect(await service.requests("POST", "request-upload")).toHaveLength(2);
  await popup.locator("[data-state=draft]").getByRole("button", { name: "Upload again" }).click();
  await expect.poll(async () => (await service.requests("POST", "request-upload")).length).toBe(3);
  await changeOptions(extension, (options) => options.getByLabel("Review before uploading").check());
  await folder.remove();
});

test("all of many are paused and continued with one click each, and what was cancelled is uploaded again", async () => {
  await service.set({ throttle: MiB / 8 });
  const popup = await extension.open("popup.html?tab=1");
  const names = ["a.mp4", "b.mp4", "c.mp4"];
  await choose(popup, ...names.map((name, seed) => ({ name, bytes: content(2 * MiB, seed) })));
  await popup.getByRole("button", { name: "Start all" }).click();
  await popup.getByRole("button", { name: "Pause all" }).click();
  for (const name of names) await rowOf(popup, name).getByText("Paused").waitFor();
  await rowOf(popup, "c.mp4").getByRole("button", { name: "Cancel" }).click();
  await rowOf(popup, "c.mp4").getByText("Cancelled before anything was sent.").waitFor();
  await service.set({ throttle: 0 });
  await popup.getByRole("button", { name: "Continue all" }).click();
  for (const name of ["a.mp4", "b.mp4"]) await rowOf(popup, name).getByText("Uploaded").waitFor();
  await rowOf(popup, "c.mp4").getByRole("button", { name: "Upload again" }).click();
  await rowOf(popup, "c.mp4").getByText("Uploaded").waitFor();
  await expect
    .poll(async () => (await service.assets()).map(({ asset }) => asset.name).sort())
    .toContain("c.mp4");
});
