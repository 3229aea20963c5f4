/** The list at rest, kept busy by a page: whoever wants to read or write it waits, as for a disk that is slow. */
import type { Page } from "playwright-core";

/** Keeps it so until what is returned is called, or the page is closed. */
export async function keepListBusy(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(async () => {
    const opening = indexedDB.open("upcut");
    await new Promise((resolve) => {
      opening.onsuccess = resolve;
    });
    const list = opening.result;
    let busy = true;
    const letGo = () => {
      busy = false;
    };
    addEventListener("let-list-go", letGo, { once: true });
    const jobs = list.transaction("jobs", "readwrite").objectStore("jobs");
    await new Promise<void>((begun) => {
      const stay = () => {
        const reading = jobs.count();
        reading.onsuccess = () => {
          begun();
          if (busy) stay();
          else list.close();
        };
      };
      stay();
    });
  });
  return () => page.evaluate(() => void dispatchEvent(new Event("let-list-go")));
}
