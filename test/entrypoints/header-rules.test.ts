/** Rules that change the extension's own requests: none acts on those of a page in a tab. */
import { expect, test, vi } from "vitest";
import { authorizeUpload, noteUploadHosts, sendReferrer } from "../../entrypoints/background/header-rules.ts";
import { DEFAULT_SETTINGS } from "../../entrypoints/shared/settings.ts";
import { stubAccount } from "./stub-account.ts";

const NO_TAB = -1;
const upload = "https://upload.example/tus/1";

/** Has an upload to some addresses run, of which the service named the host of `upload` alone. */
async function startUpload(...urls: string[]): Promise<void> {
  const address = "https://video.example";
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
  const targets = urls.map((url) => ({ url, methods: ["head" as const, "patch" as const] }));
  await authorizeUpload("job-1", address, targets);
}

const rulesSet = () => chrome.declarativeNetRequest.getSessionRules();

test("the token goes to the host that the service named, and to none whose name begins so", async () => {
  const others = ["https://upload.example:8443/tus/1", "https://upload.example.other.example/tus/1"];
  await startUpload(upload, ...others);
  const isAuthorized = ({ action }: chrome.declarativeNetRequest.Rule) =>
    action.requestHeaders?.some(({ header }) => header === "authorization");
  const authorized = (await rulesSet()).filter(isAuthorized);
  expect(authorized.map(({ condition }) => condition.urlFilter)).toEqual([`|${upload}|`]);
});

test("every rule, that with the token above all, is for requests of the extension that belong to no tab", async () => {
  await startUpload(upload);
  await sendReferrer("job-1", "https://pieces.example/a.m3u8", "https://page.example/");
  const rules = await rulesSet();
  const headers = rules.flatMap(({ action }) => action.requestHeaders ?? []);
  expect(headers.map(({ header }) => header.toLowerCase())).toEqual(
    expect.arrayContaining(["authorization", "referer"]),
  );
  for (const { condition } of rules)
    expect(condition).toMatchObject({ tabIds: [NO_TAB], initiatorDomains: ["upcut"] });
  vi.unstubAllGlobals();
});
