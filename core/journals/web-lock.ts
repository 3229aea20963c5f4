/**
 * Leases of a journal in a browser: a Web Lock says who has a key, and a token in the database, which no other lease ever
 * gets, lets a write be refused that comes from somebody who has lost it.
 */
import type { Lease } from "../journal/journal.ts";
import { writingKey } from "../journal/terms.ts";
import { failed } from "./commands.ts";
import { type Database, whenDone } from "./database.ts";

export interface KeyLeases {
  claim(key: string): Promise<Lease | undefined>;
  /** Rejects where this journal's lease for writing a key has become another's. */
  confirm(key: string, leases: IDBObjectStore): Promise<void>;
}

export function leaseKeys(name: string, database: Database): KeyLeases {
  const held = new Map<string, string>();

  return {
    async claim(key) {
      const lock = await takeLock(`upcut ${name} ${key}`);
      if (lock === undefined) return undefined;
      try {
        const token = crypto.randomUUID();
        await database.write(["leases"], async ({ leases }) => void leases.put(token, key));
        held.set(key, token);
        return leaseOf(key, token, lock);
      } catch (error) {
        lock.release();
        throw error;
      }
    },
    async confirm(key, leases) {
      const writing = writingKey(key);
      const token = held.get(writing);
      if (token !== undefined && isOther(await whenDone<unknown>(leases.get(writing)), token))
        throw failed("its lease has become another's");
    },
  };

  function leaseOf(key: string, token: string, lock: HeldLock): Lease {
    const release = async () => {
      if (held.get(key) === token) held.delete(key);
      try {
        await database.write(["leases"], async ({ leases }) => {
          if ((await whenDone(leases.get(key))) === token) leases.delete(key);
        });
      } finally {
        lock.release();
      }
    };
    const isHeld = async () => {
      if (lock.isLost()) return false;
      // A database that can't be read for a moment takes nothing from anybody, and the lock is still here.
      const found = await database
        .read(["leases"], ({ leases }) => whenDone<unknown>(leases.get(key)))
        .catch(() => token);
      return !isOther(found, token) && !lock.isLost();
    };
    return Object.assign(release, { isHeld });
  }
}

/** True if somebody else has leased a key meanwhile; where the person cleared the database, nobody has. */
function isOther(found: unknown, token: string): boolean {
  return found !== undefined && found !== token;
}

interface HeldLock {
  release(): void;
  isLost(): boolean;
}

function takeLock(name: string): Promise<HeldLock | undefined> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const held = navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(undefined);
      return new Promise<void>((end) => {
        const release = () => {
          isOver = true;
          end();
        };
        resolve({ release, isLost: () => isOver });
      });
    });
    // Where somebody steals the lock, the request rejects after this promise was resolved.
    held.catch((error: unknown) => {
      isOver = true;
      reject(error);
    });
  });
}
