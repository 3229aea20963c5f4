/** Pages of the extension by themselves: built as they are, in a real browser, with an extension API that obeys the test. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { StoredJob } from "../../../entrypoints/shared/job.ts";
import { launchChromium } from "../../browser/launch.ts";
import { type FakeOptions, fakeChrome } from "./fake-chrome.ts";

export type PageName = "options" | "popup" | "terminate";

export interface PageOptions extends FakeOptions {
  /** What follows in the address, for example "?tab=7". @default nothing */
  query?: string;
  dark?: boolean;
  /** The size of the window. @default 1280 × 720 */
  viewport?: { width: number; height: number };
  /** The stored list of uploads. */
  jobs?: StoredJob[];
}

export interface OpenedPage {
  page: Page;
  /** Rejects if the page threw anything. */
  close(): Promise<void>;
}

export interface PageServer {
  open(name: PageName, options?: PageOptions): Promise<OpenedPage>;
  close(): Promise<void>;
}

const TYPES: Record<string, string> = { html: "text/html", js: "text/javascript", css: "text/css" };

/** Serves the built pages, and starts the browser. */
export async function startPageServer(folder: string): Promise<PageServer> {
  const server = createServer(async ({ url = "" }, response) => {
    const { pathname } = new URL(url, "http://127.0.0.1");
    const body = await readFile(join(folder, pathname)).catch(() => undefined);
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
    async open(name, { query = "", dark = false, viewport, jobs, ...faked } = {}) {
      const inside = await browser.newContext({
        colorScheme: dark ? "dark" : "light",
        permissions: ["clipboard-read", "clipboard-write"],
        ...(viewport && { viewport }),
      });
      const page = await inside.newPage();
      if (jobs !== undefined) {
        await page.goto(`${origin}/nothing`);
        await page.evaluate(fillDatabase as (jobs: never) => Promise<void>, jobs as never);
      }
      // tsx names functions by a helper that a page doesn't have.
      await page.addInitScript("globalThis.__name ??= (named) => named");
      await page.addInitScript(fakeChrome, faked);
      const errors: Error[] = [];
      page.on("pageerror", (error) => errors.push(error));
      await page.goto(`${origin}/${name}/index.html${query}`);
      return {
        page,
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
