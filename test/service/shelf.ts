/** Records kept in memory and, one JSON file each, on disk. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Shelf<Item> {
  get(id: string): Item | undefined;
  all(): Item[];
  /** Keeps an item, new or changed; `flush()` before promising it to anyone. */
  put(id: string, item: Item): void;
  clear(): void;
  /** Says that an item was changed in memory alone. */
  notice(): void;
  /** Resolves when all that was put before is on disk. */
  flush(): Promise<void>;
}

const WRITE_DELAY = 50;

/** @param changed is called at each change of an item */
export async function openShelf<Item>(directory: string, changed: () => void): Promise<Shelf<Item>> {
  await mkdir(directory, { recursive: true });
  const items = new Map<string, Item>();
  for (const file of (await readdir(directory)).sort()) {
    if (!file.endsWith(".json")) continue;
    const id = decodeURIComponent(file.slice(0, -".json".length));
    items.set(id, JSON.parse(await readFile(join(directory, file), "utf8")) as Item);
  }

  const dirty = new Set<string>();
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    const ids = [...dirty];
    dirty.clear();
    await Promise.all(
      ids.map(async (id) => {
        const path = join(directory, `${encodeURIComponent(id)}.json`);
        const item = items.get(id);
        if (item === undefined) return rm(path, { force: true });
        // A rename is atomic: a service killed in the middle leaves the old record, never half a one.
        await writeFile(`${path}.tmp`, JSON.stringify(item));
        await rename(`${path}.tmp`, path);
      }),
    );
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    while (writing !== undefined || dirty.size > 0) {
      writing ??= write().finally(() => {
        writing = undefined;
      });
      await writing;
    }
  }

  function touch(id: string): void {
    dirty.add(id);
    changed();
    timer ??= setTimeout(() => {
      timer = undefined;
      void flush();
    }, WRITE_DELAY).unref();
  }

  return {
    get: (id) => items.get(id),
    all: () => [...items.values()],
    put(id, item) {
      items.set(id, item);
      touch(id);
    },
    clear() {
      for (const id of [...items.keys()]) {
        items.delete(id);
        touch(id);
      }
    },
    notice: changed,
    flush,
  };
}
