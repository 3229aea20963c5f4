/** What a person does with the extension: sets it up, chooses files, watches the list. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import type { AddressedVideo } from "../../entrypoints/shared/messages.ts";
import type { SpawnedService } from "../service/spawned.ts";
import type { Extension } from "./extension.ts";

/**
 * Stores an account as one that is connected, without the call that checks it, which would be among the requests that a
 * test counts, and changes what else is wanted in the options. New uploads wait until they are started, unless that is
 * changed: most tests start them by hand.
 */
export async function setUp(
  extension: Extension,
  service: Pick<SpawnedService, "baseUrl" | "token">,
  change: (options: Page) => Promise<void> = async () => {},
): Promise<void> {
  const { hostname } = new URL(service.baseUrl);
  await extension.allow(`http://${hostname}/*`);
  const settings = { address: service.baseUrl, reviewFirst: true };
  await extension.inWorker(`chrome.storage.local.set(${JSON.stringify({ settings, token: service.token })})`);
  // The click that saves asks for the host as well.
  await changeOptions(extension, change);
}

/** Changes what is wanted on the options page, and saves. */
export async function changeOptions(
  extension: Extension,
  change: (options: Page) => Promise<void>,
): Promise<void> {
  const options = await openOptions(extension);
  await change(options);
  await options.getByRole("button", { name: "Save", exact: true }).click();
  await options.getByRole("status").filter({ hasText: "Saved" }).waitFor();
  await options.close();
}

/** Opens the options with all that is folded away in them. */
export async function openOptions(extension: Pick<Extension, "open">): Promise<Page> {
  const options = await extension.open("options.html");
  await options.getByRole("button", { name: "Save", exact: true }).waitFor();
  await options.evaluate(() => {
    for (const section of document.querySelectorAll("details")) section.open = true;
  });
  return options;
}

/** Chooses files in the popup, opened in a tab: made ones, or one on disk by its path. */
export async function choose(
  popup: Page,
  ...files: ({ name: string; bytes: Uint8Array } | string)[]
): Promise<void> {
  // The button is enabled once the uploads have answered; before, nothing would take the files.
  await popup.locator("#choose-videos:enabled").waitFor();
  const paths = files.map((file) => (typeof file === "string" ? file : onDisk(file)));
  await popup.locator("#files").setInputFiles(paths);
}

/** Made files are written to disk: decoded in the page they cost it a second for each 5 MiB. */
function onDisk({ name, bytes }: { name: string; bytes: Uint8Array }): string {
  if (chosen === undefined) {
    const made = mkdtempSync(join(tmpdir(), "upcut-chosen-"));
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    chosen = made;
  }
  const path = join(mkdtempSync(join(chosen, "file-")), name);
  writeFileSync(path, bytes);
  return path;
}
let chosen: string | undefined;

/** Empties the list and what it remembers of uploads, and closes all pages of the extension. */
export async function clearList(extension: Extension): Promise<void> {
  await closePages(extension);
  await extension.inWorker(CLEAR_LIST);
}

/** The list's one writer takes its rows out, in a document that may have to be opened. */
const CLEAR_LIST = `(async () => {
  const asks = new BroadcastChannel("upcut-to-offscreen");
  const done = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
  const names = (await indexedDB.databases()).map(({ name }) => name);
  if (!names.includes("upcut")) return;
  const database = await done(indexedDB.open("upcut"));
  const keys = () => done(database.transaction("jobs").objectStore("jobs").getAllKeys());
  for (let jobIds = await keys(); jobIds.length > 0; jobIds = await keys()) {
    await chrome.offscreen
      .createDocument({ url: "offscreen.html", reasons: ["BLOBS"], justification: "a test" })
      .catch(() => "is open");
    asks.postMessage({ type: "remove", jobIds });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  asks.close();
  database.close();
  await done(indexedDB.deleteDatabase("upcut-history"));
})()`;

/** Closes all pages but the first, with which the browser would end. */
export async function closePages({ context }: Pick<Extension, "context">): Promise<void> {
  for (const page of context.pages().slice(1)) await page.close();
}

export function rowOf(popup: Page, name: string): Locator {
  return popup.getByRole("listitem").filter({ hasText: name });
}

/** Starts a draft, and returns its row. */
export async function start(popup: Page, name = "video.mp4"): Promise<Locator> {
  const row = rowOf(popup, name);
  await row.getByRole("button", { name: "Start", exact: true }).click();
  return row;
}

/** Chooses a made file, and starts its draft. */
export async function send(popup: Page, name: string, bytes: Uint8Array): Promise<Locator> {
  await choose(popup, { name, bytes });
  return await start(popup, name);
}

/** Waits until a row says that all of it has arrived. */
export async function uploaded(row: Locator): Promise<void> {
  await row.getByText(/^Uploaded/).waitFor();
}

/** Opens the form of a draft, and gives it a name where one is wanted. */
export async function editDraft(row: Locator, name?: string): Promise<void> {
  await row.getByRole("button", { name: "Edit" }).click();
  if (name !== undefined) await row.getByLabel("Name").fill(name);
}

/** Hands videos at addresses over, as the popup does. */
export async function handAddresses(popup: Page, ...videos: AddressedVideo[]): Promise<void> {
  await popup.locator("#choose-videos:enabled").waitFor();
  await popup.evaluate((videos) => {
    new BroadcastChannel("upcut-to-offscreen").postMessage({ type: "addresses", batch: "test", videos });
  }, videos);
}

/** Allows a host, and clicks the button of a row that asks for it. */
export async function allowByClick({ allow }: Extension, row: Locator, pattern: string): Promise<void> {
  const button = row.getByRole("button", { name: /^Allow [\w.:[\]-]+$/ });
  await button.waitFor();
  await allow(pattern);
  await button.click();
}

export async function giveFile(row: Locator, file: string): Promise<void> {
  const chooser = row.page().waitForEvent("filechooser");
  await row.getByRole("button", { name: "Choose file…" }).click();
  await (await chooser).setFiles(file);
}

/** Drops a file of the disk on a page, so that the page gets its handle. */
export async function drop(page: Page, file: string): Promise<void> {
  await page.locator("#choose-videos:enabled").waitFor();
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await session.send("Input.dispatchDragEvent", { type, x: 150, y: 150, data });
  }
  await session.detach();
}

/** Hands over a file of the extension's own disk: its handle can be kept and needs no permission. */
export async function handOverOwn(popup: Page, path: string, name = "video.mp4"): Promise<void> {
  await popup.locator("#choose-videos:enabled").waitFor();
  await popup.evaluate(() => {
    document.body.append(Object.assign(document.createElement("input"), { type: "file", id: "own" }));
  });
  await popup.locator("#own").setInputFiles(path);
  await popup.evaluate(async (name) => {
    const input = document.getElementById("own") as HTMLInputElement;
    const root = await navigator.storage.getDirectory();
    const handle = await root.getFileHandle(name, { create: true });
    const writable = await handle.createWritable();
    await writable.write(input.files?.[0] as File);
    await writable.close();
    input.remove();
    const files = [{ file: await handle.getFile(), handle }];
    new BroadcastChannel("upcut-to-offscreen").postMessage({ type: "files", batch: "own", files });
  }, name);
}

/** Clicks a button that closes its own page, which may be gone before the click has ended. */
export async function clickToClose(button: Locator): Promise<void> {
  const closed = button.page().waitForEvent("close");
  // A click that failed for another reason leaves the page open, and the wait for its end fails.
  await button.click().catch(() => {});
  await closed;
}
