/** The page that carries a plan out, with what it remembers in the profile's IndexedDB. */
import { openDB } from "idb";
import type { Journal, Uploadable } from "../../../core/mod.ts";
import { type ClientOutcome, type ClientPlan, carryOut } from "../plan.ts";

interface Account {
  baseUrl: string;
  token: string;
}

async function runPlan(plan: ClientPlan, account: Account): Promise<ClientOutcome> {
  return await carryOut(plan, {
    ...account,
    journal: await profileJournal(),
    // The file was chosen, as far as there was one to choose.
    open: async () => document.querySelector("input")?.files?.[0] as Uploadable,
    say: console.log,
  });
}

async function profileJournal(): Promise<Journal> {
  const database = await openDB<{ entries: { key: string; value: object } }>("journal", 1, {
    upgrade: (made) => void made.createObjectStore("entries"),
  });
  return {
    get: (key) => database.get("entries", key),
    set: async (key, entry) => void (await database.put("entries", entry, key)),
    delete: (key) => database.delete("entries", key),
    claim: (key) =>
      new Promise((resolve) => {
        void navigator.locks.request(key, { ifAvailable: true }, async (lock) => {
          if (lock === null) return resolve(undefined);
          await new Promise<void>((release) => resolve(async () => release()));
        });
      }),
  };
}

declare global {
  interface Window {
    runPlan: typeof runPlan;
  }
}
window.runPlan = runPlan;
