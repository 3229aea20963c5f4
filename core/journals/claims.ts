/**
 * Claims of a journal whose store looks at a token with each write: which leases for writing this journal holds, and which
 * sources it began to write without coming to the end.
 */

import { isObject } from "../is-object.ts";
import type { Lease } from "../journal/journal.ts";
import { failed } from "./commands.ts";
import { type LeaseStore, leaseIn } from "./lease.ts";

/** Entries are written within milliseconds: less than those who want to write next wait. */
const WRITE_LEASE_TIMEOUT = 4_000;

/** The claims of one journal. */
export interface Claims {
  claim(key: string): Promise<Lease | undefined>;
  /** The token under which an entry is written now; empty without a lease. */
  fenceOf(key: string): string;
  /** True if a write came to its end: the store said then whether its token was right. */
  wrote(key: string, isFenceRight: boolean): void;
  /**
   * Makes sure that the note of a request stands, if the last write of a source did not come to its end: what may make an
   * asset must be known to the next process.
   */
  confirmNote(key: string, read: () => Promise<unknown>): Promise<void>;
}

/**
 * Keeps the claims of a journal.
 *
 * @param leaseTimeout milliseconds after which a claim is free whose holder gave no sign of life
 */
export function claimsIn(store: LeaseStore, leaseTimeout: number): Claims {
  const tokens = new Map<string, string>();
  const unwritten = new Set<string>();
  return {
    async claim(key) {
      if (!key.endsWith(WRITING))
        return (await leaseIn(store, { key, timeout: leaseTimeout, isFenced: false }))?.lease;
      unwritten.add(key.slice(0, -WRITING.length));
      const held = await leaseIn(store, { key, timeout: WRITE_LEASE_TIMEOUT, isFenced: true });
      if (held === undefined) return undefined;
      const { lease, token } = held;
      tokens.set(key, token);
      const release = async () => {
        if (tokens.get(key) === token) tokens.delete(key);
        await lease();
      };
      return Object.assign(release, { isHeld: async () => (await lease.isHeld?.()) ?? true });
    },
    fenceOf: (key) => tokens.get(writingKey(key)) ?? "",
    wrote(key, isFenceRight) {
      if (!isFenceRight) throw failed("its lease has become another's");
      unwritten.delete(key);
    },
    async confirmNote(key, read) {
      if (unwritten.has(key) && !isNoted(await read()))
        throw failed("it could not note that an asset is asked for. Nothing was asked");
    },
  };
}

const WRITING = ".write";

/** The key that is leased to write an entry. */
export function writingKey(key: string): string {
  return `${key}${WRITING}`;
}

function isNoted(entry: unknown): boolean {
  return isObject(entry) && Array.isArray(entry.requested) && entry.requested.length > 0;
}
