/** Rules that change the extension's own requests: none acts on those of a page in a tab. */
import { expect, test, vi } from "vitest";
import {
  authorizeUpload,
  noteUploadHosts,
  sendReferrer,
} from "../../../entrypoints/background/header-rules.ts";
import { DEFAULT_SETTINGS } from "../../../entrypoints/shared/settings.ts";
import { stubAccount } from "../../support/extension/stub-account.ts";

const NO_TAB = -1;
const ADDRESS = "https://video.example";
const UPLOAD = "https://upload.example/tus/1";

/** An account whose token goes to upload hosts too, and the rules that the browser has. */
function openAccount() {
  const settings = { ...DEFAULT_SETTINGS, address: ADDRESS, uploadAuthorization: true };
  const account = { settings, token: "tok-1" };
  let rules: chrome.declarativeNetRequest.Rule[] = [];
  const declarativeNetRequest = {
    getSessionRules: async () => rules,
    updateSessionRules: async ({ addRules = [] }: chrome.declarativeNetRequest.UpdateRuleOptions) => {
      rules = addRules;
    },
  };
  stubAccount({ ...account }, { declarativeNetRequest });
  return { account, rules: () => rules };
}

const namesIn = ({ action }: chrome.declarativeNetRequest.Rule) =>
  (action.requestHeaders ?? []).map(({ header }) => header.toLowerCase());

test("every rule, that with the token above all, is for requests of the extension that belong to no tab", async () => {
  const { account, rules } = openAccount();
  await noteUploadHosts([UPLOAD], account);
  await authorizeUpload("job-1", {
    address: ADDRESS,
    targets: [{ url: UPLOAD, methods: ["head", "patch"] }],
  });
  await sendReferrer("job-1", "https://pieces.example/a.m3u8", "https://page.example/");
  expect(rules().flatMap(namesIn)).toEqual(expect.arrayContaining(["authorization", "referer"]));
  for (const { condition } of rules())
    expect(condition).toMatchObject({ tabIds: [NO_TAB], initiatorDomains: ["upcut"] });
});

test("the token goes with an upload to the hosts that its service named, and to no other", async () => {
  const { account, rules } = openAccount();
  await noteUploadHosts([UPLOAD], account);
  const others = ["https://upload.example:8443/tus/1", "https://upload.example.other.example/tus/1"];
  const urls = [UPLOAD, "https://elsewhere.example/tus/1", ...others];
  const targets = urls.map((url) => ({ url, methods: ["patch" as const] }));
  await authorizeUpload("job-1", { address: ADDRESS, targets });
  const authorized = rules().filter((rule) => namesIn(rule).includes("authorization"));
  const condition = { urlFilter: `|${UPLOAD}|`, isUrlFilterCaseSensitive: true };
  expect(authorized).toMatchObject([{ condition }]);
});

test("a rule keeps the requests of resumable uploads out of the cache of Firefox", async () => {
  vi.stubEnv("FIREFOX", "true");
  vi.resetModules();
  const { refreshHeaderRules } = await import("../../../entrypoints/background/header-rules.ts");
  // No other file may find these modules.
  vi.resetModules();
  vi.unstubAllEnvs();
  const { rules } = openAccount();
  await refreshHeaderRules();
  const kept = rules().filter((rule) => namesIn(rule).includes("cache-control"));
  expect(kept.map(({ condition }) => condition.requestMethods)).toEqual([["post", "patch", "head"]]);
});
