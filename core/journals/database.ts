/** A database of a browser, opened when it is first needed, and again where the browser closed it. */

/** The stores of a journal: its entries, who has a key, and room that is kept for entries. */
export type StoreName = "entries" | "leases" | "rooms";

export type Stores<Name extends StoreName> = Record<Name, IDBObjectStore>;

/** Work on the stores, each piece of it in one transaction. */
export interface Database {
  /** Reads; `work` may wait for nothing but requests of these stores. */
  read<Name extends StoreName, T>(names: Name[], work: (stores: Stores<Name>) => Promise<T>): Promise<T>;
  /** Writes all or nothing: what `work` throws undoes it, and it has come to the disk once this resolves. */
  write<Name extends StoreName, T>(names: Name[], work: (stores: Stores<Name>) => Promise<T>): Promise<T>;
}

export function openDatabase(name: string): Database {
  let opening: Promise<IDBDatabase> | undefined;

  const opened = (): Promise<IDBDatabase> => {
    opening ??= open(name, () => {
      opening = undefined;
    }).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };

  async function transact<Name extends StoreName, T>(
    mode: "readonly" | "readwrite",
    names: Name[],
    work: (stores: Stores<Name>) => Promise<T>,
  ): Promise<T> {
    const database = await opened();
    const transaction = database.transaction(names, mode, { durability: "strict" });
    const stores = Object.fromEntries(names.map((each) => [each, transaction.objectStore(each)]));
    const ended = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("the transaction was undone"));
    });
    // The end is awaited below; a failure before that must not count as unhandled.
    ended.catch(() => {});
    try {
      const result = await work(stores as Stores<Name>);
      await ended;
      return result;
    } catch (error) {
      try {
        if (transaction.error === null) transaction.abort();
      } catch {
        // The transaction has ended already.
      }
      throw error;
    }
  }

  return {
    read: (names, work) => transact("readonly", names, work),
    write: (names, work) => transact("readwrite", names, work),
  };
}

function open(name: string, onClosed: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      const { result } = request;
      result.createObjectStore("entries");
      result.createObjectStore("leases");
      result.createObjectStore("rooms").createIndex("key", "key");
    };
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const { result } = request;
      // A page that deletes or upgrades it needn't wait for this page to be closed.
      result.onversionchange = () => {
        result.close();
        onClosed();
      };
      result.onclose = onClosed;
      resolve(result);
    };
  });
}

export function whenDone<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
