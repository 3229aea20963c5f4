/** The popup on the page server: with a list of uploads, an offscreen document and a page to find videos on. */
import type { Page } from "playwright-core";
import type { HistoryEntry } from "../../../../entrypoints/shared/history-store.ts";
import type { OffscreenEvent } from "../../../../entrypoints/shared/messages.ts";
import type { Settings } from "../../../../entrypoints/shared/settings.ts";
import { type FakeGlobals, play } from "./fake-chrome.ts";
import { frame } from "./findings.ts";
import type { PageOptions, PageServer } from "./page-server.ts";

export interface PopupOptions extends Omit<PageOptions, "storage" | "answers" | "offscreen"> {
  settings?: Partial<Settings>;
  token?: string;
  /** Whether the offscreen document answers. @default true */
  answers?: boolean;
}

export type Popup = Awaited<ReturnType<typeof openPopup>>;

/** Opens the popup, and waits until it is drawn, and connected if it will be. */
export async function openPopup(server: PageServer, options: PopupOptions = {}) {
  const { settings = {}, token = "set", answers = true, ...more } = options;
  const { page, close } = await server.open("popup", {
    found: [frame([])],
    viewport: options.query?.startsWith("?tab") ? { width: 900, height: 700 } : { width: 380, height: 600 },
    ...more,
    allowed: ["https://video.example/*", ...(more.allowed ?? [])],
    storage: { settings: { address: "https://video.example", ...settings }, token },
    answers: [null],
    offscreen: answers ? "answers" : "silent",
  });
  const drawn = answers ? "#choose-videos:enabled:visible" : "#choose:not([hidden])";
  await page.locator(`${drawn}, #first-run:not([hidden])`).waitFor();
  return {
    page,
    /** What the page told the offscreen document, hellos left out. */
    asks: () => page.evaluate(() => (globalThis as unknown as FakeGlobals).record.asks),
    calls: () => page.evaluate(() => (globalThis as unknown as FakeGlobals).record.calls),
    /** Plays the offscreen document. */
    tell: (news: OffscreenEvent) => play(page, "tell", news),
    /** Has the tab show another page. */
    show: (shown: Pick<PopupOptions, "found" | "tabAddress">) => play(page, "show", shown),
    /** Rejects if the page threw anything. */
    close,
  };
}

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
