/** The list at rest, kept busy by the worker: whoever wants to read or write it waits, as for a disk that is slow. */
import type { Extension } from "./extension.ts";
import { attach, findTarget } from "./raw-target.ts";

/** Milliseconds after which the uploads do without the list, and a paused one isn't waited for. */
const TIMEOUTS = [3000, 500];

/**
 * Keeps it so until what is returned is called, and has the uploads wait as long. It runs in the worker, whose thread
 * no page needs for being clicked.
 */
export async function keepListBusy(extension: Extension): Promise<() => Promise<void>> {
  const { inWorker, browser } = extension;
  const uploads = await attach(browser, (await findTarget(extension, "/offscreen.html")).targetId);
  await uploads.evaluate(`(() => {
    globalThis.timeIn = setTimeout;
    globalThis.setTimeout = (done, after, ...given) => timeIn(done, [${TIMEOUTS}].includes(after) ? 2 ** 30 : after, ...given);
  })()`);
  await inWorker(`(async () => {
    const opening = indexedDB.open("upcut");
    await new Promise((resolve) => { opening.onsuccess = resolve; });
    const list = opening.result;
    globalThis.isListBusy = true;
    const jobs = list.transaction("jobs", "readwrite").objectStore("jobs");
    await new Promise((begun) => {
      const stay = () => {
        jobs.count().onsuccess = () => {
          begun();
          if (globalThis.isListBusy) stay();
          else list.close();
        };
      };
      stay();
    });
  })()`);
  return async () => {
    await inWorker("void (globalThis.isListBusy = false)");
    await uploads.evaluate("void (globalThis.setTimeout = timeIn)");
    await uploads.detach();
  };
}
