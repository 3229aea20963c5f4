/** An extension API that obeys the test and notes what a page does with it; it runs in the page, before its own code. */
import type { ErrorRecord } from "../../../core/mod.ts";
import type { Findings } from "../../../entrypoints/popup/page-videos/found.ts";
import type { OffscreenCommand } from "../../../entrypoints/shared/messages.ts";

export type Answer =
  | { ended: true }
  | { error: Partial<ErrorRecord> }
  | { missing: "settings" }
  | { missing: "host"; origin: string }
  /** The worker ended before it answered. */
  | "died"
  /** No answer yet: the test gives it by `answer()`. */
  | "later"
  /** What it was told needs no answer. */
  | null;

export interface FakeOptions {
  storage?: Record<string, unknown>;
  /** Match patterns and permissions that are allowed already. */
  allowed?: string[];
  /** What the person answers when asked for permissions. @default true */
  agrees?: boolean;
  /** What the background answers, one after the other; the last one stays. @default it has died */
  answers?: Answer[];
  /** Whether there is an offscreen document, and whether it answers. @default none */
  offscreen?: "answers" | "silent";
  /** What the collector gives of the frames of the tab, if it gets in and is answered. @default no frames */
  found?: Findings[] | "closed" | "stuck";
}

/** What the page did with the extension API. */
export interface PageRecord {
  storage: Record<string, unknown>;
  /** The keys of each write. */
  writes: string[][];
  /** Each with whether it was asked within a click. */
  requests: { origins?: string[]; permissions?: string[]; inClick: boolean }[];
  /** What it told the background. */
  messages: unknown[];
  /** What it told the offscreen document, hellos left out. */
  asks: OffscreenCommand[];
  /** What it had done of the browser, in a word each: "options", "permission <hosts>", "blob <address>". */
  calls: string[];
  closed: number;
}

/** What a test finds in the page. */
export interface FakeGlobals {
  record: PageRecord;
  /** Gives the answer that the background owes. */
  owed(given: Answer): void;
  /** Plays the offscreen document. */
  tell(news: unknown): void;
  /** Another page of the extension stores something. */
  store(items: Record<string, unknown>): void;
}

/** Runs in the page: nothing of this module is there. */
export function fakeChrome(options: FakeOptions): void {
  const { agrees = true, offscreen, found = [] } = options;
  const kept = sessionStorage.getItem("storage");
  const storage: Record<string, unknown> = kept === null ? { ...options.storage } : JSON.parse(kept);
  const lists = { writes: [], requests: [], messages: [], asks: [], calls: [] };
  const record: PageRecord = { storage, ...lists, closed: 0 };
  const allowed = new Set(options.allowed);
  const answers = [...(options.answers ?? [])];
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
  const store = (items: Record<string, unknown>) => {
    Object.assign(storage, structuredClone(items));
    sessionStorage.setItem("storage", JSON.stringify(storage));
    onChanged.fire({}, "local");
  };
  const give = (given: Answer) => {
    if (given === "died")
      throw new Error(
        "A listener indicated an asynchronous response by returning true, but the message channel closed",
      );
    return given;
  };
  const outbox = new BroadcastChannel("upcut-from-offscreen");
  if (offscreen !== undefined) {
    const inbox = new BroadcastChannel("upcut-to-offscreen");
    void navigator.locks.request("upcut-offscreen", () => new Promise(() => {}));
    inbox.onmessage = ({ data }) => {
      if (data.type !== "hello") record.asks.push(data);
      else if (offscreen === "answers") outbox.postMessage({ type: "ready" });
    };
  }
  Object.assign(globalThis, { record, store, tell: (news: unknown) => outbox.postMessage(news) });
  window.close = () => void record.closed++;
  const chrome = {
    runtime: {
      id: "faked",
      getURL: (path: string) => path,
      openOptionsPage: async () => void record.calls.push("options"),
      sendMessage: async (message: unknown) => {
        record.messages.push(message);
        const next = answers.length === 0 ? "died" : answers.length > 1 ? answers.shift() : answers[0];
        if (next !== "later") return give(next ?? null);
        return give(await new Promise<Answer>((owed) => Object.assign(globalThis, { owed })));
      },
    },
    storage: {
      local: {
        get: async (keys: string | string[]) =>
          Object.fromEntries(
            [keys].flat().flatMap((key) => (key in storage ? [[key, structuredClone(storage[key])]] : [])),
          ),
        set: async (items: Record<string, unknown>) => {
          record.writes.push(Object.keys(items).sort());
          store(items);
        },
      },
      onChanged,
    },
    permissions: {
      contains: async (asked: object) => names(asked).every((name) => allowed.has(name)),
      request: async (asked: { origins?: string[]; permissions?: string[] }) => {
        const inClick = navigator.userActivation.isActive;
        record.requests.push({ ...asked, inClick });
        record.calls.push(`permission ${asked.origins ?? asked.permissions}`);
        if (names(asked).every((name) => allowed.has(name))) return true;
        if (!inClick || !agrees) return false;
        for (const name of names(asked)) allowed.add(name);
        onAdded.fire(asked);
        return true;
      },
      onAdded,
      onRemoved: event(),
    },
    tabs: { query: async () => [{ id: 7 }] },
    scripting: {
      executeScript: async ({ files, args }: { files?: string[]; args?: unknown[] }) => {
        if (files === undefined) {
          record.calls.push(`blob ${args?.[0]}`);
          return [{ frameId: 0, result: true }];
        }
        if (found === "closed") throw new Error("Cannot access contents of the page");
        if (found === "stuck") return await new Promise(() => {});
        return found.map((result) => ({ frameId: result.frameId, result }));
      },
    },
  };
  Object.defineProperty(globalThis, "chrome", { value: chrome, configurable: true });
}
