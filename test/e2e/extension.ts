/** The built extension, loaded into a real Chromium and set up by its own options page, as a person does it. */
import { setTimeout as delay } from "node:timers/promises";
import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { launchChromium } from "../browser/launch.ts";
import { BUILT } from "./build.ts";

export interface Extension {
  context: BrowserContext;
  id: string;
  /** Opens one of its pages in a tab, for example "options.html". */
  open(page: string): Promise<Page>;
  /** Runs code in its service worker. */
  inWorker<T>(work: string): Promise<T>;
  /** A session with the browser itself, for what pages can't do. */
  browser: CDPSession;
  /** Allows a host as if the person had clicked "Allow" in the browser's own prompt, which no test can reach. */
  allow(pattern: string): Promise<void>;
  close(): Promise<void>;
}

export interface LoadOptions {
  userDataDir?: string;
  /** Whether the extension is installed by this start. @default true without a profile to use */
  firstRun?: boolean;
  /** The folder it is in. @default where it was built */
  folder?: string;
  /** Folders of further extensions. */
  beside?: string[];
  headless?: boolean;
  args?: string[];
}

/** The browser's own page of extensions, which stays in the first tab where that is free. */
const EXTENSIONS = "chrome://extensions/";

export async function loadExtension(options: LoadOptions = {}): Promise<Extension> {
  const extension = await start(options);
  if (await isHeard(extension)) return extension;
  await extension.close();
  // In a profile that stays it is installed by now.
  return await loadExtension({ ...options, ...(options.userDataDir !== undefined && { firstRun: false }) });
}

/**
 * Whether its worker can take part in the extension, once it has begun.
 *
 * On a busy machine Chromium at times begins an extension with a worker that runs, but that no event reaches and whose
 * every call fails with "No SW". It would end when it is idle and begin again at the next event, but a worker that a
 * debugger is attached to, as here, is never idle. One that was there before is told by its variable `former`.
 */
export async function isHeard({ inWorker }: Extension): Promise<boolean> {
  const call = `globalThis.former ? "former" : chrome.storage.session.get(null).then(() => "", String)`;
  for (let tries = 0; tries < 200; tries++) {
    // A worker that is about to end may have no answer.
    const ending = delay(1000, "former");
    const answer = await Promise.race([inWorker<string>(call).catch(() => "former"), ending]);
    if (answer !== "former") return !answer.includes("No SW");
    await delay(50);
  }
  return false;
}

/** Takes back all that the extension stored or was allowed, and begins it again, but without its page of an install. */
export async function installAnew(extension: Extension): Promise<void> {
  const { context, id, inWorker } = extension;
  const [first, ...others] = context.pages();
  for (const page of others) await page.close();
  if (first?.url() !== EXTENSIONS) await first?.goto("about:blank");
  await inWorker(`(async () => {
    globalThis.former = true;
    await chrome.offscreen.closeDocument().catch(() => {});
    const { permissions, origins } = await chrome.permissions.getAll();
    const { optional_permissions } = chrome.runtime.getManifest();
    const optional = permissions.filter((each) => optional_permissions.includes(each));
    await chrome.permissions.remove({ permissions: optional, origins });
    await Promise.all([chrome.storage.local.clear(), chrome.storage.session.clear(), chrome.alarms.clearAll()]);
  })()`);
  const storageTypes = "cache_storage,file_systems,indexeddb,local_storage";
  const page = await context.newCDPSession(first as Page);
  await page.send("Storage.clearDataForOrigin", { origin: `chrome-extension://${id}`, storageTypes });
  await page.detach();
  do await inWorker("void chrome.runtime.reload()").catch(() => {});
  while (!(await isHeard(extension)));
}

async function start(options: LoadOptions): Promise<Extension> {
  const { folder = BUILT, beside = [] } = options;
  const chromium = await launchChromium({
    ...options,
    // The last one lets a test press the toolbar button, which opens the real popup.
    args: [
      `--disable-extensions-except=${[folder, ...beside]}`,
      `--load-extension=${[folder, ...beside]}`,
      "--enable-unsafe-extension-debugging",
      // Test servers have certificates of their own.
      "--ignore-certificate-errors",
      ...(options.args ?? []),
    ],
  });
  const { context } = chromium;
  // Just within the time of a test, so that what is missing is named.
  context.setDefaultTimeout(150_000);
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  const id = new URL(worker.url()).host;
  // The options page that opens at install takes the first tab; what is opened before would be replaced by it.
  if (options.firstRun ?? options.userDataDir === undefined) await firstRun(context);
  const browser = await context.browser()?.newBrowserCDPSession();
  if (browser === undefined) throw new Error("the browser takes no session of its own");
  return {
    context,
    id,
    browser,
    async open(path) {
      const url = `chrome-extension://${id}/${path}`;
      const isThis = (page: Page) =>
        loaded(page, url).then(
          () => true,
          () => false,
        );
      // At once with its address: an empty page before it would cost a process of its own.
      const [page] = await Promise.all([
        context.waitForEvent("page", isThis),
        browser.send("Target.createTarget", { url }),
      ]);
      return page;
    },
    async inWorker<T>(work: string) {
      const alive =
        context.serviceWorkers().find((each) => each.url().includes(id)) ??
        (await context.waitForEvent("serviceworker"));
      return (await alive.evaluate(work)) as T;
    },
    async allow(pattern) {
      const [first] = context.pages() as [Page];
      const isFree = ["about:blank", EXTENSIONS].includes(first.url());
      const page = isFree ? first : await context.newPage();
      if (page.url() !== EXTENSIONS) await page.goto(EXTENSIONS);
      await page.evaluate(
        ([id, host]) =>
          (
            globalThis as unknown as {
              chrome: { developerPrivate: { addHostPermission(id: string, host: string): Promise<void> } };
            }
          ).chrome.developerPrivate.addHostPermission(id, host),
        [id, pattern] as const,
      );
      if (!isFree) await page.close();
    },
    close: () => chromium.close(),
  };
}

/** Waits until a page that the browser opened is at an address and loaded. Playwright may miss the event while it attaches. */
export async function loaded(page: Page, url: string | RegExp): Promise<void> {
  await page.waitForURL(url, { waitUntil: "commit" });
  await page.waitForFunction(() => document.readyState === "complete", undefined, { polling: 50 });
}

/** Shows an address in a page, which the options page of an install or a restored session may take for itself first. */
export async function show(page: Page, address: string): Promise<void> {
  // What interrupted it may be its own first try, which is still on its way.
  while (page.url() !== address) await page.goto(address).catch(() => page.waitForLoadState());
  await loaded(page, address);
}

/** Ends all processes of a browser at once, without a word to any. */
export async function killBrowser({ browser, context }: Extension): Promise<void> {
  const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
  const ended = new Promise((resolve) => context.once("close", resolve));
  for (const { id } of processInfo) process.kill(id, "SIGKILL");
  await ended;
}

/** Waits for the options page, which may come in the tab that is there. */
async function firstRun(context: BrowserContext): Promise<void> {
  const isOptions = (page: Page) => page.url().endsWith("/options.html");
  for (;;) {
    const options = context.pages().find(isOptions);
    if (options !== undefined) return await loaded(options, /\/options\.html$/);
    await delay(50);
  }
}
