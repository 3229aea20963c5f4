import { afterEach, expect, test } from "vitest";
import { forgetAccount } from "../../entrypoints/background/forget-account.ts";

const before = (globalThis as { chrome?: object }).chrome;
afterEach(() => void Object.assign(globalThis, { chrome: before }));

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
  Object.assign(globalThis, { chrome: { ...before, permissions, storage, declarativeNetRequest } });
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
});

test("forgetAccount() asks for nothing to be given back that wasn't given", async () => {
  const permissions = ["storage"];
  expect(await allowedAfter({ hosts: true }, { origins: [], permissions })).toEqual({
    origins: [],
    permissions,
  });
});
