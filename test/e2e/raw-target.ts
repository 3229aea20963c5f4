/**
 * The real popup, the offscreen document and the worker are no pages to Playwright: they are reached through the
 * browser's own session, and let alone again, since whoever is attached to a worker keeps it alive.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { CDPSession } from "playwright-core";
import type { Extension } from "./extension.ts";

interface TargetInfo {
  targetId: string;
  type: string;
  url: string;
}

export async function targets({ browser }: Extension): Promise<TargetInfo[]> {
  const { targetInfos } = await browser.send("Target.getTargets");
  return targetInfos;
}

/** Waits for a target whose address ends so. */
export async function findTarget(extension: Extension, end: string, type?: string): Promise<TargetInfo> {
  return await until(async () =>
    (await targets(extension)).find((each) => each.url.endsWith(end) && (type ?? each.type) === each.type),
  );
}

/** Asks until there is an answer other than nothing. */
export async function until<T>(ask: () => Promise<T | undefined | null | false>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== null && answer !== false) return answer;
    await delay(50);
  }
}

export interface Attached {
  send(method: string, params?: object): Promise<Record<string, unknown>>;
  /** Runs an expression, awaiting what it returns. */
  evaluate<T>(expression: string): Promise<T>;
  detach(): Promise<void>;
}

export async function attach(browser: CDPSession, targetId: string): Promise<Attached> {
  const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: false });
  let last = 0;
  const waiting = new Map<
    number,
    { resolve(value: Record<string, unknown>): void; reject(error: Error): void }
  >();
  const receive = (event: { sessionId: string; message: string }) => {
    if (event.sessionId !== sessionId) return;
    const { id, result, error } = JSON.parse(event.message);
    const call = waiting.get(id);
    waiting.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result);
  };
  browser.on("Target.receivedMessageFromTarget", receive);
  // A page that closes answers nothing more.
  const end = (event: { sessionId: string }) => {
    if (event.sessionId !== sessionId) return;
    for (const { reject } of waiting.values()) reject(new Error("the target has closed"));
    waiting.clear();
  };
  browser.on("Target.detachedFromTarget", end);
  const send = (method: string, params: object = {}) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      const message = JSON.stringify({ id, method, params });
      browser.send("Target.sendMessageToTarget", { sessionId, message }).catch(reject);
    });
  return {
    send,
    async evaluate<T>(expression: string) {
      const answer = await send("Runtime.evaluate", {
        expression,
        awaitPromise: true,
        returnByValue: true,
        userGesture: true,
      });
      const { result, exceptionDetails } = answer as {
        result: { value: T };
        exceptionDetails?: { text: string };
      };
      if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
      return result.value;
    },
    async detach() {
      browser.off("Target.receivedMessageFromTarget", receive);
      browser.off("Target.detachedFromTarget", end);
      await browser.send("Target.detachFromTarget", { sessionId }).catch(() => {});
    },
  };
}

/** Stops the extension's service worker, as Chromium does when it is idle. */
export async function stopWorker(extension: Extension): Promise<void> {
  const page = await extension.open("options.html");
  await stopWorkers(await extension.context.newCDPSession(page));
  await page.close();
}

/** The same by the session of a page that is there, where another one would take the popup's focus away. */
export async function stopWorkers(session: CDPSession): Promise<void> {
  await session.send("ServiceWorker.enable");
  await session.send("ServiceWorker.stopAllWorkers");
  await session.detach();
}

/** Opens the real popup by its toolbar button, above a tab, and attaches to it. */
export async function openRealPopup(extension: Extension, above: string): Promise<Attached> {
  const { targetInfos } = (await extension.browser.send("Target.getTargets", {
    filter: [{ type: "tab" }],
  } as never)) as { targetInfos: TargetInfo[] };
  const tab = targetInfos.find(({ url }) => url === above);
  if (tab === undefined) throw new Error(`no tab shows ${above}`);
  await extension.browser.send(
    "Extensions.triggerAction" as never,
    { id: extension.id, targetId: tab.targetId } as never,
  );
  return await attach(extension.browser, (await findTarget(extension, "/popup.html")).targetId);
}
