/** The popup's page by itself in Chromium, with the rest of the extension played by a few lines. */

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { build } from "vite";
import type { Findings } from "../../../entrypoints/popup/page-videos/found.ts";
import type { StoredJob } from "../../../entrypoints/shared/job.ts";
import type { OffscreenCommand, OffscreenEvent } from "../../../entrypoints/shared/messages.ts";
import type { Settings } from "../../../entrypoints/shared/settings.ts";
import { launchChromium } from "../../browser/launch.ts";
import { scratchFolder } from "../../scratch.ts";
import { frame } from "./findings.ts";

const entrypoints = fileURLToPath(new URL("../../../entrypoints/", import.meta.url));

export interface PopupOptions {
  jobs?: StoredJob[];
  settings?: Partial<Settings>;
  token?: string;
  /** The query of a tab. @default none, as in the popup */
  query?: string;
  dark?: boolean;
  /** Whether the offscreen document answers. @default true */
  answers?: boolean;
  /** What the collector gives of the page's frames, if it gets in and is answered. @default no videos */
  found?: Findings[] | "closed" | "stuck";
  /** Whether the person allows hosts. @default true */
  agrees?: boolean;
}

export interface Popup {
  page: Page;
  /** What the page told the offscreen document, hellos left out. */
  asks(): Promise<OffscreenCommand[]>;
  /** What it called of the extension's API. */
  calls(): Promise<string[]>;
  /** Plays the offscreen document. */
  tell(news: OffscreenEvent): Promise<void>;
  /** Rejects if the page threw anything. */
  close(): Promise<void>;
}

export interface PopupHouse {
  open(options?: PopupOptions): Promise<Popup>;
  close(): Promise<void>;
}

const TYPES: Record<string, string> = { html: "text/html", js: "text/javascript", css: "text/css" };

/** Builds the page as it is shipped, serves it, and starts the browser. */
export async function openHouse(): Promise<PopupHouse> {
  const folder = await scratchFolder("popup");
  await build({
    root: entrypoints,
    logLevel: "warn",
    configFile: false,
    build: {
      outDir: folder.path,
      emptyOutDir: true,
      rolldownOptions: { input: join(entrypoints, "popup/index.html") },
    },
  });
  const server = createServer(async ({ url = "" }, response) => {
    const { pathname } = new URL(url, "http://127.0.0.1");
    const body = await readFile(join(folder.path, pathname)).catch(() => undefined);
    // Anything else is an empty page of the same origin, to fill the database from.
    response.setHeader("content-type", TYPES[pathname.split(".").at(-1) ?? ""] ?? "text/html");
    response.end(body ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { context, close } = await launchChromium();
  const browser = context.browser();
  if (browser === null) throw new Error("Chromium has gone");
  return {
    async open(options = {}) {
      const { jobs = [], settings = {}, token = "set", query = "", dark = false } = options;
      const { answers = true, found = [frame([])], agrees = true } = options;
      const inside = await browser.newContext({
        colorScheme: dark ? "dark" : "light",
        viewport: query === "" ? { width: 380, height: 600 } : { width: 900, height: 700 },
        permissions: ["clipboard-read", "clipboard-write"],
      });
      const page = await inside.newPage();
      await page.goto(`${origin}/nothing`);
      await page.evaluate(fillDatabase as (jobs: never) => Promise<void>, jobs as never);
      // tsx names functions by a helper that a page doesn't have.
      await page.addInitScript("globalThis.__name ??= (named) => named");
      const stored = { settings: { address: "https://video.example", ...settings }, token };
      await page.addInitScript(playExtension, { stored, answers, found, agrees });
      const errors: Error[] = [];
      page.on("pageerror", (error) => errors.push(error));
      await page.goto(`${origin}/popup/index.html${query}`);
      await page.locator("#choose:not([hidden]), #first-run:not([hidden])").waitFor();
      return {
        page,
        asks: () => page.evaluate(() => (globalThis as unknown as { asks: OffscreenCommand[] }).asks),
        calls: () => page.evaluate(() => (globalThis as unknown as { calls: string[] }).calls),
        tell: (news) =>
          page.evaluate((news) => (globalThis as unknown as { tell(news: unknown): void }).tell(news), news),
        async close() {
          await inside.close();
          if (errors.length > 0) throw new AggregateError(errors, "The page threw");
        },
      };
    },
    async close() {
      await close();
      server.closeAllConnections();
      server.close();
      await folder.remove();
    },
  };
}

/** Runs in the page. */
function fillDatabase(jobs: StoredJob[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("upcut", 2);
    opening.onupgradeneeded = () => opening.result.createObjectStore("jobs", { keyPath: "id" });
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const writing = opening.result.transaction("jobs", "readwrite");
      for (const job of jobs) writing.objectStore("jobs").put(job);
      writing.oncomplete = () => {
        opening.result.close();
        resolve();
      };
    };
  });
}

/** Runs in the page before its scripts: `chrome`, and an offscreen document that notes what it is told. */
function playExtension({
  stored,
  answers,
  found,
  agrees,
}: Required<Pick<PopupOptions, "answers" | "found" | "agrees">> & { stored: Record<string, unknown> }): void {
  const asks: unknown[] = [];
  const calls: string[] = [];
  const inbox = new BroadcastChannel("upcut-to-offscreen");
  const outbox = new BroadcastChannel("upcut-from-offscreen");
  void navigator.locks.request("upcut-offscreen", () => new Promise(() => {}));
  inbox.onmessage = ({ data }) => {
    if (data.type !== "hello") asks.push(data);
    else if (answers) outbox.postMessage({ type: "ready" });
  };
  const changes: (() => void)[] = [];
  Object.assign(globalThis, {
    asks,
    calls,
    tell: (news: unknown) => outbox.postMessage(news),
    store: (more: object) => {
      Object.assign(stored, more);
      for (const change of changes) change();
    },
    chrome: {
      runtime: {
        id: "upcut",
        sendMessage: async () => null,
        openOptionsPage: async () => void calls.push("options"),
        getURL: (path: string) => path,
      },
      storage: {
        local: {
          get: async (keys: string | string[]) =>
            Object.fromEntries([keys].flat().map((key) => [key, stored[key]])),
        },
        onChanged: { addListener: (change: () => void) => changes.push(change) },
      },
      tabs: { query: async () => [{ id: 7 }] },
      permissions: {
        request: async ({ origins }: { origins: string[] }) => {
          calls.push(`permission ${origins}`);
          return agrees;
        },
        contains: async () => false,
      },
      scripting: {
        executeScript: async ({ files, args }: { files?: string[]; args?: unknown[] }) => {
          if (files === undefined) {
            calls.push(`blob ${args?.[0]}`);
            return [{ frameId: 0, result: true }];
          }
          if (found === "closed") throw new Error("Cannot access contents of the page");
          if (found === "stuck") return await new Promise(() => {});
          return found.map((result) => ({ frameId: result.frameId, result }));
        },
      },
    },
  });
}
