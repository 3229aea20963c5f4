import { expect, test, vi } from "vitest";
import type { ErrorRecord } from "../../../core/mod.ts";
import { cleanError, faultsFixedBy, forgetAccount } from "../../../entrypoints/background/account.ts";
import { DEFAULT_SETTINGS } from "../../../entrypoints/shared/settings.ts";

test.each([
  [["token"], "another token", { token: { newValue: "new", oldValue: "old" } }],
  [[], "a token that was forgotten", { token: { oldValue: "old" } }],
  [
    ["token", "address"],
    "another address",
    change({ address: "https://a.example" }, { address: "https://b.example" }),
  ],
  [
    ["token", "address"],
    "another path",
    change({ paths: { terminate: "" } }, { paths: { terminate: "/end" } }),
  ],
  [[], "another setting", change({ keepAwake: false }, { keepAwake: true })],
  [[], "the paths that it had anyway", change({ paths: undefined }, { paths: DEFAULT_SETTINGS.paths })],
  [[], "anything else", { "upload-hosts": { newValue: {} } }],
])("faultsFixedBy() gives %j for %s", (expected, _, changes) => {
  expect(faultsFixedBy(changes)).toEqual(expected);
});

function change(oldValue: object, newValue: object) {
  const whole = { address: "https://a.example", paths: { requestUpload: "", terminate: "" } };
  return { settings: { oldValue: { ...whole, ...oldValue }, newValue: { ...whole, ...newValue } } };
}

const TOKEN = "Zq7-Secret_of/an.account+token=42";

const HIDDEN = "[hidden: it repeats a secret]";

const FORMER = "Former-Secret_of/an.account+token=7";

async function clean(more: Partial<ErrorRecord>): Promise<ErrorRecord> {
  const local = { get: async () => ({ token: TOKEN }) };
  const session = { get: async () => ({ "account-tokens": { "https://a.example": FORMER } }) };
  vi.stubGlobal("chrome", { storage: { local, session } });
  const name = "UploadError";
  return await cleanError({ name, code: "location-refused", message: "no", retryable: false, ...more });
}

test("cleanError() keeps what could not be done, and sentences without the token", async () => {
  const found = await clean({ message: `Cannot upload: no ${TOKEN}`, details: ["one", "two"] });
  expect(found).toMatchObject({ message: `Cannot upload: ${HIDDEN}`, details: ["one", "two"] });
});

test("cleanError() hides all sentences where the token is in one or divided among them", async () => {
  for (const details of [
    ["one", `no ${TOKEN}`],
    ["one", TOKEN.slice(0, 9), TOKEN.slice(9)],
  ])
    expect(await clean({ details })).toMatchObject({ details: [HIDDEN] });
});

test("cleanError() hides the token of an account that was replaced while its uploads run", async () => {
  expect(await clean({ message: `no ${FORMER}`, details: [FORMER] })).toMatchObject({
    message: HIDDEN,
    details: [HIDDEN],
  });
});

test("cleanError() hides an asset's id that repeats the token", async () => {
  const resume = { assetId: btoa(TOKEN), offset: 1, possible: true };
  expect(await clean({ resume })).toMatchObject({ resume: { ...resume, assetId: HIDDEN } });
});

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
