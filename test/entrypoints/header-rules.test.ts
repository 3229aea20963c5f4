/** Rules that change the extension's own requests: none acts on those of a page in a tab. */
import { expect, test, vi } from "vitest";
import { authorizeUpload, noteUploadHosts, sendReferrer } from "../../entrypoints/background/header-rules.ts";
import { DEFAULT_SETTINGS } from "../../entrypoints/shared/settings.ts";
import { stubAccount } from "./stub-account.ts";

const NO_TAB = -1;

test("every rule, that with the token above all, is for requests of the extension that belong to no tab", async () => {
  const address = "https://video.example";
  const upload = "https://upload.example/tus/1";
  const settings = { ...DEFAULT_SETTINGS, address, uploadAuthorization: true };
  const account = { settings, token: "tok-1" };
  const stored: Record<string, unknown> = { ...account };
  let rules: chrome.declarativeNetRequest.Rule[] = [];
  stubAccount(stored, {
    declarativeNetRequest: {
      getSessionRules: async () => rules,
      updateSessionRules: async ({ addRules = [] }: chrome.declarativeNetRequest.UpdateRuleOptions) => {
        rules = addRules;
      },
    },
  });
  await noteUploadHosts([upload], account);
  await authorizeUpload("job-1", address, [{ url: upload, methods: ["head", "patch"] }]);
  await sendReferrer("job-1", "https://pieces.example/a.m3u8", "https://page.example/");
  const headers = rules.flatMap(({ action }) => action.requestHeaders ?? []);
  expect(headers.map(({ header }) => header.toLowerCase())).toEqual(
    expect.arrayContaining(["authorization", "referer"]),
  );
  for (const { condition } of rules)
    expect(condition).toMatchObject({ tabIds: [NO_TAB], initiatorDomains: ["upcut"] });
  vi.unstubAllGlobals();
});
