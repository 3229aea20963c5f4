/** Pages of the extension by themselves: built as they are, in a real browser, with an extension API that obeys the test. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import type { CDPSession, Page } from "playwright-core";
import type { StoredJob } from "../../../../entrypoints/shared/job.ts";
import { LIST_VERSION } from "../../../../entrypoints/shared/list-store.ts";
import { type LaunchOptions, launchChromium } from "../../../browser/launch.ts";
import { closeServer, openServer } from "../../hosts/open-server.ts";
import { type Language, messagesOf } from "../catalogue.ts";
import { type FakeOptions, fakeChrome } from "./fake-chrome.ts";
import { serveManifests } from "./manifests.ts";

export type PageName = "options" | "popup" | "terminate";

export interface PageOptions extends Omit<FakeOptions, "messages"> {
  /** What follows in the address, for example "?tab=7". @default nothing */
  query?: string;
  dark?: boolean;
  /** @default "en" */
  language?: Language;
  /** The size of the window. @default 1280 × 720 */
  viewport?: { width: number; height: number };
  jobs?: StoredJob[];
  /** Whether the test moves the page's clock, which runs until it is paused, or the time at which it stands. @default false */
  clock?: boolean | number;
  /** Whether the page can read manifests, for which all its requests are held up. @default false */
  manifests?: boolean;
}

export interface OpenedPage {
  page: Page;
  /** Rejects if the page threw anything. */
  close(): Promise<void>;
}

export interface PageServer {
  /** Where the built pages are, and an empty one at any other path. */
  origin: string;
  /** A page that is no page of the extension, in a context of its own. */
  newPage(): Promise<Page>;
  open(name: PageName, options?: PageOptions): Promise<OpenedPage>;
  close(): Promise<void>;
}

interface UsedPage {
  page: Page;
  session: CDPSession;
  language: Language;
}

const VIEWPORT = { width: 1280, height: 720 };
const TYPES: Record<string, string> = { html: "text/html", js: "text/javascript", css: "text/css" };

/**
 * Serves the built pages, and starts the browser.
 *
 * @param launch how it is started. @default for pages alone, without windows
 */
export async function startPageServer(
  folder: string,
  launch: LaunchOptions = { pagesOnly: true },
): Promise<PageServer> {
  const server = createServer(async ({ url = "" }, response) => {
    const { pathname } = new URL(url, "http://127.0.0.1");
    const body = await readFile(join(folder, pathname)).catch(() => undefined);
    // Kept for the next page, compiled. Anything else is an empty page of the same origin.
    if (body !== undefined) response.setHeader("cache-control", "max-age=3600");
    response.setHeader("content-type", TYPES[pathname.split(".").at(-1) ?? ""] ?? "text/html");
    response.end(body ?? "");
  });
  const origin = `http://127.0.0.1:${await openServer(server)}`;
  const { context, close } = await launchChromium(launch);
  const browser = context.browser();
  if (browser === null) throw new Error("Chromium has gone");
  /** Pages that no test has open: a new one costs the machine a second. */
  const idle: UsedPage[] = [];

  async function takePage(language: Language): Promise<UsedPage> {
    const place = idle.findIndex((each) => each.language === language);
    const [left] = place < 0 ? [] : idle.splice(place, 1);
    if (left !== undefined) return left;
    const inside = await (browser as NonNullable<typeof browser>).newContext({
      locale: language === "en" ? "en-US" : language,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await inside.newPage();
    // Leaving a form that wasn't saved.
    page.on("dialog", (dialog) => dialog.accept());
    return { page, session: await inside.newCDPSession(page), language };
  }

  return {
    origin,
    newPage: () => (browser as NonNullable<typeof browser>).newPage(),
    async open(
      name,
      {
        query = "",
        dark = false,
        language = "en",
        viewport = VIEWPORT,
        jobs = [],
        clock = false,
        manifests = false,
        ...faked
      } = {},
    ) {
      const taken = await takePage(language);
      const { page, session } = taken;
      await page.emulateMedia({ colorScheme: dark ? "dark" : "light", reducedMotion: "reduce" });
      await page.setViewportSize(viewport);
      await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "indexeddb,local_storage" });
      // With another hash alone the page of the test before would stay.
      if (query.startsWith("#")) await page.goto("about:blank");
      const scripts = [
        // tsx names functions by a helper that a page doesn't have.
        await page.addInitScript("globalThis.__name ??= (named) => named"),
        await page.addInitScript(
          fillStorage as (list: never) => void,
          { jobs, version: LIST_VERSION } as never,
        ),
        await page.addInitScript(fakeChrome, { ...faked, messages: await messagesOf(language) }),
      ];
      const errors: Error[] = [];
      const noteError = (error: Error) => errors.push(error);
      if (clock === true) await page.clock.install();
      else if (clock !== false) await page.clock.setFixedTime(clock);
      if (manifests) await serveManifests(page);
      // Until then the page of the test before may miss its database.
      await page.goto(`${origin}/${name}/index.html${query}`, { waitUntil: "commit" });
      page.on("pageerror", noteError);
      await page.waitForLoadState();
      return {
        page,
        async close() {
          page.off("pageerror", noteError);
          // A clock is never given back.
          if (clock !== false) await page.context().close();
          else {
            for (const script of scripts) await script.dispose();
            await page.evaluate(() => sessionStorage.clear());
            if (manifests) await page.unrouteAll();
            idle.push(taken);
          }
          if (errors.length > 0) throw new AggregateError(errors, "The page threw");
        },
      };
    },
    async close() {
      await close();
      await closeServer(server);
    },
  };
}

/** Runs in the page, before its own code: what that opens waits for what is filled here. */
function fillStorage({ jobs, version }: { jobs: StoredJob[]; version: number }): void {
  if (jobs.length === 0) return;
  const opening = indexedDB.open("upcut", version);
  opening.onupgradeneeded = () => {
    const store = opening.result.createObjectStore("jobs", { keyPath: "id" });
    for (const job of jobs) store.put(job);
  };
  opening.onsuccess = () => opening.result.close();
}
