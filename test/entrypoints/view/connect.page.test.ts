import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Answer, play } from "../../support/extension/pages/fake-chrome.ts";
import { failure, makeJob } from "../../support/extension/pages/jobs.ts";
import type { PageOptions } from "../../support/extension/pages/page-server.ts";
import {
  account,
  allowed,
  answer,
  focused,
  recordOf,
  refused,
  usePages,
} from "../../support/extension/pages/use-pages.ts";

const openPage = usePages();

const open = (faked: PageOptions = {}) => openPage("options", faked);
const check = { token: "accepted", paths: {}, endsStreams: true };
const rightToken: Answer = { check };
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const alert = (page: Page, words: string) => page.getByRole("alert").getByText(words).waitFor();
const isConnected = (page: Page) =>
  page.getByRole("status").getByText("Connected", { exact: true }).waitFor();
/** Texts that say that all is well. */
const praise = (page: Page) => page.locator("[data-tone=good]").allTextContents();
const typesSent = async (page: Page) =>
  (await recordOf(page)).messages.map((message) => (message as { type: string }).type);

/** The options after an account was entered. */
async function connect(faked: PageOptions = {}): Promise<Page> {
  const page = await open(faked);
  await page.getByLabel("Address of the service").fill("https://video.example");
  await page.getByLabel("Token").fill("tok-1");
  await button(page, "Connect").click();
  return page;
}

test("the options at install say what Upcut does, and ask for two things alone", async () => {
  const page = await open();
  await page.getByRole("heading", { name: "Welcome to Upcut" }).waitFor();
  expect(await focused(page)).toBe("address");
  expect(await page.locator("input").evaluateAll((all) => all.map(({ id }) => id))).toEqual([
    "address",
    "token",
  ]);
  expect(await page.getByRole("button").allTextContents()).toEqual(["Show", "Connect"]);
  await page.getByText("Where do I find them?").click();
  await page.getByText("mostly under “API keys”").waitFor();
});

test("mistakes are told at their fields until these are edited, before anything is asked or saved", async () => {
  const page = await open();
  await page.fill("#address", "ftp://video.example");
  await page.fill("#token", "two words");
  await button(page, "Connect").click();
  expect(await focused(page)).toBe("address");
  const wrong = page.locator("[aria-invalid=true]");
  expect(await wrong.evaluateAll((all) => all.map(({ id }) => id))).toEqual(["address", "token"]);
  expect(await page.getAttribute("#token", "aria-describedby")).toBe("token-problem token-hint");
  await page.fill("#address", "http://video.example");
  await page.getByText("anyone on the way can read").waitFor();
  expect(await wrong.evaluateAll((all) => all.map(({ id }) => id))).toEqual(["token"]);
  expect(await recordOf(page)).toMatchObject({ storage: {}, requests: [] });
});

describe("Connect", () => {
  test("completes what is typed, asks for the host within the click, and saves address and token in one write", async () => {
    const page = await open({ answers: [rightToken] });
    await page.fill("#address", " video.example/base/ ");
    await page.fill("#token", "  Bearer tok-1 ");
    await page.press("#token", "Tab");
    expect(await page.inputValue("#token")).toBe("tok-1");
    await button(page, "Connect").click();
    await isConnected(page);
    const { storage, requests, writes, messages } = await recordOf(page);
    expect(storage).toMatchObject({ settings: { address: "https://video.example/base" }, token: "tok-1" });
    expect(requests).toEqual([{ origins: ["https://video.example/*"], permissions: [], inClick: true }]);
    expect(writes).toEqual([["isUnchecked", "settings", "token"]]);
    // The page gave the token away with the settings.
    expect(JSON.stringify(messages)).not.toContain("tok-1");
    expect(await focused(page)).toBe("choose");
  });

  test("praises nothing before the browser's question is answered, nor after a no", async () => {
    const page = await connect({ agrees: "later", answers: [rightToken] });
    await page.getByText("Answer the browser's question…").waitFor();
    expect(await praise(page)).toEqual([]);
    await play(page, "decide", false);
    await alert(page, "The browser doesn't let Upcut reach video.example yet.");
    expect(await praise(page)).toEqual([]);
    expect(await typesSent(page)).not.toContain("check-account");
    // Allowed elsewhere, it goes on by itself.
    await play(page, "allow", "https://video.example/*");
    await isConnected(page);
  });

  test("praises nothing while the service is asked, nor after a refused token, which another one replaces", async () => {
    const page = await connect({ answers: ["later", rightToken] });
    await page.getByText("Asking video.example…").waitFor();
    expect(await praise(page)).toEqual([]);
    await answer(page, refused("unauthorized", { details: ["[hidden: it repeats a secret]"] }));
    await alert(page, "The service doesn't accept the token.");
    expect(await praise(page)).toEqual([]);
    expect(await page.isVisible("#options")).toBe(false);
    expect(await button(page, "Connect anyway").count()).toBe(0);
    expect(await focused(page)).toBe("token");
    await page.getByText("Details").click();
    await page.getByText("[hidden: it repeats a secret]").waitFor();
    await page.fill("#token", "tok-2");
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.keyboard.press("Enter");
    await isConnected(page);
    expect((await recordOf(page)).storage).toMatchObject({ token: "tok-2" });
  });

  test("asks again with the saved token, or connects anyway, where no answer came", async () => {
    const page = await connect({ allowed, answers: [refused("unreachable")] });
    await alert(page, "No answer from video.example.");
    await page.reload();
    await alert(page, "No answer from video.example.");
    expect(await page.inputValue("#token")).toBe("");
    await button(page, "Connect").click();
    await alert(page, "No answer from video.example.");
    await button(page, "Connect anyway").click();
    await page.getByText("Connected, but not checked.").waitFor();
    const { storage } = await recordOf(page);
    const { settings, token } = account;
    expect(storage).toMatchObject({ settings: { address: settings.address, paths: settings.paths }, token });
    expect(storage).not.toHaveProperty("isUnchecked");
  });

  test("goes on by itself where the browser's question closed the page", async () => {
    const page = await open({ storage: { ...account, isUnchecked: true }, allowed, answers: [rightToken] });
    await isConnected(page);
  });

  test("uses the paths at which the service has its calls, and offers what they are good for", async () => {
    const paths = { terminate: "/api/stream/{id}/terminate", asset: "/api/asset/{id}" };
    const page = await connect({ answers: [{ check: { ...check, paths } }] });
    await isConnected(page);
    expect((await recordOf(page)).storage).toMatchObject({ settings: { paths } });
    await page.getByText("Uploads", { exact: true }).click();
    await page.getByLabel("Tell me when videos are ready").waitFor();
  });
});

describe("an account that is connected", () => {
  const openSetUp = async (faked: PageOptions = {}) => {
    const page = await open({ storage: account, allowed, ...faked });
    await button(page, "Change…").waitFor();
    return page;
  };

  test("is one line, and is checked by a click; nothing is new to somebody who was connected before", async () => {
    const page = await openSetUp({ answers: [rightToken, refused("unauthorized")] });
    await page.getByRole("heading", { name: "video.example" }).waitFor();
    expect(await typesSent(page)).toEqual([]);
    await button(page, "Check").click();
    await isConnected(page);
    expect(await page.isVisible("#next")).toBe(false);
    await button(page, "Check").click();
    await alert(page, "The service doesn't accept the token.");
    expect(await praise(page)).toEqual([]);
  });

  test("is changed or kept; its token is shown to nobody, and sent to no other service, nor are its paths used there", async () => {
    const paths = { requestUpload: "", terminate: "", asset: "/api/asset/{id}" };
    const storage = { ...account, settings: { ...account.settings, paths } };
    const page = await openSetUp({ storage, answers: [rightToken] });
    await button(page, "Change…").click();
    await button(page, "Cancel").click();
    expect(await focused(page)).toBe("change");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain("tok-1");
    expect(await page.inputValue("#token")).toBe("");
    await page.fill("#address", "https://other.example");
    await button(page, "Connect").click();
    await page.getByText("This is another service. Paste its token.").waitFor();
    expect(await focused(page)).toBe("token");
    expect((await recordOf(page)).storage).toEqual(storage);
    await page.keyboard.type("tok-other");
    await button(page, "Show").click();
    expect(await page.getAttribute("#token", "type")).toBe("text");
    await button(page, "Connect").click();
    await page.getByRole("heading", { name: "other.example" }).waitFor();
    expect((await recordOf(page)).storage).toMatchObject({
      settings: { paths: { asset: "" } },
      token: "tok-other",
    });
  });
});

describe("a token that was replaced", () => {
  const own = { id: "a", name: "video.example", ending: "…aaaa" };
  const failed = (more = {}) =>
    makeJob("failed", { error: failure("unauthorized"), account: own, retryOffered: true, ...more });

  test("is entered at once where a row leads to it, and uploads that failed for it are tried again beside it", async () => {
    const jobs = [failed(), failed()];
    const faked = { answers: [rightToken], offscreen: "answers" as const, jobs };
    const page = await open({ storage: account, allowed, query: "#token", ...faked });
    await expect.poll(() => focused(page)).toBe("token");
    await page.keyboard.type("tok-2-of-the-same-account");
    await page.keyboard.press("Enter");
    await isConnected(page);
    await page.getByText("Token …ount").waitFor();
    await page.getByText("2 uploads failed for the token.").waitFor();
    await button(page, "Try again (2)").click();
    await expect
      .poll(async () => (await recordOf(page)).asks)
      .toMatchObject([
        { type: "use-account", jobIds: jobs.map(({ id }) => id).reverse(), account: { ending: "…ount" } },
      ]);
  });

  test("is asked about before what waits for the former one is sent with it", async () => {
    const otherAccount = { id: "b", isKept: false };
    const needs = { permission: "account", id: "b" } as const;
    const held = makeJob("needs-permission", { account: own, otherAccount, needs });
    const jobs = [failed({ otherAccount }), held];
    const page = await open({ storage: account, allowed, offscreen: "answers", jobs });
    await page.getByText("2 uploads wait. Send them with the new token?").waitFor();
    await button(page, "Keep them").click();
    await expect.poll(async () => (await recordOf(page)).asks).toMatchObject([{ type: "keep-account" }]);
    await play(page, "tell", { type: "removed", jobIds: [held.id] });
    await page.getByText("1 upload failed for the token. Send it with the new one?").waitFor();
  });

  test("has a name of its own: that of the former account goes with its token", async () => {
    const settings = { ...account.settings, accountName: "Video team" };
    const page = await open({ storage: { ...account, settings }, allowed, answers: [rightToken] });
    await page.getByRole("heading", { name: "Video team" }).waitFor();
    await button(page, "Change…").click();
    const name = () => page.inputValue("#account-name");
    expect(await name()).toBe("Video team");
    await page.fill("#token", "tok-of-another-account");
    expect(await name()).toBe("");
    await page.fill("#token", "");
    expect(await name()).toBe("Video team");
    await page.fill("#token", "tok-of-another-account");
    await page.fill("#account-name", "News");
    await button(page, "Connect").click();
    await page.getByRole("heading", { name: "News" }).waitFor();
    await page.getByText("video.example · Token …ount").waitFor();
  });
});

describe("an organization", () => {
  const policy = { address: "https://video.example/", accountName: "Example News" };

  test("sets address and name of the account, so that only the token is left to enter", async () => {
    const page = await open({ storage: { policy }, answers: [rightToken] });
    await page.getByRole("heading", { name: "Example News" }).waitFor();
    await page.getByText("Set by your organization.").waitFor();
    expect(await page.getAttribute("#address", "readonly")).not.toBeNull();
    expect(await focused(page)).toBe("token");
    await page.keyboard.type("tok-1");
    await page.keyboard.press("Enter");
    await isConnected(page);
    await page.getByRole("heading", { name: "Example News" }).waitFor();
    expect((await recordOf(page)).storage).toMatchObject({ settings: { address: "https://video.example" } });
  });

  test("is heard of while the account is entered, and its address stands then", async () => {
    const page = await open({ answers: [rightToken] });
    await page.fill("#address", "https://other.example");
    await play(page, "store", { policy });
    await page.getByRole("heading", { name: "Example News" }).waitFor();
    expect(await page.inputValue("#address")).toBe("https://video.example");
    expect(await page.getAttribute("#address", "readonly")).not.toBeNull();
  });

  test("that sets another service is not sent the token of the one before", async () => {
    const page = await open({ storage: { ...account, policy: { address: "https://other.example" } } });
    await page.getByRole("heading", { name: "Welcome to Upcut" }).waitFor();
    await button(page, "Connect").click();
    await page.getByText("Paste the token of your account.").waitFor();
  });
});
