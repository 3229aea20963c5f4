/** Pages of the extension by themselves: built as they are, in a real browser, with an extension API that obeys the test. */
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { build, preview } from "vite";
import { afterEach, beforeAll } from "vitest";
import type { ErrorRecord } from "../../core/mod.ts";
import { type Chromium, launchChromium } from "../browser/launch.ts";
import { scratchFolder } from "../scratch.ts";

export type Answer =
  | { ended: true }
  | { error: Partial<ErrorRecord> }
  | { missing: "settings" }
  | { missing: "host"; origin: string }
  /** The worker ended before it answered. */
  | "died"
  /** No answer yet: the test gives it by `answer()`. */
  | "later";

export interface Faked {
  storage?: Record<string, unknown>;
  /** Match patterns and permissions that are allowed already. */
  allowed?: string[];
  /** What the person answers when asked for permissions. @default true */
  agrees?: boolean;
  /** What the background answers, one after the other; the last one stays. */
  answers?: Answer[];
}

/** What the page did with the extension API. */
export interface PageRecord {
  storage: Record<string, unknown>;
  /** The keys of each write. */
  writes: string[][];
  /** Each with whether it was asked within a click. */
  requests: { origins?: string[]; permissions?: string[]; inClick: boolean }[];
  messages: unknown[];
  optionsOpened: number;
  closed: number;
}

export type OpenPage = (page: "options" | "terminate", faked?: Faked, query?: string) => Promise<Page>;

/** The pages for the tests of one file: built once, and open until the end of the test. */
export function usePages(): OpenPage {
  let address = "";
  let browser: Chromium;

  beforeAll(async () => {
    const folder = await scratchFolder("pages");
    const root = fileURLToPath(new URL("../../entrypoints/", import.meta.url));
    const outDir = folder.path;
    const input = ["options", "terminate"].map((page) => `${root}${page}/index.html`);
    const common = { root, configFile: false, logLevel: "warn" } as const;
    await build({ ...common, build: { outDir, emptyOutDir: true, rolldownOptions: { input } } });
    const server = await preview({ ...common, build: { outDir }, preview: { port: 0, host: "127.0.0.1" } });
    address = server.resolvedUrls?.local[0] ?? "";
    browser = await launchChromium();
    return async () => {
      await browser.close();
      await server.close();
      await folder.remove();
    };
  });
  afterEach(async () => {
    // The browser ends with its last tab.
    for (const page of browser.context.pages().slice(1)) await page.close();
  });

  return async (name, faked = {}, query = "") => {
    const page = await browser.context.newPage();
    await page.addInitScript(fakeExtension, faked);
    await page.goto(`${address}${name}/index.html${query}`);
    return page;
  };
}

/** What the page did so far. */
export function recordOf(page: Page): Promise<PageRecord> {
  return page.evaluate(() => (globalThis as unknown as { record: PageRecord }).record);
}

/** Gives the answer that the background owes. */
export function answer(page: Page, given: Answer): Promise<void> {
  return page.evaluate(
    (given) => (globalThis as unknown as { owed(given: Answer): void }).owed(given),
    given,
  );
}

/** Runs in the page before its own code. */
function fakeExtension(faked: Faked): void {
  const kept = sessionStorage.getItem("storage");
  const storage: Record<string, unknown> = kept === null ? { ...faked.storage } : JSON.parse(kept);
  const record: PageRecord = { storage, writes: [], requests: [], messages: [], optionsOpened: 0, closed: 0 };
  const allowed = new Set(faked.allowed);
  const answers = [...(faked.answers ?? [])];
  const names = ({ origins = [], permissions = [] }: { origins?: string[]; permissions?: string[] }) => [
    ...origins,
    ...permissions,
  ];
  const event = () => {
    const listeners: ((...all: unknown[]) => void)[] = [];
    return {
      addListener: (listener: (...all: unknown[]) => void) => void listeners.push(listener),
      fire: (...all: unknown[]) => {
        for (const listener of listeners) listener(...all);
      },
    };
  };
  const onChanged = event();
  const onAdded = event();
  const give = (given: Answer) => {
    if (given === "died")
      throw new Error(
        "A listener indicated an asynchronous response by returning true, but the message channel closed",
      );
    return given;
  };
  Object.assign(globalThis, { record });
  window.close = () => void record.closed++;
  const chrome = {
    storage: {
      local: {
        get: async (keys: string | string[]) =>
          Object.fromEntries(
            [keys].flat().flatMap((key) => (key in storage ? [[key, structuredClone(storage[key])]] : [])),
          ),
        set: async (items: Record<string, unknown>) => {
          record.writes.push(Object.keys(items).sort());
          Object.assign(storage, structuredClone(items));
          sessionStorage.setItem("storage", JSON.stringify(storage));
          onChanged.fire({}, "local");
        },
      },
      onChanged,
    },
    permissions: {
      contains: async (asked: object) => names(asked).every((name) => allowed.has(name)),
      request: async (asked: object) => {
        const inClick = navigator.userActivation.isActive;
        record.requests.push({ ...asked, inClick });
        if (names(asked).every((name) => allowed.has(name))) return true;
        if (!inClick || faked.agrees === false) return false;
        for (const name of names(asked)) allowed.add(name);
        onAdded.fire(asked);
        return true;
      },
      onAdded,
      onRemoved: event(),
    },
    runtime: {
      id: "faked",
      openOptionsPage: async () => void record.optionsOpened++,
      sendMessage: async (message: unknown) => {
        record.messages.push(message);
        const next = (answers.length > 1 ? answers.shift() : answers[0]) ?? "died";
        if (next !== "later") return give(next);
        return give(await new Promise<Answer>((owed) => Object.assign(globalThis, { owed })));
      },
    },
  };
  Object.defineProperty(globalThis, "chrome", { value: chrome });
}
