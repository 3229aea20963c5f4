/** The end of a stream from the browser's menus to the service. Its window by itself is tested with the other pages. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useService } from "../service/use-service.ts";
import { changeOptions } from "./actions.ts";
import { loaded } from "./extension.ts";
import { stopWorkers } from "./raw-target.ts";
import { useExtension } from "./use-extension.ts";

const service = useService({ refuseOrigin: true });
const extension = useExtension(service, { cleanUp: "pages" });

/** What the browser tells of a click in its menu, which itself is out of reach. */
type Clicked = Partial<chrome.contextMenus.OnClickData> & { menuItemId: string };

async function clickMenu(clicked: Clicked): Promise<void> {
  const info = JSON.stringify({ editable: false, pageUrl: "https://video.example/", ...clicked });
  await extension.inWorker(`chrome.contextMenus.onClicked.dispatch(${info}, { id: 1 })`);
}

/** The confirmation window that a click in the menu opens. */
async function openWindow(clicked: Clicked): Promise<Page> {
  const [page] = await Promise.all([extension.context.waitForEvent("page"), clickMenu(clicked)]);
  await loaded(page, /\/terminate\.html/);
  return page;
}

const select = (selectionText: string) => openWindow({ menuItemId: "selection", selectionText });
const idIn = (page: Page) => page.getByLabel("Stream id").inputValue();
const end = (page: Page) => page.getByRole("button", { name: "End stream" }).click();
const told = (page: Page, title: string) => page.getByText(title, { exact: true }).waitFor();
const deletes = () => service.requests("DELETE");
const isLive = async (id: string) => (await service.streams()).find((each) => each.id === id)?.live;

test("the browser takes the menus, on pages about a stream only while the setting names some", async () => {
  const exists = (id: string) =>
    extension.inWorker<boolean>(`chrome.contextMenus.update("${id}", {}).then(() => true, () => false)`);
  for (const id of ["selection", "link", "action", "page"]) expect(await exists(id), id).toBe(true);
  await changeOptions(extension, (options) => options.getByLabel("Pages about a stream").fill(""));
  await expect.poll(() => exists("page")).toBe(false);
  expect(await exists("selection")).toBe(true);
  await extension.inWorker(`void (() => {
    globalThis.refused = [];
    const { create } = chrome.contextMenus;
    chrome.contextMenus.create = (entry) =>
      create.call(chrome.contextMenus, entry, () => refused.push(chrome.runtime.lastError?.message));
  })()`);
  await changeOptions(extension, async (options) => {
    await options.getByLabel("Only on pages of these addresses").check();
    const named =
      "dashboard.example\nhttps://video.example/live\n*://*.studio.example/*\n[::1]\nlocalhost:3000";
    await options.getByLabel("Addresses of pages").fill(named);
    await options.getByLabel("Pages about a stream").fill("/streams?/([^/?#]+)");
  });
  await expect.poll(() => exists("page")).toBe(true);
  expect((await extension.inWorker<unknown[]>("refused")).filter(Boolean)).toEqual([]);
});

test("a click on a link or a page means its stream, whatever is selected there", async () => {
  const there = {
    selectionText: "selected",
    linkUrl: "https://video.example/streams/linked",
    pageUrl: "https://video.example/streams/of-the-page",
  };
  expect(await idIn(await openWindow({ menuItemId: "link", ...there }))).toBe("linked");
  expect(await idIn(await openWindow({ menuItemId: "page", ...there }))).toBe("of-the-page");
});

test("nothing is sent to a host that isn't allowed, until the click that allows it and ends the stream", async () => {
  const { hostname, host } = new URL(service.baseUrl);
  await extension.inWorker(`chrome.permissions.remove({ origins: ["http://${hostname}/*"] })`);
  const page = await select("launch-stream");
  await end(page);
  await told(page, "The browser hasn't allowed it yet");
  expect(await deletes()).toEqual([]);
  await extension.allow(`http://${hostname}/*`);
  await page.bringToFront();
  await page.getByRole("button", { name: `Allow ${host} and end` }).click();
  await told(page, "Ended, if it was live");
  expect(await deletes()).toHaveLength(1);
});

test("a worker that is stopped in the middle leaves open whether the stream ended, and its next life repeats nothing", async () => {
  await service.restart();
  await service.set({ latency: 600_000 });
  const page = await select("launch-stream");
  await end(page);
  await expect.poll(deletes).toHaveLength(1);
  await stopWorkers(await extension.context.newCDPSession(page));
  await told(page, "It is not known whether the stream ended");
  await service.set({ latency: 0 });
  // The worker's next life has begun once it has answered.
  const popup = await extension.open("popup.html");
  await popup.locator("#choose-videos:enabled").waitFor();
  await page.bringToFront();
  await page.getByRole("button", { name: "Try again" }).click();
  await told(page, "Ended, if it was live");
  expect(await deletes()).toHaveLength(2);
});

test("without a confirmation the end and a refusal are told by notifications, or in the window where none may be shown", async () => {
  await changeOptions(extension, (options) => options.getByLabel("Ask before ending a stream").uncheck());
  const mayNotify = () =>
    extension.inWorker(`chrome.permissions.contains({ permissions: ["notifications"] })`);
  await expect.poll(mayNotify).toBe(true);
  await extension.inWorker(`void (() => {
    globalThis.shown = [];
    const create = chrome.notifications.create.bind(chrome.notifications);
    chrome.notifications.create = (id, options) => create(id, options).then((made) => (shown.push({ id, ...options }), made));
  })()`);
  const shown = () =>
    extension.inWorker<{ id: string; title: string; message: string }[]>("globalThis.shown");
  const pages = extension.context.pages().length;
  await clickMenu({ menuItemId: "selection", selectionText: "launch-stream" });
  await expect.poll(shown).toMatchObject([{ id: "upcut-stream" }]);
  expect(await isLive("launch-stream")).toBe(false);
  expect(await deletes()).toMatchObject([{ status: 204, origin: null }]);
  await clickMenu({ menuItemId: "selection", selectionText: "no-such-stream" });
  await expect.poll(shown).toHaveLength(2);
  const [, refusal] = await shown();
  expect(refusal?.title).toBe("The service doesn't know this stream");
  expect(refusal?.message).toMatch(/^Stream no-such-stream\. .* The service said: “stream not found”$/);
  expect(JSON.stringify(refusal)).not.toContain(service.token);
  expect(extension.context.pages()).toHaveLength(pages);

  // A click that names no stream, and then one that nobody could be told of.
  expect(await idIn(await openWindow({ menuItemId: "action" }))).toBe("");
  await extension.inWorker(`chrome.permissions.remove({ permissions: ["notifications"] })`);
  await service.startSession("launch-stream");
  expect(await idIn(await select("launch-stream"))).toBe("launch-stream");
  expect(await isLive("launch-stream")).toBe(true);
  expect(await deletes()).toHaveLength(2);
});
