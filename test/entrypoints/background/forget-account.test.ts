import { expect, test, vi } from "vitest";
import { forgetAccount } from "../../../entrypoints/background/account.ts";

const area = { get: async () => ({}), set: async () => {}, remove: async () => {} };

/** What is allowed after the account was forgotten. */
async function allowedAfter(
  { hosts }: { hosts: boolean },
  allowed: { origins: string[]; permissions: string[] },
) {
  const permissions = {
    getAll: async () => structuredClone(allowed),
    contains: async () => false,
    remove: async (given: Partial<typeof allowed>) => {
      const all = [...(given.origins ?? []), ...(given.permissions ?? [])];
      if (all.length === 0) throw new Error("nothing to give back");
      for (const each of all)
        if (![...allowed.origins, ...allowed.permissions].includes(each))
          throw new Error(`${each}: not given`);
      for (const kind of ["origins", "permissions"] as const)
        allowed[kind] = allowed[kind].filter((each) => !given[kind]?.includes(each));
      return true;
    },
  };
  const declarativeNetRequest = { getSessionRules: async () => [], updateSessionRules: async () => {} };
  const storage = { local: area, session: area };
  vi.stubGlobal("chrome", { permissions, storage, declarativeNetRequest });
  await forgetAccount({ hosts });
  return allowed;
}

test("forgetAccount() gives back the hosts, and with them what tells where they redirect to", async () => {
  const others = ["storage", "power", "notifications"];
  const origins = ["https://video.example/*"];
  const permissions = [...others, "webRequest"];
  expect(await allowedAfter({ hosts: true }, { origins, permissions })).toEqual({
    origins: [],
    permissions: others,
  });
  // The person may have taken the hosts back in the browser's own page.
  expect(await allowedAfter({ hosts: true }, { origins: [], permissions })).toEqual({
    origins: [],
    permissions: others,
  });
  expect(await allowedAfter({ hosts: false }, { origins, permissions })).toEqual({ origins, permissions });
  // Nothing is given back that wasn't given.
  const given = { origins: [], permissions: ["storage"] };
  expect(await allowedAfter({ hosts: true }, structuredClone(given))).toEqual(given);
});
