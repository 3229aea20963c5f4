/** An extension API that obeys the test and notes what a page does with it; it runs in the page, before its own code. */
import type { Page } from "playwright-core";
import type { ErrorRecord } from "../../../../core/mod.ts";
import type { Findings } from "../../../../entrypoints/page-videos/found.ts";
import type { HostNeed } from "../../../../entrypoints/shared/job.ts";
import type { OffscreenCommand } from "../../../../entrypoints/shared/messages.ts";

export type Answer =
  | { ended: true }
  | { error: Partial<ErrorRecord> }
  | { check: object }
  | { missing: HostNeed }
  /** The worker ended before it answered. */
  | "died"
  /** No answer yet: the test gives it by `answer()`. */
  | "later"
  /** What it was told needs no answer. */
  | null;

export interface FakeOptions {
  storage?: Record<string, unknown>;
  /** What is kept until the browser ends. */
  session?: Record<string, unknown>;
  /** Match patterns and permissions that are allowed already. */
  allowed?: string[];
  /** What the person answers when asked for permissions, `later` by `decide()`. @default true */
  agrees?: boolean | "later";
  /** What the background answers, one after the other; the last one stays. @default it has died */
  answers?: Answer[];
  /** Whether there is an offscreen document, and whether it answers. @default none */
  offscreen?: "answers" | "silent";
  /** What the collector gives of the frames of the tab, if it gets in and is answered. @default no frames */
  found?: Findings[] | "closed" | "stuck";
  /** Whether the icon is on the toolbar. @default false */
  pinned?: boolean;
  /** The address of the tab, where the browser tells it. @default it doesn't */
  tabAddress?: string;
  /** The messages of the page's language, by their names. */
  messages?: Record<string, string>;
}

/** What the page did with the extension API. */
export interface PageRecord {
  storage: Record<string, unknown>;
  /** What is kept until the browser ends. */
  session: Record<string, unknown>;
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

export interface FakeGlobals {
  record: PageRecord;
  /** Gives the answer that the background owes. */
  owed(given: Answer): void;
  /** Plays the offscreen document. */
  tell(news: unknown): void;
  /** Another page of the extension stores something. */
  store(items: Record<string, unknown>): void;
  pin(): void;
  /** The person answers the browser's question. */
  decide(agrees: boolean): void;
  show(page: Pick<FakeOptions, "found" | "tabAddress">): void;
  /** The person allows a host elsewhere, by its match pattern. */
  allow(pattern: string): void;
  /** The person takes the permission back. */
  revoke(pattern: string): void;
}

/** Has the extension API of a page do something. */
export function play<Name extends Exclude<keyof FakeGlobals, "record">>(
  page: Page,
  name: Name,
  ...given: Parameters<FakeGlobals[Name]>
): Promise<void> {
  return page.evaluate(([name, given]) => Reflect.apply(Reflect.get(globalThis, name), undefined, given), [
    name,
    given as unknown[],
  ] as const);
}

/** Runs in the page: nothing of this module is there. */
export function fakeChrome(options: FakeOptions): void {
  const { agrees = true, offscreen, messages = {} } = options;
  let shown: Pick<FakeOptions, "found" | "tabAddress"> = options;
  const kept = sessionStorage.getItem("storage");
  const storage: Record<string, unknown> = kept === null ? { ...options.storage } : JSON.parse(kept);
  const session: Record<string, unknown> = { ...options.session };
  const lists = { writes: [], requests: [], messages: [], asks: [], calls: [] };
  const record: PageRecord = { storage, session, ...lists, closed: 0 };
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
  const onRemoved = event();
  const onUserSettingsChanged = event();
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
  const tabEvents = { activated: event(), updated: event() };
  const pin = () => onUserSettingsChanged.fire({ isOnToolbar: true });
  const allow = (pattern: string) => {
    allowed.add(pattern);
    onAdded.fire({ origins: [pattern] });
  };
  const revoke = (pattern: string) => {
    allowed.delete(pattern);
    onRemoved.fire({ origins: [pattern] });
  };
  const tell = (news: unknown) => outbox.postMessage(news);
  const show = (page: typeof shown) => {
    shown = page;
  };
  const asks = (decide: (isAgreed: boolean) => void) => void Object.assign(globalThis, { decide });
  Object.assign(globalThis, { tabEvents, record, store, pin, allow, revoke, tell, show });
  window.close = () => void record.closed++;
  const chrome = {
    i18n: { getMessage: (name: string) => messages[name] ?? "" },
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
        remove: async (key: string) => {
          delete storage[key];
          store({});
        },
      },
      session: {
        get: async (key: string) => (key in session ? { [key]: structuredClone(session[key]) } : {}),
        set: async (items: Record<string, unknown>) => void Object.assign(session, structuredClone(items)),
        remove: async (key: string) => void delete session[key],
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
        const isAgreed = agrees === "later" ? await new Promise<boolean>(asks) : agrees;
        if (!inClick || !isAgreed) return false;
        for (const name of names(asked)) allowed.add(name);
        onAdded.fire(asked);
        return true;
      },
      onAdded,
      onRemoved,
    },
    action: {
      getUserSettings: async () => ({ isOnToolbar: options.pinned === true }),
      onUserSettingsChanged,
    },
    tabs: {
      query: async () => [{ id: 7 }],
      create: async ({ url }: { url: string }) => void record.calls.push(`tab ${url}`),
      get: async (id: number) => ({ id, url: shown.tabAddress }),
      onActivated: tabEvents.activated,
      onUpdated: tabEvents.updated,
    },
    windows: { getCurrent: async () => ({ id: 1 }) },
    sidePanel: {
      open: async ({ windowId }: { windowId: number }) => void record.calls.push(`panel ${windowId}`),
    },
    scripting: {
      executeScript: async ({ files, args }: { files?: string[]; args?: unknown[] }) => {
        if (files === undefined) {
          record.calls.push(`blob ${args?.[0]}`);
          return [{ frameId: 0, result: true }];
        }
        const { found = [] } = shown;
        if (found === "closed")
          throw new Error("Cannot access contents of the page: the extension must request permission");
        if (found === "stuck") return await new Promise(() => {});
        return found.map((result) => ({ frameId: result.frameId, result }));
      },
    },
  };
  Object.defineProperty(globalThis, "chrome", { value: chrome, configurable: true });
}
