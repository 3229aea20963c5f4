/** What is stored in the extension's databases. */
import type { Page } from "playwright-core";
import type { StoredJob } from "../../entrypoints/shared/job.ts";

/** All records as JSON, read by a page of the extension. @param only the name of one database. @default all */
export function readDatabases(page: Page, only?: string): Promise<string> {
  return page.evaluate(async (only) => {
    const done = <Result>(request: IDBRequest<Result>) =>
      new Promise<Result>((resolve) => {
        request.onsuccess = () => resolve(request.result);
      });
    const all: unknown[] = [];
    for (const { name = "" } of await indexedDB.databases()) {
      if (only !== undefined && name !== only) continue;
      const database = await done(indexedDB.open(name));
      for (const store of database.objectStoreNames)
        all.push(...(await done(database.transaction(store).objectStore(store).getAll())));
      database.close();
    }
    return JSON.stringify(all);
  }, only);
}

/** All stored jobs; none where there is no list. */
export async function readStored(page: Page): Promise<StoredJob[]> {
  return JSON.parse(await readDatabases(page, "upcut")) as StoredJob[];
}
