/**
 * Leases of a journal in a browser: a Web Lock says who has a key, and a number in the database, which no other lease ever
 * gets, lets a write be refused that comes from somebody who has lost it.
 */
import { UploadError } from "../errors.ts";
import type { Lease } from "../journal/journal.ts";
import { type Database, whenDone } from "./database.ts";

/** Where the number of the last lease is kept, beside the keys that are leased. */
const LAST = "last lease";

export interface KeyLeases {
  claim(key: string): Promise<Lease | undefined>;
  /** Rejects where this journal's lease for writing a key has become another's. */
  confirm(key: string, leases: IDBObjectStore): Promise<void>;
}

export function leaseKeys(name: string, database: Database): KeyLeases {
  const held = new Map<string, number>();

  return {
    async claim(key) {
      const lock = await takeLock(`upcut ${name} ${key}`);
      if (lock === undefined) return undefined;
      try {
        const number = await database.write(["leases"], async ({ leases }) => {
          const next = ((await whenDone<number | undefined>(leases.get(LAST))) ?? 0) + 1;
          leases.put(next, LAST);
          leases.put(next, key);
          return next;
        });
        held.set(key, number);
        return leaseOf(key, number, lock);
      } catch (error) {
        lock.release();
        throw error;
      }
    },
    async confirm(key, leases) {
      // Entries are written under a lease of their own.
      const writing = `${key}.write`;
      const number = held.get(writing);
      if (number !== undefined && isOther(await whenDone<unknown>(leases.get(writing)), number))
        throw leaseLost();
    },
  };

  function leaseOf(key: string, number: number, lock: HeldLock): Lease {
    const release = async () => {
      if (held.get(key) === number) held.delete(key);
      try {
        await database.write(["leases"], async ({ leases }) => {
          if ((await whenDone(leases.get(key))) === number) leases.delete(key);
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
        .catch(() => number);
      return !isOther(found, number) && !lock.isLost();
    };
    return Object.assign(release, { isHeld });
  }
}

/** True if somebody else has leased a key meanwhile; where the person cleared the database, nobody has. */
function isOther(found: unknown, number: number): boolean {
  return found !== undefined && found !== number;
}

interface HeldLock {
  release(): void;
  isLost(): boolean;
}

function takeLock(name: string): Promise<HeldLock | undefined> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    let isTaken = false;
    const held = navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(undefined);
      isTaken = true;
      return new Promise<void>((end) => {
        const release = () => {
          isOver = true;
          end();
        };
        resolve({ release, isLost: () => isOver });
      });
    });
    // It rejects when somebody steals the lock.
    held.catch((error: unknown) => {
      isOver = true;
      if (!isTaken) reject(error);
    });
  });
}

function leaseLost(): UploadError {
  const state = "its lease has become another's";
  return new UploadError("journal-failed", `Cannot write the journal: ${state}`, { retryable: true });
}
