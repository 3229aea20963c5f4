/** The popup on the page server: with a list of uploads, an offscreen document and a page to find videos on. */
import type { Page } from "playwright-core";
import type { Findings } from "../../../entrypoints/popup/page-videos/found.ts";
import type { HistoryEntry } from "../../../entrypoints/shared/history-store.ts";
import type { StoredJob } from "../../../entrypoints/shared/job.ts";
import type { OffscreenCommand, OffscreenEvent } from "../../../entrypoints/shared/messages.ts";
import type { Settings } from "../../../entrypoints/shared/settings.ts";
import type { Language } from "../catalogue.ts";
import type { FakeGlobals } from "./fake-chrome.ts";
import { frame } from "./findings.ts";
import type { PageServer } from "./page-server.ts";

export interface PopupOptions {
  jobs?: StoredJob[];
  settings?: Partial<Settings>;
  token?: string;
  /** The query of a tab. @default none, as in the popup */
  query?: string;
  dark?: boolean;
  /** @default "en" */
  language?: Language;
  /** Whether the offscreen document answers. @default true */
  answers?: boolean;
  /** What the collector gives of the page's frames, if it gets in and is answered. @default no videos */
  found?: Findings[] | "closed" | "stuck";
  /** The address of the page, where the browser tells it. */
  tabAddress?: string;
  /** What a former popup or the worker has noted until the browser ends. */
  session?: Record<string, unknown>;
  /** Whether the person allows hosts. @default true */
  agrees?: boolean;
  /** Whether the test moves the page's clock. @default false */
  clock?: boolean;
  /** Whether the manifests of `manifests.ts` can be read. @default false */
  manifests?: boolean;
}

export interface Popup {
  page: Page;
  /** What the page told the offscreen document, hellos left out. */
  asks(): Promise<OffscreenCommand[]>;
  /** What it called of the extension's API. */
  calls(): Promise<string[]>;
  /** Plays the offscreen document. */
  tell(news: OffscreenEvent): Promise<void>;
  /** Has the tab show another page. */
  show(page: Pick<PopupOptions, "found" | "tabAddress">): Promise<void>;
  /** Rejects if the page threw anything. */
  close(): Promise<void>;
}

/** Opens the popup, and waits until it is drawn, and connected if it will be. */
export async function openPopup(server: PageServer, options: PopupOptions = {}): Promise<Popup> {
  const { jobs = [], settings = {}, token = "set", answers = true, ...more } = options;
  const { page, close } = await server.open("popup", {
    found: [frame([])],
    viewport: options.query?.startsWith("?tab") ? { width: 900, height: 700 } : { width: 380, height: 600 },
    ...more,
    jobs,
    storage: { settings: { address: "https://video.example", ...settings }, token },
    answers: [null],
    offscreen: answers ? "answers" : "silent",
  });
  const drawn = answers ? "#choose-videos:enabled:visible" : "#choose:not([hidden])";
  await page.locator(`${drawn}, #first-run:not([hidden])`).waitFor();
  return {
    page,
    asks: () => page.evaluate(() => (globalThis as unknown as FakeGlobals).record.asks),
    calls: () => page.evaluate(() => (globalThis as unknown as FakeGlobals).record.calls),
    tell: (news) => page.evaluate((news) => (globalThis as unknown as FakeGlobals).tell(news), news),
    show: (shown) => page.evaluate((shown) => (globalThis as unknown as FakeGlobals).show(shown), shown),
    close,
  };
}

/** Stores what was uploaded before. */
export async function fillHistory(page: Page, entries: HistoryEntry[]): Promise<void> {
  await page.evaluate(putEntries, entries);
}

/** Runs in the page. */
function putEntries(entries: HistoryEntry[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("upcut-history", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("entries", { keyPath: "id" });
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const writing = opening.result.transaction("entries", "readwrite");
      for (const entry of entries) writing.objectStore("entries").put(entry);
      writing.oncomplete = () => {
        opening.result.close();
        resolve();
      };
    };
  });
}
