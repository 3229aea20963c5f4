import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useService } from "../service/use-service.ts";
import { content, MiB } from "../support/content.ts";
import { serveVideo } from "../support/hosts/video-server.ts";
import { MARKER } from "../support/marker.ts";
import { useFolder } from "../support/use-folder.ts";
import { useOpened } from "../support/use-opened.ts";
import { choose, start, uploaded } from "./actions.ts";
import { BUILT } from "./build.ts";
import type { LoadOptions } from "./extension.ts";
import { readDatabases } from "./stored-jobs.ts";
import { useExtension } from "./use-extension.ts";

const PAGES = ["options.html", "popup.html", "terminate.html", "offscreen.html", "manifest.json"];
const service = useService({ refuseOrigin: true });
const folder = useFolder("extensions");
const page = { "/": "<!doctype html><title>A page</title><p>launch-stream" };
const site = useOpened(() => serveVideo(0, {}, page));

/**
 * What a script in a page's process tries; each comes to "nothing", or tells what it got, whenever that comes. It is
 * read after the extension has answered its own page, which asks it later.
 */
function tryEverything({ id, pages }: { id: string; pages: string[] }): Record<string, string> {
  const got: Record<string, string> = {};
  const attempt = (name: string, work: () => Promise<unknown>) => {
    got[name] = "nothing";
    const keep = (value: unknown) => {
      if (value !== undefined && value !== null) got[name] = JSON.stringify(value);
    };
    new Promise((resolve) => resolve(work())).then(keep, () => {});
  };
  for (const area of ["local", "session", "sync", "managed"] as const)
    attempt(`storage.${area}`, async () => {
      const all = await chrome.storage[area].get(null);
      return Object.keys(all).length === 0 ? undefined : all;
    });
  for (const type of ["read-settings", "ensure-offscreen", "recall-location", "terminate-stream"]) {
    const message = { to: "background", type, id: "launch-stream", jobId: "any" };
    attempt(`message ${type}`, () => chrome.runtime.sendMessage(message));
    attempt(`message ${type} by id`, () => chrome.runtime.sendMessage(id, message));
  }
  attempt("connect", () => {
    const line = chrome.runtime.connect(id);
    line.postMessage({ to: "background", type: "read-settings" });
    return new Promise((resolve) => line.onMessage.addListener(resolve));
  });
  for (const page of pages)
    attempt(`fetch ${page}`, async () => (await fetch(`chrome-extension://${id}/${page}`)).text());
  attempt("broadcast", () => {
    const news = new BroadcastChannel("upcut-from-offscreen");
    new BroadcastChannel("upcut-to-offscreen").postMessage({ type: "hello" });
    return new Promise((resolve) => {
      news.onmessage = ({ data }) => resolve(data);
    });
  });
  attempt("databases", async () => {
    const found = await indexedDB.databases();
    return found.length === 0 ? undefined : found;
  });
  return got;
}

/** The built extension injects no script: here it is given one, all else is left as it is, and a stranger beside it. */
const extension = useExtension(service, { load: writeExtensions, cleanUp: "nothing" });

async function writeExtensions(): Promise<Pick<LoadOptions, "folder" | "beside">> {
  const [own, stranger] = ["own", "stranger"].map((name) => join(folder.path, name)) as [string, string];
  await cp(BUILT, own, { recursive: true });
  await mkdir(stranger);
  const manifest = JSON.parse(await readFile(join(own, "manifest.json"), "utf8"));
  const foreign = { manifest_version: 3, name: "Stranger", version: "1", permissions: ["storage"] };
  for (const [name, path, given] of [
    ["own", own, manifest],
    ["stranger", stranger, foreign],
  ] as const) {
    await writeFile(join(path, "probe.js"), scriptNamed(name));
    await writeFile(
      join(path, "manifest.json"),
      JSON.stringify({ ...given, content_scripts: CONTENT_SCRIPTS }),
    );
  }
  return { folder: own, beside: [stranger] };
}

/** A content script that tries everything as soon as a page asks, and leaves in the page what has come of it. */
const scriptNamed = (name: string) => `let got;
addEventListener("try", ({ detail }) => { got = (${tryEverything})(JSON.parse(detail)); });
addEventListener("tell", () => { document.documentElement.dataset.${name} = JSON.stringify(got); });
document.documentElement.dataset.${name} = "there";`;
const CONTENT_SCRIPTS = [{ matches: ["http://*/*"], js: ["probe.js"], run_at: "document_end" }];

/** The extension has answered a page of its own whatever was asked before. */
async function answerOwnPage(): Promise<void> {
  const popup = await extension.open("popup.html");
  await popup.locator("#choose-videos:enabled").waitFor();
  const ask = { to: "background", type: "read-settings" };
  const settings = await popup.evaluate((ask) => chrome.runtime.sendMessage(ask), ask);
  expect(settings).toMatchObject({ address: service.baseUrl });
  expect(JSON.stringify(settings)).not.toContain(MARKER);
  await popup.close();
}

/** What a script of the stranger and one of the extension's own got in a page. */
async function injected(page: Page): Promise<Record<"stranger" | "own", Record<string, string>>> {
  const html = page.locator("html[data-stranger][data-own]");
  await html.waitFor({ state: "attached" });
  const detail = JSON.stringify({ id: extension.id, pages: PAGES });
  await page.evaluate((detail) => dispatchEvent(new CustomEvent("try", { detail })), detail);
  await answerOwnPage();
  await page.evaluate(() => dispatchEvent(new Event("tell")));
  const { stranger = "", own = "" } = await html.evaluate((each) => ({ ...each.dataset }));
  return { stranger: JSON.parse(stranger), own: JSON.parse(own) };
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

test("a page, a script of another extension in it, and one of the extension's own read nothing, though that one could", async () => {
  const page = await extension.context.newPage();
  // A page whose address names the extension is none of its pages.
  await page.goto(`${site.origin}/?chrome-extension://${extension.id}/`);
  const { stranger, own } = await injected(page);
  expectNothing(stranger);
  expectNothing(own);
  const got = await page.evaluateHandle(tryEverything, { id: extension.id, pages: PAGES });
  await answerOwnPage();
  expectNothing(await got.jsonValue());
  expect(await service.requests("DELETE")).toEqual([]);
  // Had the background not restricted the storage, so that the trial is a real one.
  const setAccess = (accessLevel: string) =>
    extension.inWorker(`chrome.storage.local.setAccessLevel({ accessLevel: "${accessLevel}" })`);
  await setAccess("TRUSTED_AND_UNTRUSTED_CONTEXTS");
  await page.reload();
  expect((await injected(page)).own["storage.local"]).toContain(service.token);
  await setAccess("TRUSTED_CONTEXTS");
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
  const heard = () => listener.evaluate(() => JSON.stringify((globalThis as { heard?: unknown[] }).heard));
  await service.set({
    latency: 600_000,
    throttle: MiB / 2,
    answerStatus: [{ host: "upload", method: "PATCH", status: 503, times: 1 }],
  });
  const popup = await extension.open("popup.html");
  await choose(popup, { name: "secret.mp4", bytes: content(6 * MiB) });
  const row = await start(popup, "secret.mp4");
  // Pages don't hear of a state that lasts less than a moment.
  await expect.poll(heard).toContain('"requesting"');
  await service.set({ latency: 0 });
  // The location stands in the list's own store alone, and only as long as it is needed.
  await expect.poll(() => readDatabases(popup)).toContain(MARKER);
  expect(await readDatabases(popup)).not.toContain(service.token);
  expect(await shown(popup)).not.toContain(MARKER);
  await service.set({ throttle: 0 });
  await uploaded(row);
  expect(await service.uploads()).toMatchObject([{ offset: 6 * MiB }]);
  await service.reset();

  for (const expected of ["waiting", "uploading", "done", "list-changed"])
    await expect.poll(heard).toContain(`"${expected}"`);
  expect(await heard()).not.toContain(MARKER);
  await expect.poll(() => readDatabases(popup)).not.toContain(MARKER);
  const session = await extension.inWorker<string>(
    "chrome.storage.session.get(null).then((all) => JSON.stringify(all))",
  );
  expect(session).not.toContain(MARKER);
  expect(await shown(popup)).not.toContain(MARKER);
  await popup.close();
  await listener.close();
});

test("a service that repeats the refused token shows it to nobody", async () => {
  await extension.inWorker(`chrome.storage.local.set({ token: "${MARKER}-unknown" })`);
  const popup = await extension.open("popup.html");
  await choose(popup, { name: "refused.mp4", bytes: content(MiB) });
  const row = await start(popup, "refused.mp4");
  await row.getByText("The service doesn't accept the token.").waitFor();
  expect(await shown(popup)).not.toContain(MARKER);
  expect(await readDatabases(popup)).not.toContain(MARKER);
  await popup.close();
});
