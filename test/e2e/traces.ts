/** What a page could show of somebody having been in it. */
import type { Page } from "playwright-core";

export interface Traces {
  html: string;
  /** Changes of the document that its own observer saw so far. */
  mutations: number;
  /** Listeners of the window and of every node, in shadows and frames too. */
  listeners: number;
  /** Names in the page's own world. */
  globals: string[];
}

export async function watchPage(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen = { mutations: 0 };
    Object.defineProperty(window, "seen", { value: seen });
    new MutationObserver((records) => {
      seen.mutations += records.length;
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
}

export async function tracesIn(page: Page): Promise<Traces> {
  const session = await page.context().newCDPSession(page);
  let listeners = 0;
  for (const expression of ["window", "document"]) {
    const { result } = await session.send("Runtime.evaluate", { expression });
    const all = await session.send("DOMDebugger.getEventListeners", {
      objectId: result.objectId ?? "",
      depth: -1,
      pierce: true,
    });
    listeners += all.listeners.length;
  }
  await session.detach();
  const rest = await page.evaluate(() => ({
    html: document.documentElement.outerHTML,
    mutations: (window as unknown as { seen: { mutations: number } }).seen.mutations,
    globals: Object.getOwnPropertyNames(window).sort(),
  }));
  return { ...rest, listeners };
}
