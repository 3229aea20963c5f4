import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MARKER } from "../marker.ts";
import type { SpawnedService } from "../service/spawned.ts";
import { useService } from "../service/use-service.ts";
import { changeOptions, clickToClose } from "./actions.ts";
import type { Extension } from "./extension.ts";
import { useExtension } from "./use-extension.ts";

const STUDIO = "studio/a?take=1#50%";
const service = useService({ refuseOrigin: true });
/** That of the group whose tests run. */
let extension: Extension;

/** What the browser tells of a click in its menu, which itself is out of reach. */
type Clicked = Partial<chrome.contextMenus.OnClickData> & { menuItemId: string };

async function clickMenu(clicked: Clicked): Promise<void> {
  const info = JSON.stringify({ editable: false, pageUrl: "https://video.example/", ...clicked });
  await extension.inWorker(`chrome.contextMenus.onClicked.dispatch(${info}, { id: 1 })`);
}

/** The confirmation window that a click in the menu opens. */
async function openWindow(clicked: Clicked): Promise<Page> {
  const [page] = await Promise.all([extension.context.waitForEvent("page"), clickMenu(clicked)]);
  await page.waitForLoadState();
  return page;
}

const select = (selectionText: string) => openWindow({ menuItemId: "selection", selectionText });
const idIn = (page: Page) => page.getByLabel("Stream id").inputValue();
const focused = (page: Page) => page.locator(":focus").textContent();
const end = (page: Page) => page.getByRole("button", { name: "End stream" }).click();
const told = (page: Page, title: string) => page.getByText(title, { exact: true }).waitFor();
const deletes = () => service.requests("DELETE");
const isLive = async (id: string) => (await service.streams()).find((each) => each.id === id)?.live;
const useAccount = ({ baseUrl, token }: Pick<SpawnedService, "baseUrl" | "token">) =>
  changeOptions(extension, async (options) => {
    await options.getByLabel("Address of the service").fill(baseUrl);
    await options.getByRole("button", { name: "Replace" }).click();
    await options.getByLabel("Token", { exact: true }).fill(token);
  });

describe("with a confirmation window", () => {
  const own = useExtension(service, { cleanUp: "pages" });
  beforeAll(() => {
    extension = own;
  });

  test.each<[string, Clicked, string]>([
    ["selected text", { menuItemId: "selection", selectionText: "  launch-stream\n" }, "launch-stream"],
    ["a selected id that is more than a word", { menuItemId: "selection", selectionText: STUDIO }, STUDIO],
    [
      "a link to a stream",
      { menuItemId: "link", linkUrl: `https://video.example/streams/${encodeURIComponent(STUDIO)}/health` },
      STUDIO,
    ],
    [
      "a link with the id in its query",
      { menuItemId: "link", linkUrl: "https://video.example/watch?id=launch-stream" },
      "launch-stream",
    ],
    ["a link without an id", { menuItemId: "link", linkUrl: "https://video.example/about" }, ""],
    ["the toolbar icon", { menuItemId: "action" }, ""],
    [
      "a page about a stream",
      { menuItemId: "page", pageUrl: "https://video.example/dashboard/stream/launch-stream?tab=health" },
      "launch-stream",
    ],
  ])("finds the id in %s, and Enter ends nothing", async (_, clicked, id) => {
    const page = await openWindow(clicked);
    expect(await idIn(page)).toBe(id);
    if (id === "") expect(await page.locator(":focus").getAttribute("id")).toBe("id");
    else expect(await focused(page)).toBe("Cancel");
    // The page may be gone before the key is released.
    const pressed = page.keyboard.press(id === "" ? "Escape" : "Enter").catch(() => {});
    await Promise.all([page.waitForEvent("close"), pressed]);
    expect(await deletes()).toEqual([]);
  });

  test("its menus are there, on pages only while the setting names some", async () => {
    const exists = (id: string) =>
      extension.inWorker<boolean>(`chrome.contextMenus.update("${id}", {}).then(() => true, () => false)`);
    for (const id of ["selection", "link", "action", "page"]) expect(await exists(id), id).toBe(true);
    await changeOptions(extension, (options) => options.getByLabel("Pages about a stream").fill(""));
    await expect.poll(() => exists("page")).toBe(false);
    expect(await exists("selection")).toBe(true);
    await changeOptions(extension, (options) =>
      options.getByLabel("Pages about a stream").fill("/live/([^/]+)"),
    );
    await expect.poll(() => exists("page")).toBe(true);
    const page = await openWindow({ menuItemId: "page", pageUrl: "https://video.example/live/on-air/now" });
    expect(await idIn(page)).toBe("on-air");
  });

  test("its menus are on pages of the service, on all, or on those that are named", async () => {
    await extension.inWorker(`void (() => {
      globalThis.made = {};
      globalThis.refused = [];
      const { create } = chrome.contextMenus;
      chrome.contextMenus.create = (entry) => {
        made[entry.id] = entry.documentUrlPatterns?.join() ?? "everywhere";
        return create.call(chrome.contextMenus, entry, () => refused.push(chrome.runtime.lastError?.message));
      };
    })()`);
    const made = async () => {
      const { selection, link, page, action } = await extension.inWorker<Record<string, string>>("made");
      return [selection, link, page, action];
    };
    const choose = (label: string, pages = "") =>
      changeOptions(extension, async (options) => {
        await options.getByLabel(label).check();
        if (pages !== "") await options.getByLabel("Addresses of pages").fill(pages);
        await options.getByLabel("Pages about a stream").fill("/streams?/([^/?#]+)");
      });
    await choose("On all pages");
    await expect.poll(made).toEqual(["everywhere", "everywhere", "*://*/*stream*", "everywhere"]);
    const named =
      "dashboard.example\nhttps://video.example/live\n*://*.studio.example/*\n[::1]\nlocalhost:3000";
    await choose("Only on pages of these addresses", named);
    const patterns =
      "*://*.dashboard.example/*,https://video.example/live*,*://*.studio.example/*,*://[::1]/*,*://localhost/*";
    await expect
      .poll(made)
      .toEqual([
        patterns,
        patterns,
        "*://*.dashboard.example/*stream*,https://video.example/live*,*://*.studio.example/*stream*,*://[::1]/*stream*,*://localhost/*stream*",
        "everywhere",
      ]);
    await choose("On pages of your service");
    await expect
      .poll(made)
      .toEqual(["*://127.0.0.1/*", "*://127.0.0.1/*", "*://127.0.0.1/*stream*", "everywhere"]);
    expect((await extension.inWorker<unknown[]>("refused")).filter(Boolean)).toEqual([]);
  });

  test("ends a live session, although the service refuses any Origin", async () => {
    expect(await isLive("launch-stream")).toBe(true);
    const page = await select("launch-stream");
    await end(page);
    await told(page, "Ended, if it was live");
    expect(await focused(page)).toBe("Close");
    expect(await isLive("launch-stream")).toBe(false);
    expect(await deletes()).toMatchObject([
      { path: "/stream/launch-stream/terminate", status: 204, origin: null, hasAuthorization: true },
    ]);
  });

  test("sends the id as it was given, as one segment", async () => {
    const page = await select(STUDIO);
    await end(page);
    await told(page, "Ended, if it was live");
    expect(await isLive(STUDIO)).toBe(false);
    expect(await isLive("launch-stream")).toBe(true);
    expect(await deletes()).toMatchObject([{ path: "/stream/studio%2Fa%3Ftake%3D1%2350%25/terminate" }]);
  });

  test("ends the stream of the corrected id", async () => {
    const page = await select("launch-strean");
    await page.getByLabel("Stream id").fill("launch-stream");
    await page.keyboard.press("Enter");
    await told(page, "Ended, if it was live");
    expect(await deletes()).toMatchObject([{ path: "/stream/launch-stream/terminate" }]);
  });

  test.each(["..", ".", "a\tb", "   "])("never sends %j, which is no id", async (id) => {
    const page = await openWindow({ menuItemId: "action" });
    await page.getByLabel("Stream id").fill(id);
    await end(page);
    await page.locator("#id[aria-invalid=true]").waitFor();
    expect(await deletes()).toEqual([]);
  });

  test.each([false, true])(
    "tells an unknown stream by the service's own sentence, nested: %j",
    async (nestedErrors) => {
      await service.set({ nestedErrors });
      const page = await select("no-such-stream");
      await end(page);
      await told(page, "The service doesn't know this stream");
      expect(await page.getByRole("blockquote").textContent()).toBe("stream not found");
      await page.getByLabel("Stream id").fill("launch-stream");
      await end(page);
      await told(page, "Ended, if it was live");
      expect(await deletes()).toMatchObject([{ status: 404 }, { status: 204 }]);
    },
  );

  test("counts down after a call too soon, and ends the session then", async () => {
    await service.set({ terminateCooldown: 2 });
    // Another call for the same stream, a moment before.
    const authorization = `Bearer ${service.token}`;
    await fetch(`${service.baseUrl}/stream/launch-stream/terminate`, {
      method: "DELETE",
      headers: { authorization },
    });
    await service.startSession("launch-stream");
    const page = await select("launch-stream");
    await end(page);
    await told(page, "Too soon after the last request");
    expect(await isLive("launch-stream")).toBe(true);
    const again = page.locator("#end");
    expect(await again.textContent()).toMatch(/^Try again in [45] sec$/);
    await again.click({ force: true });
    expect(await deletes()).toHaveLength(2);
    await page.getByRole("button", { name: "Try again", exact: true }).click();
    await told(page, "Ended, if it was live");
    expect(await deletes()).toMatchObject([{ status: 204 }, { status: 429 }, { status: 204 }]);
  });

  test("waits as long as the service asks", async () => {
    await service.set({ answerStatus: [{ host: "api", status: 429, retryAfter: "1", times: 1 }] });
    const page = await select("launch-stream");
    await end(page);
    await page.getByRole("button", { name: "Try again in 1 sec" }).waitFor();
    await page.getByRole("button", { name: "Try again", exact: true }).click();
    await told(page, "Ended, if it was live");
  });

  test("names the path at a wrong prefix, and works once it is set", async () => {
    await service.set({ streamPrefix: "/api" });
    const page = await select("launch-stream");
    await end(page);
    await told(page, "There is no such service at this address");
    await page.getByText("under Advanced the path that ends a stream").waitFor();
    await clickToClose(page.getByRole("button", { name: "Open options" }));
    await changeOptions(extension, (options) =>
      options.getByLabel("Path that ends a stream").fill("/api/stream/{id}/terminate"),
    );
    const again = await select("launch-stream");
    await end(again);
    await told(again, "Ended, if it was live");
    expect(await isLive("launch-stream")).toBe(false);
    await changeOptions(extension, (options) => options.getByLabel("Path that ends a stream").fill(""));
  });

  test("leads to the options when the token is refused, and shows it nowhere", async () => {
    await useAccount({ baseUrl: service.baseUrl, token: `${MARKER}-unknown-token` });
    const page = await select("launch-stream");
    await end(page);
    await told(page, "The service doesn't accept the token");
    // The service's sentence repeats the token.
    expect(await page.getByRole("blockquote").textContent()).toBe("no token [removed] found");
    expect(await page.content()).not.toContain(MARKER);
    expect(await focused(page)).toBe("Open options");
    expect(await isLive("launch-stream")).toBe(true);
    await useAccount(service);
  });

  test("sends nothing to a host that isn't allowed, until it is allowed by the click that ends the session", async () => {
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
});

describe("when the line or the worker dies", () => {
  const own = useExtension(service, { cleanUp: "pages" });
  beforeAll(() => {
    extension = own;
  });
  // What is sent on a connection kept from before, Chromium itself sends again.
  beforeEach(() => service.restart());

  test("a lost answer leaves open whether the stream ended, and nothing is repeated by itself", async () => {
    await service.set({ dropAnswer: [{ host: "api", method: "DELETE" }] });
    const page = await select("launch-stream");
    await end(page);
    await told(page, "It is not known whether the stream ended");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await deletes()).toMatchObject([{ status: "reset" }]);
    expect(await isLive("launch-stream")).toBe(false);
    await service.set({ dropAnswer: [] });
    await page.getByRole("button", { name: "Try again" }).click();
    await told(page, "Ended, if it was live");
    expect(await deletes()).toHaveLength(2);
  });

  test("the worker stopped in the middle leaves it open too, and its next life repeats nothing", async () => {
    await service.set({ latency: 10_000 });
    const page = await select("launch-stream");
    await end(page);
    await expect.poll(deletes).toHaveLength(1);
    const session = await extension.context.newCDPSession(page);
    await session.send("ServiceWorker.enable");
    await session.send("ServiceWorker.stopAllWorkers");
    await told(page, "It is not known whether the stream ended");
    // The next life begins with the next click in a menu.
    await service.set({ latency: 0 });
    await extension.open("popup.html");
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(await deletes()).toHaveLength(1);
    await page.bringToFront();
    await page.getByRole("button", { name: "Try again" }).click();
    await told(page, "Ended, if it was live");
    expect(await deletes()).toHaveLength(2);
    expect(await isLive("launch-stream")).toBe(false);
  });

  test("says that nothing was sent while the browser is offline", async () => {
    const page = await select("launch-stream");
    await extension.context.setOffline(true);
    await end(page);
    await told(page, "No connection to the service");
    await extension.context.setOffline(false);
    expect(await deletes()).toEqual([]);
    await page.getByRole("button", { name: "Try again" }).click();
    await told(page, "Ended, if it was live");
  });
});

describe("without a confirmation", () => {
  const own = useExtension(service, {
    allowed: { permissions: ["notifications"] },
    change: (options) => options.getByLabel("Ask before ending a stream").uncheck(),
    cleanUp: "pages",
  });
  beforeAll(() => {
    extension = own;
  });
  afterEach(async () => {
    if (await isPermitted()) await extension.inWorker(`chrome.notifications.clear("upcut-stream")`);
  });

  const notes = () => extension.inWorker<object>("chrome.notifications.getAll()");
  const isPermitted = () =>
    extension.inWorker<boolean>(`chrome.permissions.contains({ permissions: ["notifications"] })`);

  test("ends the session at once and tells it by a notification, without a window", async () => {
    await expect.poll(isPermitted).toBe(true);
    const pages = extension.context.pages().length;
    await clickMenu({ menuItemId: "selection", selectionText: "launch-stream" });
    await expect.poll(notes).toEqual({ "upcut-stream": true });
    expect(await isLive("launch-stream")).toBe(false);
    expect(await deletes()).toMatchObject([{ status: 204, origin: null }]);
    expect(extension.context.pages()).toHaveLength(pages);
  });

  test("tells a refusal by a notification too, without the token", async () => {
    await extension.inWorker(`(() => {
      const create = chrome.notifications.create.bind(chrome.notifications);
      chrome.notifications.create = (id, options) => { globalThis.shown = options; return create(id, options); };
    })()`);
    await clickMenu({ menuItemId: "selection", selectionText: "no-such-stream" });
    await expect.poll(notes).toEqual({ "upcut-stream": true });
    const shown = await extension.inWorker<{ title: string; message: string }>("globalThis.shown");
    expect(shown.title).toBe("The service doesn't know this stream");
    expect(shown.message).toMatch(/^Stream no-such-stream\. .* The service said: “stream not found”$/);
    expect(JSON.stringify(shown)).not.toContain(service.token);
  });

  test("asks for the id in the window where a click names none", async () => {
    const page = await openWindow({ menuItemId: "action" });
    expect(await idIn(page)).toBe("");
    expect(await deletes()).toEqual([]);
  });

  test("asks in the window, and sends nothing before, when notifications were taken back", async () => {
    await extension.inWorker(`chrome.permissions.remove({ permissions: ["notifications"] })`);
    const page = await select("launch-stream");
    expect(await idIn(page)).toBe("launch-stream");
    expect(await deletes()).toEqual([]);
    expect(await isLive("launch-stream")).toBe(true);
  });
});
