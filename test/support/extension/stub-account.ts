/** An extension API for the background's modules alone: an account that is set up, and all hosts allowed. */
import { vi } from "vitest";

export function stubAccount(stored: object, more: object = {}): void {
  const area = {
    get: async () => stored,
    set: async (changes: object) => void Object.assign(stored, changes),
  };
  vi.stubGlobal("chrome", {
    i18n: chrome.i18n,
    permissions: { contains: async () => true },
    storage: { local: area, session: area, managed: { get: async () => ({}) } },
    declarativeNetRequest: { getSessionRules: async () => [], updateSessionRules: async () => {} },
    tabs: { TAB_ID_NONE: -1 },
    ...more,
  });
  vi.stubGlobal("location", { host: "upcut" });
}
