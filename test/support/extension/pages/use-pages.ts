/** The pages of the extension for the tests of one file; each is open until the end of its test. */
import type { Page } from "playwright-core";
import { afterEach, test as base, inject } from "vitest";
import type { ErrorCode, ErrorRecord } from "../../../../core/mod.ts";
import { DEFAULT_SETTINGS } from "../../../../entrypoints/shared/settings.ts";
import { type Answer, type FakeGlobals, type PageRecord, play } from "./fake-chrome.ts";
import { type OpenedPage, type PageOptions, type PageServer, startPageServer } from "./page-server.ts";
import { openPopup, type Popup, type PopupOptions } from "./popup.ts";
import { actionsOn, type PopupActions } from "./popup-actions.ts";

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

/**
 * The popup, open one at a time.
 *
 * @param usual options of all tests of the file
 */
export function usePopup(
  usual: PopupOptions = {},
): Popup & PopupActions & { open(options?: PopupOptions): Promise<void> } {
  const server = usePageServer();
  const popup = {
    async open(options) {
      await popup.close();
      Object.assign(popup, await openPopup(server, { ...usual, ...options }));
    },
    close: async () => {},
  } as ReturnType<typeof usePopup>;
  Object.assign(popup, actionsOn(popup));
  afterEach(async () => {
    const { close } = popup;
    popup.close = async () => {};
    await close();
  });
  return popup;
}

/** One browser for all files that a worker runs. */
// biome-ignore lint/correctness/noEmptyPattern: a fixture names what it needs by a pattern.
const test = base.extend("server", { scope: "worker" }, async ({}, { onCleanup }) => {
  const server = await startPageServer(inject("pages"));
  onCleanup(() => server.close());
  return server;
});

export function usePageServer(): PageServer {
  const server = {} as PageServer;
  test.beforeAll(({ server: started }) => void Object.assign(server, started));
  return server;
}

export function recordOf(page: Page): Promise<PageRecord> {
  return page.evaluate(() => (globalThis as unknown as FakeGlobals).record);
}

/** Gives the answer that the background owes. */
export const answer = (page: Page, given: Answer): Promise<void> => play(page, "owed", given);

/** The id of the control that has the focus. */
export function focused(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.id);
}

export function unfold(page: Page): Promise<void> {
  return page.evaluate(() => {
    for (const section of document.querySelectorAll("details")) section.open = true;
  });
}

/** An account that is set up, and what is allowed then. */
export const account = {
  settings: { ...DEFAULT_SETTINGS, address: "https://video.example" },
  token: "tok-1",
};
export const allowed = ["https://video.example/*"];

/** The answer of a service that refuses, as the background gives it. */
export function refused(code: ErrorCode, more: Partial<ErrorRecord> = {}): Answer {
  return { error: { name: "ServiceError", code, message: "Cannot: why", retryable: false, ...more } };
}
