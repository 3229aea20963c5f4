/** A page with journals in IndexedDB: the contract of every journal, and calls that a test makes one by one. */

import type { JournalEntry, Lease } from "../../../core/journal/journal.ts";
import { indexedDbJournal } from "../../../core/journals/indexed-db.ts";
import { createClient, isUpcutError, upload } from "../../../core/mod.ts";
import { journalContract } from "../../support/core/journal-contract.ts";
import { MOMENTS, pauseAtMoments } from "../../support/core/pauses.ts";

const leases = new Map<string, Lease>();
let stop = new AbortController();

const calls = {
  cases: () => Object.keys(journalContract),

  /** Runs a case of the contract in databases of its own. */
  async runCase(name: string): Promise<void> {
    const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
    await journalContract[name]?.({
      open: (lifetimes) => indexedDbJournal({ name: one, ...lifetimes }),
      openOther: () => indexedDbJournal({ name: other }),
    });
  },

  /** Leases a key until it is given back or the page is closed. */
  async claim(name: string, key: string): Promise<boolean> {
    const lease = await indexedDbJournal({ name }).claim(key);
    if (lease !== undefined) leases.set(key, lease);
    return lease !== undefined;
  },
  isHeld: async (key: string) => (await leases.get(key)?.isHeld?.()) ?? false,

  /** Leases a key for writing, lets somebody else take it away, and writes all the same. */
  async writeAfterLosing(name: string): Promise<{ held: boolean; error: string; stored: unknown }> {
    const [journal, thief] = [indexedDbJournal({ name }), indexedDbJournal({ name })];
    const key = "0f".repeat(32);
    const lease = await journal.claim(`${key}.write`);
    let free = () => {};
    await new Promise<void>((taken) => {
      const lock = `upcut ${name} ${key}.write`;
      void navigator.locks.request(lock, { steal: true }, () => {
        taken();
        return new Promise<void>((end) => {
          free = end;
        });
      });
    });
    free();
    while ((await thief.claim(`${key}.write`)) === undefined)
      await new Promise((again) => setTimeout(again, 5));
    await thief.set(key, entryOf("the thief's"));
    const error = await journal.set(key, entryOf("too late")).then(
      () => "it was written",
      (reason: Error) => reason.message,
    );
    const stored = await journal.get(key);
    return { held: (await lease?.isHeld?.()) ?? true, error, stored };
  },

  /** Reads by a journal that forgets after so many milliseconds what one of the same name stored. */
  async outlive(name: string, maxAge: number): Promise<{ before: number; after: number; found: unknown }> {
    const key = "0f".repeat(32);
    await indexedDbJournal({ name }).set(key, entryOf("asset-1"));
    const before = (await indexedDbJournal({ name }).list()).length;
    await new Promise((resolve) => setTimeout(resolve, 3 * maxAge));
    const short = indexedDbJournal({ name, maxAge });
    const found = await short.get(key);
    // Gone for every journal.
    return { before, after: (await indexedDbJournal({ name }).list()).length, found };
  },

  /** Deletes a database under a journal that has it open, and goes on with that. */
  async deleteUnder(name: string): Promise<number> {
    const journal = indexedDbJournal({ name });
    await journal.set("0f".repeat(32), entryOf("asset-1"));
    await new Promise<void>((resolve, reject) => {
      const request = indexedDB.deleteDatabase(name);
      request.onsuccess = () => resolve();
      request.onerror = () => reject(request.error);
    });
    await journal.set("1e".repeat(32), entryOf("asset-2"));
    return (await journal.list()).length;
  },

  list: (name: string) => indexedDbJournal({ name }).list(),

  pauseAtMoments: (name: string, baseUrl: string, token: string) =>
    pauseAtMoments(
      MOMENTS,
      () => indexedDbJournal({ name }),
      () => createClient({ baseUrl, token }),
    ),

  /** Uploads the chosen file; an upload that another page has is told by its code. */
  async send(name: string, baseUrl: string, token: string) {
    const file = document.querySelector("input")?.files?.[0];
    if (file === undefined) throw new Error("the page has no file");
    stop = new AbortController();
    try {
      const journal = indexedDbJournal({ name });
      const client = createClient({ baseUrl, token });
      const options = { journal, signal: stop.signal, timeout: { settle: 100 } };
      const { asset, resumed, sent } = await upload(client, file, options);
      return { id: asset.id, resumed, sent };
    } catch (error) {
      return { code: isUpcutError(error) ? error.code : String(error) };
    }
  },
};

function entryOf(id: string): JournalEntry {
  return { version: 1, uploads: { one: { method: "resumable", asset: { id }, mismatches: [] } } };
}

declare global {
  interface Window {
    journals: typeof calls;
  }
}
window.journals = calls;
