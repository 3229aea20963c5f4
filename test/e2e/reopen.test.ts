import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { content } from "../content.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { clearList } from "./actions.ts";
import { expectWhole } from "./evidence.ts";
import { type Attached, attach, chooseFiles, openRealPopup, targets } from "./raw-target.ts";
import { useExtension } from "./use-extension.ts";

/** Large enough to be sent in parts, which the service tells of. */
const SIZE = 2 * 1024 * 1024;
const service = useService({ refuseOrigin: true });
const extension = useExtension(service, {
  change: (options) => options.getByLabel("Review before uploading").uncheck(),
  cleanUp: "nothing",
});
let folder: { path: string; remove(): Promise<void> };
let file: string;

beforeAll(async () => {
  folder = await scratchFolder("e2e");
  file = join(folder.path, "holiday.mp4");
  await writeFile(file, content(SIZE));
});
afterAll(() => folder.remove());

const popups = async () => (await targets(extension)).filter(({ url }) => url.endsWith("/popup.html"));
/** "Start now" at first, then what can be done with what is being uploaded. */
const focusedRow = "document.activeElement?.closest('#list > li')?.querySelector('h3').textContent";

/** Opens the real popup and its file dialog, which this test answers in place of a person. */
async function openDialog(): Promise<Attached> {
  const page = extension.context.pages()[0] ?? (await extension.context.newPage());
  await page.goto(`${service.baseUrl}/samples/`);
  await page.bringToFront();
  const popup = await openRealPopup(extension, page.url());
  // Without the first one the dialog would be cancelled at once.
  await popup.send("Page.enable");
  await popup.send("Page.setInterceptFileChooserDialog", { enabled: true });
  const choose = "document.querySelector('#choose-videos')";
  await expect.poll(() => popup.evaluate(`${choose}.disabled`)).toBe(false);
  await popup.evaluate(`${choose}.click()`);
  return popup;
}

/** The end of a real dialog ends the popup right after its event. */
function endWithDialog(popup: Attached): Promise<void> {
  return popup.evaluate(`(() => {
    for (const type of ["change", "cancel"])
      document.addEventListener(type, () => setTimeout(() => window.close(), 20));
  })()`);
}

/** The popup that came in place of another one. */
async function nextPopup(before: string | undefined): Promise<Attached> {
  await expect
    .poll(async () => (await popups()).some(({ targetId }) => targetId !== before), { timeout: 60_000 })
    .toBe(true);
  const next = (await popups()).find(({ targetId }) => targetId !== before);
  return await attach(extension.browser, next?.targetId ?? "");
}

describe("the popup comes back", () => {
  test("at the new row, once the chosen file was taken", async () => {
    const popup = await openDialog();
    const before = (await popups())[0]?.targetId;
    await endWithDialog(popup);
    await chooseFiles(popup, file).catch(() => {});
    const again = await nextPopup(before);
    await expect.poll(() => again.evaluate(focusedRow)).toBe(basename(file));
    await expect.poll(async () => (await service.uploads())[0]?.offset).toBe(SIZE);
    await expectWhole(service, SIZE);
    expect(await extension.inWorker("chrome.storage.session.get('dialog').then(JSON.stringify)")).toBe("{}");
    await again.evaluate("void setTimeout(() => window.close())");
    await again.detach();
    await clearList(extension);
  });

  test("although the worker died while the dialog was open", async () => {
    const popup = await openDialog();
    const before = (await popups())[0]?.targetId;
    await endWithDialog(popup);
    await extension.inWorker("globalThis.former = true");
    // By the page below: a new one would close the popup.
    const session = await extension.context.newCDPSession(extension.context.pages()[0] as Page);
    await session.send("ServiceWorker.enable");
    await session.send("ServiceWorker.stopAllWorkers");
    await session.detach();
    await expect.poll(() => extension.inWorker("globalThis.former === true").catch(() => false)).toBe(false);
    await chooseFiles(popup, file).catch(() => {});
    const again = await nextPopup(before);
    await expect.poll(() => again.evaluate(focusedRow)).toBe(basename(file));
    await again.evaluate("void setTimeout(() => window.close())");
    await again.detach();
    await clearList(extension);
  });

  test("after a dialog that was cancelled", async () => {
    const popup = await openDialog();
    const before = (await popups())[0]?.targetId;
    await endWithDialog(popup);
    await popup
      .evaluate("document.querySelector('#files').dispatchEvent(new Event('cancel', { bubbles: true }))")
      .catch(() => {});
    const again = await nextPopup(before);
    await expect.poll(() => again.evaluate("document.querySelector('#choose-videos').disabled")).toBe(false);
    expect(await service.requests("POST")).toEqual([]);
    await again.evaluate("void setTimeout(() => window.close())");
    await again.detach();
    await clearList(extension);
  });
});
