/** The stored list, as it is in the extension's database. */
import type { Page } from "playwright-core";
import type { StoredJob } from "../../entrypoints/shared/job.ts";

/** All stored jobs, read by a page of the extension; none where there is no list. */
export async function readStored(page: Page): Promise<StoredJob[]> {
  const text = await page.evaluate(async () => {
    if (!(await indexedDB.databases()).some(({ name }) => name === "upcut")) return "[]";
    const open = indexedDB.open("upcut");
    const database = await new Promise<IDBDatabase>((resolve) => {
      open.onsuccess = () => resolve(open.result);
    });
    const all = database.transaction("jobs").objectStore("jobs").getAll();
    const jobs = await new Promise<unknown[]>((resolve) => {
      all.onsuccess = () => resolve(all.result);
    });
    database.close();
    return JSON.stringify(jobs);
  });
  return JSON.parse(text) as StoredJob[];
}
