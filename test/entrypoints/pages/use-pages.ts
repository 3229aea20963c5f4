/** The pages of the extension for the tests of one file; each is open until the end of its test. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, inject } from "vitest";
import type { Answer, FakeGlobals, PageRecord } from "./fake-chrome.ts";
import { type OpenedPage, type PageOptions, type PageServer, startPageServer } from "./page-server.ts";
import { openPopup, type Popup, type PopupOptions } from "./popup.ts";

export type OpenPage = (page: "options" | "terminate", options?: PageOptions) => Promise<Page>;

/** The options page and the window of `terminate`. */
export function usePages(): OpenPage {
  const server = usePageServer();
  const opened: OpenedPage[] = [];
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
  });
  return async (name, options) => {
    const one = await server.open(name, options);
    opened.push(one);
    return one.page;
  };
}

/** The popup, open one at a time. */
export function usePopup(): Popup & { open(options?: PopupOptions): Promise<void> } {
  const server = usePageServer();
  const popup = {
    async open(options) {
      await popup.close();
      Object.assign(popup, await openPopup(server, options));
    },
    close: async () => {},
  } as ReturnType<typeof usePopup>;
  afterEach(async () => {
    const { close } = popup;
    popup.close = async () => {};
    await close();
  });
  return popup;
}

function usePageServer(): PageServer {
  const server = {} as PageServer;
  beforeAll(async () => {
    Object.assign(server, await startPageServer(inject("pages")));
  });
  afterAll(() => server.close?.());
  return server;
}

/** What the page did so far. */
export function recordOf(page: Page): Promise<PageRecord> {
  return page.evaluate(() => (globalThis as unknown as FakeGlobals).record);
}

/** Gives the answer that the background owes. */
export function answer(page: Page, given: Answer): Promise<void> {
  return page.evaluate((given) => (globalThis as unknown as FakeGlobals).owed(given), given);
}
