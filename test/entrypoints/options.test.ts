import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { DEFAULT_SETTINGS, type Settings } from "../../entrypoints/shared/settings.ts";
import type { PageOptions } from "./pages/page-server.ts";
import { recordOf, usePages } from "./pages/use-pages.ts";

const TOKEN = "tok-5c1e9b7a";
const filled: Settings = {
  ...DEFAULT_SETTINGS,
  address: "https://video.example",
  fields: {
    staticMp4: true,
    playbackPolicy: { type: "webhook", webhookContext: { plan: "members" }, refreshInterval: 600 },
    profiles: [{ name: "720p", width: 1280, gop: "2" }, { name: "360p" }],
    further: { custom: 4 },
  },
  notifications: true,
  uploadsAtATime: 4,
};
const allowed = ["https://video.example/*", "notifications"];
const openPage = usePages();

/** With all that is folded away: what is folded when is tested elsewhere. */
const open = async (faked: PageOptions = {}) => {
  const page = await openPage("options", faked);
  await page.evaluate(() => {
    for (const section of document.querySelectorAll("details")) section.open = true;
  });
  return page;
};
const openFilled = (faked: PageOptions = {}) =>
  open({ storage: { settings: filled, token: TOKEN }, allowed, ...faked });
const save = (page: Page) => page.click("button[type=submit]");
const isTold = (page: Page, text: string) =>
  page.locator("#status").getByText(text, { exact: true }).waitFor();
const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);
const notices = (page: Page) => page.locator("#notices > li > span").allTextContents();

describe("the options page", () => {
  test("saves address and token, asks for the host by the same click, and leaves all else absent", async () => {
    const page = await open();
    await page.fill("#address", " video.example/base/ ");
    await page.fill("#token", `  Bearer ${TOKEN} `);
    await page.press("#token", "Tab");
    expect(await page.inputValue("#token")).toBe(TOKEN);
    await save(page);
    await isTold(page, "Saved");
    const { storage, requests } = await recordOf(page);
    expect(storage).toEqual({
      settings: { ...DEFAULT_SETTINGS, address: "https://video.example/base" },
      token: TOKEN,
    });
    expect(requests).toEqual([{ origins: ["https://video.example/*"], permissions: [], inClick: true }]);
    expect(await notices(page)).toEqual([]);
  });

  test("never shows a saved token again", async () => {
    const page = await openFilled();
    const everything = () =>
      page.evaluate(() => {
        const values = [...document.querySelectorAll("input")].map(({ value }) => value);
        return document.documentElement.outerHTML + values.join();
      });
    await page.locator("#token[readonly]").waitFor();
    expect(await everything()).not.toContain(TOKEN);
    await page.click("#token-replace");
    expect(await focused(page)).toBe("token");
    expect(await everything()).not.toContain(TOKEN);
    await page.click("#token-keep");
    await save(page);
    await isTold(page, "Saved");
    expect((await recordOf(page)).storage.token).toBe(TOKEN);
    await page.click("#token-replace");
    await page.fill("#token", "tok-next");
    await page.click("#token-show");
    expect(await page.getAttribute("#token", "type")).toBe("text");
    await save(page);
    await isTold(page, "Saved");
    expect(await everything()).not.toContain("tok-next");
    expect(await page.getAttribute("#token", "type")).toBe("password");
    expect((await recordOf(page)).storage.token).toBe("tok-next");
  });

  test("saves again exactly what it shows, and sends no profile that was added and stays empty", async () => {
    const page = await openFilled();
    await page.locator("#token[readonly]").waitFor();
    await page.click("#profiles-add");
    await save(page);
    await isTold(page, "Saved");
    expect((await recordOf(page)).storage).toEqual({ settings: filled, token: TOKEN });
  });

  test("keeps every setting", async () => {
    const page = await openFilled({ allowed: [...allowed, "power"] });
    await page.check("#method-direct");
    for (const id of ["reviewFirst", "keepAwake", "uploadAuthorization"]) await page.check(`#${id}`);
    for (const id of ["staticMp4", "notifications", "confirmTerminate"]) await page.uncheck(`#${id}`);
    await page.fill("#uploadsAtATime", "10");
    await page.fill("#policy-type", "public");
    await page.fill("#policy-webhookId", "wh-1");
    await page.fill("#policy-webhookContext", "");
    await page.fill("#policy-refreshInterval", "");
    await page.fill("#policy-allowedOrigins", "https://a.example\n\n https://b.example ");
    await page.getByRole("button", { name: "Remove profile 1" }).click();
    await page.fill("#request-further", '{"c2pa": true, "seconds": 4}');
    await page.fill("#streamPage", "/live/([^/]+)");
    await page.check("#streamMenu-listed");
    await page.fill("#streamMenuPages", "dashboard.example\n\n https://video.example/live ");
    await page.fill("#playbackPage", "https://video.example/watch/{playbackId}");
    await page.fill("#path-requestUpload", "/v2/upload");
    await page.fill("#path-terminate", "/api/stream/{id}/terminate");
    await save(page);
    await isTold(page, "Saved");
    expect((await recordOf(page)).storage.settings).toEqual({
      address: "https://video.example",
      paths: { requestUpload: "/v2/upload", terminate: "/api/stream/{id}/terminate" },
      uploadAuthorization: true,
      method: "direct",
      fields: {
        staticMp4: false,
        playbackPolicy: {
          type: "public",
          webhookId: "wh-1",
          allowedOrigins: ["https://a.example", "https://b.example"],
        },
        profiles: [{ name: "360p" }],
        further: { c2pa: true, seconds: 4 },
      },
      reviewFirst: true,
      uploadsAtATime: 10,
      notifications: false,
      keepAwake: true,
      confirmTerminate: false,
      streamPage: "/live/([^/]+)",
      streamMenu: "listed",
      streamMenuPages: ["dashboard.example", "https://video.example/live"],
      playbackPage: "https://video.example/watch/{playbackId}",
    } satisfies Settings);
  });

  test("shows each mistake at its field, focuses the first, and saves nothing", async () => {
    const page = await open();
    await page.fill("#address", "ftp://video.example");
    await page.fill("#token", "two words");
    await page.fill("#uploadsAtATime", "11");
    await page.fill("#policy-refreshInterval", "often");
    await page.click("#profiles-add");
    await page.fill("#profiles-1-width", "wide");
    await page.fill("#request-further", "[]");
    await page.fill("#streamPage", "/live/");
    await page.fill("#playbackPage", "https://video.example");
    await page.fill("#path-terminate", "/stream/terminate");
    await save(page);
    await isTold(page, "Not saved. Fix 9 fields.");
    expect(await focused(page)).toBe("address");
    const wrong = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("[aria-invalid]")].map(({ id, ariaDescribedByElements }) => [
        id,
        ariaDescribedByElements?.[0]?.className,
      ]),
    );
    expect(wrong.map(([id]) => id)).toEqual([
      "address",
      "token",
      "uploadsAtATime",
      "policy-refreshInterval",
      "profiles-1-width",
      "request-further",
      "streamPage",
      "playbackPage",
      "path-terminate",
    ]);
    expect(new Set(wrong.map(([, said]) => said))).toEqual(new Set(["problem"]));
    expect(await recordOf(page)).toMatchObject({ storage: {}, requests: [] });
    await page.fill("#address", "https://video.example");
    expect(await page.getAttribute("#address", "aria-invalid")).toBeNull();
    expect(await page.getAttribute("#address", "aria-describedby")).toBe("address-hint");
  });

  test("saves although Chrome may not reach the host, says so, and asks again by a button", async () => {
    const page = await open({ agrees: false });
    await page.fill("#address", "https://video.example:8443");
    await page.fill("#token", TOKEN);
    await save(page);
    await isTold(page, "Saved");
    await page.getByRole("button", { name: "Allow video.example:8443" }).click();
    expect(await notices(page)).toEqual([
      "Uploads can't start until the browser lets Upcut reach video.example:8443.",
    ]);
    const { requests, storage } = await recordOf(page);
    expect(requests.map(({ origins, inClick }) => [origins, inClick])).toEqual([
      [["https://video.example/*"], true],
      [["https://video.example/*"], true],
    ]);
    expect(storage).toMatchObject({ settings: { address: "https://video.example:8443" }, token: TOKEN });
  });

  test("shows what is missing at once, until it is allowed", async () => {
    const page = await openFilled({ allowed: [] });
    await page.getByRole("button", { name: "Allow video.example" }).click();
    await page.getByRole("button", { name: "Allow notifications" }).click();
    await page.locator("#notices:empty").waitFor({ state: "attached" });
  });

  test("sends a saved token to no other service", async () => {
    const page = await openFilled();
    await page.locator("#token[readonly]").waitFor();
    await page.fill("#address", "https://other.example");
    await save(page);
    await isTold(page, "Not saved. Fix 1 field.");
    expect(await focused(page)).toBe("token");
    expect((await recordOf(page)).storage).toEqual({ settings: filled, token: TOKEN });
    await page.fill("#token", "tok-other");
    await save(page);
    await isTold(page, "Saved");
    const { storage, writes } = await recordOf(page);
    expect(storage).toMatchObject({
      settings: { address: "https://other.example" },
      token: "tok-other",
    });
    // No moment in between, in which one service's token stood beside the other's address.
    expect(writes).toEqual([["settings", "token"]]);
  });

  test("adds and removes profiles by keyboard, and keeps the focus where the person is", async () => {
    const page = await openFilled();
    await page.locator("#profiles-2-name").waitFor();
    await page.focus("#profiles-add");
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("profiles-3-name");
    await page.keyboard.type("240p");
    await page.keyboard.press("Shift+Tab");
    const name = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    expect(await name()).toBe("Remove profile 3");
    await page.keyboard.press("Enter");
    expect(await name()).toBe("Remove profile 2");
    await page.keyboard.press("Enter");
    expect(await name()).toBe("Remove profile 1");
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("profiles-add");
    await save(page);
    await isTold(page, "Saved");
    expect((await recordOf(page)).storage).not.toHaveProperty("settings.fields.profiles");
  });

  test("shows after a reload what was saved, also an address in plain http with its warning", async () => {
    const page = await open();
    await page.fill("#address", "http://video.example");
    await page.locator("#address-plain:not([hidden])").waitFor();
    await page.fill("#token", TOKEN);
    await save(page);
    await isTold(page, "Saved");
    await page.reload();
    await page.locator("#token[readonly]").waitFor();
    expect(await page.inputValue("#address")).toBe("http://video.example");
    expect(await page.isVisible("#address-plain")).toBe(true);
  });
});

describe("“Forget this account…”", () => {
  const openDialog = async (faked: PageOptions = {}) => {
    const page = await openFilled({ answers: [null], offscreen: "answers", ...faked });
    await page.getByRole("button", { name: "Forget this account…" }).click();
    return page;
  };

  test("asks first: Escape and Cancel forget nothing, and the focus goes back", async () => {
    const page = await openDialog();
    const dialog = page.getByRole("dialog", { name: "Forget this account?" });
    expect(await focused(page)).toBe("forget-cancel");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    expect(await focused(page)).toBe("forget");
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "hidden" });
    const { messages, asks } = await recordOf(page);
    expect({ messages, asks }).toEqual({ messages: [], asks: [] });
  });

  test("empties the list first, then forgets token and permissions, and says so", async () => {
    const page = await openDialog();
    await page.getByRole("button", { name: "Forget", exact: true }).click();
    await expect.poll(async () => (await recordOf(page)).asks).toEqual([{ type: "clear-list" }]);
    expect(JSON.stringify((await recordOf(page)).messages)).not.toContain("forget-account");
    await page.evaluate(() =>
      (globalThis as unknown as { tell(news: unknown): void }).tell({ type: "removed", jobIds: [] }),
    );
    await isTold(page, "The account is forgotten");
    expect((await recordOf(page)).messages.at(-1)).toMatchObject({ type: "forget-account", hosts: true });
    expect(await page.locator("#token").getAttribute("readonly")).toBeNull();
  });

  test("leaves list and permissions where that is chosen", async () => {
    const page = await openDialog();
    await page.getByLabel("The list of uploads").uncheck();
    await page.getByLabel("The permission to reach hosts").uncheck();
    await page.getByRole("button", { name: "Forget", exact: true }).click();
    await isTold(page, "The account is forgotten");
    const { messages, asks } = await recordOf(page);
    expect(asks).toEqual([]);
    expect(messages).toMatchObject([{ type: "forget-account", hosts: false }]);
  });
});
