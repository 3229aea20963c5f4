import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { content } from "../content.ts";
import { MARKER } from "../marker.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { changeOptions, choose, rowOf } from "./actions.ts";
import { BUILT } from "./build.ts";
import type { Extension } from "./extension.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
const PAGES = ["options.html", "popup.html", "terminate.html", "offscreen.html", "manifest.json"];
const service = useService({ refuseOrigin: true });
let extension: Extension;
let folder: { path: string; remove(): Promise<void> };
let server: Server;
let port: number;

/** What a script in a page's process tries; each comes to "nothing", or tells what it got. */
async function tryEverything({
  id,
  pages,
}: {
  id: string;
  pages: string[];
}): Promise<Record<string, string>> {
  const got: Record<string, string> = {};
  const attempt = async (name: string, work: () => unknown) => {
    const late = new Promise((resolve) => setTimeout(resolve, 1000));
    try {
      const value = await Promise.race([work(), late]);
      got[name] = value === undefined || value === null ? "nothing" : JSON.stringify(value);
    } catch {
      got[name] = "nothing";
    }
  };
  for (const area of ["local", "session", "sync", "managed"] as const)
    await attempt(`storage.${area}`, async () => {
      const all = await chrome.storage[area].get(null);
      return Object.keys(all).length === 0 ? undefined : all;
    });
  for (const type of ["read-settings", "ensure-offscreen", "recall-location", "terminate-stream"]) {
    const message = { to: "background", type, id: "launch-stream", jobId: "any" };
    await attempt(`message ${type}`, () => chrome.runtime.sendMessage(message));
    await attempt(`message ${type} by id`, () => chrome.runtime.sendMessage(id, message));
  }
  await attempt("connect", () => {
    const line = chrome.runtime.connect(id);
    return new Promise((resolve) => {
      line.onMessage.addListener(resolve);
      line.onDisconnect.addListener(() => resolve(undefined));
      line.postMessage({ to: "background", type: "read-settings" });
    });
  });
  for (const page of pages)
    await attempt(`fetch ${page}`, async () => (await fetch(`chrome-extension://${id}/${page}`)).text());
  await attempt("broadcast", () => {
    const news = new BroadcastChannel("upcut-from-offscreen");
    new BroadcastChannel("upcut-to-offscreen").postMessage({ type: "hello" });
    return new Promise((resolve) => {
      news.onmessage = ({ data }) => resolve(data);
    });
  });
  await attempt("databases", async () => {
    const found = await indexedDB.databases();
    return found.length === 0 ? undefined : found;
  });
  return got;
}

beforeAll(async () => {
  folder = await scratchFolder("extensions");
  server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><title>A page</title><p>launch-stream");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server?.close();
  await folder?.remove();
});

/** A content script that tries everything as soon as a page asks, and leaves in the page what came of it. */
const SCRIPT = `addEventListener("try", async ({ detail }) => {
  document.documentElement.dataset.got = JSON.stringify(await (${tryEverything})(JSON.parse(detail)));
});
document.documentElement.dataset.injected = "yes";`;
const CONTENT_SCRIPTS = [{ matches: ["http://*/*"], js: ["probe.js"], run_at: "document_end" }];

async function injected(page: Page, id: string): Promise<Record<string, string>> {
  await page.locator("html[data-injected]").waitFor({ state: "attached" });
  await page.evaluate(
    (detail) => dispatchEvent(new CustomEvent("try", { detail })),
    JSON.stringify({ id, pages: PAGES }),
  );
  await page.locator("html[data-got]").waitFor({ state: "attached" });
  return JSON.parse((await page.getAttribute("html", "data-got")) ?? "");
}

function expectNothing(got: Record<string, string>): void {
  expect(Object.keys(got).length).toBeGreaterThan(15);
  expect(Object.entries(got).filter(([, value]) => value !== "nothing")).toEqual([]);
}

/** Everything that a page of the extension shows or holds in its fields. */
const shown = (page: Page) =>
  page.evaluate(() => {
    const fields = [...document.querySelectorAll("input, textarea")] as HTMLInputElement[];
    return document.documentElement.outerHTML + fields.map(({ value }) => value).join();
  });

/** Everything the extension keeps in IndexedDB. */
const stored = (page: Page) =>
  page.evaluate(async () => {
    const all: unknown[] = [];
    for (const { name = "" } of await indexedDB.databases()) {
      const open = indexedDB.open(name);
      const database = await new Promise<IDBDatabase>((resolve) => {
        open.onsuccess = () => resolve(open.result);
      });
      for (const store of database.objectStoreNames) {
        const get = database.transaction(store).objectStore(store).getAll();
        all.push(
          ...(await new Promise<unknown[]>((resolve) => {
            get.onsuccess = () => resolve(get.result);
          })),
        );
      }
      database.close();
    }
    return JSON.stringify(all);
  });

describe("the extension as it is, beside a stranger", () => {
  const withStranger = async () => {
    const stranger = join(folder.path, "stranger");
    await mkdir(stranger);
    await writeFile(join(stranger, "probe.js"), SCRIPT);
    await writeFile(
      join(stranger, "manifest.json"),
      JSON.stringify({
        manifest_version: 3,
        name: "Stranger",
        version: "1",
        permissions: ["storage"],
        content_scripts: CONTENT_SCRIPTS,
      }),
    );
    return { beside: [stranger] };
  };
  const own = useExtension(service, { load: withStranger, cleanUp: "nothing" });
  beforeAll(() => {
    extension = own;
  });

  // The extension may reach the first host and not the second.
  describe.each(["127.0.0.1", "localhost"])("on a page of %s", (host) => {
    let page: Page;
    beforeAll(async () => {
      page = await extension.context.newPage();
      await page.goto(`http://${host}:${port}/`);
    });
    afterAll(() => page.close());

    test("the page reads nothing and is not answered", async () => {
      expectNothing(await page.evaluate(tryEverything, { id: extension.id, pages: PAGES }));
    });

    test("a script of another extension reads nothing and is not answered", async () => {
      expectNothing(await injected(page, extension.id));
    });

    test("the page can neither frame nor open the extension's pages", async () => {
      for (const path of PAGES.slice(0, 4)) {
        const address = `chrome-extension://${extension.id}/${path}`;
        const framed = await page.evaluate(async (src) => {
          const frame = Object.assign(document.createElement("iframe"), { src });
          document.body.append(frame);
          await new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
          return [...document.querySelectorAll("iframe")].indexOf(frame);
        }, address);
        expect(page.frames()[framed + 1]?.url(), path).toBe("chrome-error://chromewebdata/");
        const [opened] = await Promise.all([
          extension.context.waitForEvent("page"),
          page.evaluate((address) => void open(address), address),
        ]);
        await opened.waitForLoadState();
        expect(opened.url(), path).not.toContain(extension.id);
        await opened.close();
      }
    });
  });

  test("no session ended through all this", async () => {
    expect(await service.requests("DELETE")).toEqual([]);
  });

  test("the saved token is nowhere in the options page, nor in what the background tells pages", async () => {
    const page = await extension.open("options.html");
    for (const again of [false, true]) {
      if (again) await page.reload();
      await page.getByRole("button", { name: "Replace" }).waitFor();
      expect(await shown(page)).not.toContain(MARKER);
      await page.getByRole("button", { name: "Replace" }).click();
      expect(await shown(page)).not.toContain(MARKER);
    }
    const settings = await page.evaluate(() =>
      chrome.runtime.sendMessage({ to: "background", type: "read-settings" }),
    );
    expect(settings).toMatchObject({ address: service.baseUrl });
    expect(JSON.stringify(settings)).not.toContain(MARKER);
    // It forgets what was pasted, too, as soon as it is saved.
    await page.getByLabel("Token", { exact: true }).fill(service.token);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("status").filter({ hasText: "Saved" }).waitFor();
    expect(await shown(page)).not.toContain(MARKER);
    await page.close();
  });

  test("while uploading, pages hear of no token and no location, and nothing of them is left behind", async () => {
    const listener = await extension.open("options.html");
    await listener.evaluate(() => {
      const heard: unknown[] = [];
      Object.assign(globalThis, { heard });
      for (const name of ["upcut-to-offscreen", "upcut-from-offscreen"])
        new BroadcastChannel(name).onmessage = ({ data }) => heard.push(data);
      chrome.runtime.onMessage.addListener((message) => void heard.push(message));
    });
    await service.set({
      throttle: MiB / 2,
      answerStatus: [{ host: "upload", method: "PATCH", status: 503, times: 1 }],
    });
    const popup = await extension.open("popup.html");
    await choose(popup, { name: "secret.mp4", bytes: content(6 * MiB) });
    await rowOf(popup, "secret.mp4").getByRole("button", { name: "Start" }).click();
    // The location stands in the list's own store alone, and only as long as it is needed.
    await expect.poll(() => stored(popup)).toContain(MARKER);
    expect(await stored(popup)).not.toContain(service.token);
    expect(await shown(popup)).not.toContain(MARKER);
    await service.set({ throttle: 0 });
    await rowOf(popup, "secret.mp4").getByText("Uploaded").waitFor();
    expect(await service.uploads()).toMatchObject([{ offset: 6 * MiB }]);
    await service.reset();

    const heard = await listener.evaluate(() => JSON.stringify((globalThis as { heard?: unknown[] }).heard));
    for (const expected of ["requesting", "waiting", "uploading", "done", "list-changed"])
      expect(heard).toContain(`"${expected}"`);
    expect(heard).not.toContain(MARKER);
    await expect.poll(() => stored(popup)).not.toContain(MARKER);
    const session = await extension.inWorker<string>(
      "chrome.storage.session.get(null).then((all) => JSON.stringify(all))",
    );
    expect(session).not.toContain(MARKER);
    expect(await shown(popup)).not.toContain(MARKER);
    await popup.close();
    await listener.close();
  });

  test("a service that repeats the refused token shows it to nobody", async () => {
    await changeOptions(extension, async (options) => {
      await options.getByRole("button", { name: "Replace" }).click();
      await options.getByLabel("Token", { exact: true }).fill(`${MARKER}-unknown`);
    });
    const popup = await extension.open("popup.html");
    await choose(popup, { name: "refused.mp4", bytes: content(MiB) });
    await rowOf(popup, "refused.mp4").getByRole("button", { name: "Start" }).click();
    await rowOf(popup, "refused.mp4").getByText("no token [removed] found").waitFor();
    expect(await shown(popup)).not.toContain(MARKER);
    expect(await stored(popup)).not.toContain(MARKER);
    await popup.close();
  });
});

describe("a script of its own in a page, if it had one", () => {
  const withScript = async () => {
    // The built extension injects none: here it is given one, and all else is left as it is.
    const injecting = join(folder.path, "injecting");
    await cp(BUILT, injecting, { recursive: true });
    await writeFile(join(injecting, "probe.js"), SCRIPT);
    const path = join(injecting, "manifest.json");
    const manifest = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...manifest, content_scripts: CONTENT_SCRIPTS }));
    return { folder: injecting };
  };
  const own = useExtension(service, { load: withScript, cleanUp: "nothing" });
  beforeAll(() => {
    extension = own;
  });

  test.each(["127.0.0.1", "localhost"])("reads nothing and is not answered on %s", async (host) => {
    const page = await extension.context.newPage();
    await page.goto(`http://${host}:${port}/`);
    expectNothing(await injected(page, extension.id));
    await page.close();
  });

  test("would read the token if the background had not restricted the storage, so the trial is a real one", async () => {
    await extension.inWorker(
      `chrome.storage.local.setAccessLevel({ accessLevel: "TRUSTED_AND_UNTRUSTED_CONTEXTS" })`,
    );
    const page = await extension.context.newPage();
    await page.goto(`http://localhost:${port}/`);
    expect((await injected(page, extension.id))["storage.local"]).toContain(service.token);
  });
});
