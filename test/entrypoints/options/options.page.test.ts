import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { DEFAULT_SETTINGS, type Settings } from "../../../entrypoints/shared/settings.ts";
import { play } from "../../support/extension/pages/fake-chrome.ts";
import type { PageOptions } from "../../support/extension/pages/page-server.ts";
import { account, focused, recordOf, unfold, usePages } from "../../support/extension/pages/use-pages.ts";

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

const open = async (faked: PageOptions = {}) => {
  const page = await openPage("options", { storage: { settings: filled, token: TOKEN }, allowed, ...faked });
  await page.getByRole("button", { name: "Save" }).waitFor();
  return page;
};
/** With all that is folded away. */
const openUnfolded = async (faked: PageOptions = {}) => {
  const page = await open(faked);
  await unfold(page);
  return page;
};
const save = (page: Page) => page.getByRole("button", { name: "Save" }).click();
const isTold = (page: Page, text: string) =>
  page.getByRole("status").getByText(text, { exact: true }).waitFor();
const openSections = (page: Page) =>
  page
    .locator("details[data-section][open]")
    .evaluateAll((open) => open.map((each) => (each as HTMLElement).dataset.section));

describe("the settings", () => {
  test("are folded away, and those that were changed are marked", async () => {
    const page = await open();
    expect(await openSections(page)).toEqual([]);
    expect(await page.locator("summary").allTextContents()).toEqual([
      "UploadsChanged",
      "New videosChanged",
      "Live streams",
      "Advanced",
    ]);
  });

  test("that the check of the account found are no change of the person's", async () => {
    const paths = { requestUpload: "", terminate: "/api/stream/{id}/terminate", asset: "/api/asset/{id}" };
    const page = await openPage("options", {
      storage: { ...account, settings: { ...account.settings, paths } },
    });
    expect(await page.locator("summary").allTextContents()).not.toContain("AdvancedChanged");
  });

  test("are saved again exactly as they are shown, and no profile that was added and stays empty is sent", async () => {
    const page = await openUnfolded();
    await page.click("#profiles-add");
    await save(page);
    await isTold(page, "Saved");
    expect((await recordOf(page)).storage).toEqual({ settings: filled, token: TOKEN });
    expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain(TOKEN);
  });

  test("are all kept", async () => {
    const page = await openUnfolded({ allowed: [...allowed, "power"] });
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
    await page.fill("#path-asset", "/api/asset/{id}");
    await page.check("#notifyReady");
    await save(page);
    await isTold(page, "Saved");
    expect((await recordOf(page)).storage.settings).toEqual({
      address: "https://video.example",
      accountName: "",
      paths: {
        requestUpload: "/v2/upload",
        terminate: "/api/stream/{id}/terminate",
        asset: "/api/asset/{id}",
      },
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
      notifyReady: true,
      keepAwake: true,
      confirmTerminate: false,
      streamPage: "/live/([^/]+)",
      streamMenu: "listed",
      streamMenuPages: ["dashboard.example", "https://video.example/live"],
      playbackPage: "https://video.example/watch/{playbackId}",
    } satisfies Settings);
  });

  test("show each mistake, focus the first, which they unfold, and save nothing", async () => {
    const page = await openUnfolded();
    await page.fill("#uploadsAtATime", "11");
    await page.fill("#policy-refreshInterval", "often");
    await page.fill("#profiles-1-width", "wide");
    await page.fill("#request-further", "[]");
    await page.check("#streamMenu-listed");
    await page.fill("#streamMenuPages", "dashboard.example\nno address");
    await page.fill("#streamPage", "/live/");
    await page.fill("#playbackPage", "https://video.example");
    await page.fill("#path-terminate", "/stream/terminate");
    await page.evaluate(() => {
      for (const section of document.querySelectorAll("details")) section.open = false;
    });
    await save(page);
    await isTold(page, "Not saved. Fix 8 fields.");
    expect(await focused(page)).toBe("uploadsAtATime");
    const wrong = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("[aria-invalid]")].map(({ id, ariaDescribedByElements }) => [
        id,
        ariaDescribedByElements?.[0]?.className,
      ]),
    );
    expect(wrong.map(([id]) => id)).toEqual([
      "uploadsAtATime",
      "policy-refreshInterval",
      "profiles-1-width",
      "request-further",
      "streamMenuPages",
      "streamPage",
      "playbackPage",
      "path-terminate",
    ]);
    expect(new Set(wrong.map(([, said]) => said))).toEqual(new Set(["problem"]));
    await page.getByText("“no address” is not an address of pages.").waitFor();
    expect(await recordOf(page)).toMatchObject({ writes: [], requests: [] });
    await page.fill("#uploadsAtATime", "10");
    expect(await page.getAttribute("#uploadsAtATime", "aria-invalid")).toBeNull();
    expect(await page.getAttribute("#uploadsAtATime", "aria-describedby")).toBe("uploadsAtATime-hint");
    // What isn't used isn't seen either.
    await page.check("#streamMenu-service");
    expect(await page.locator("#streamMenuPages").count()).toBe(0);
  });

  test("are saved for good only once the browser has allowed what they need", async () => {
    const page = await openUnfolded({ agrees: "later" });
    const tone = () => page.getAttribute("#status", "data-tone");
    await page.check("#keepAwake");
    await save(page);
    await isTold(page, "Answer the browser's question…");
    expect(await tone()).toBe("quiet");
    await play(page, "decide", false);
    await isTold(page, "Saved");
    expect(await tone()).toBe("quiet");
    await page.getByRole("button", { name: "Allow keeping awake" }).click();
    await play(page, "decide", true);
    await page.locator(".notice").waitFor({ state: "detached" });
    expect(await tone()).toBe("good");
    expect((await recordOf(page)).requests.map(({ permissions, inClick }) => [permissions, inClick])).toEqual(
      [
        [["notifications", "power"], true],
        [["power"], true],
      ],
    );
  });

  test("are not saved for good where the path they name leads to no service", async () => {
    const refusal = { name: "ServiceError", code: "wrong-address", message: "Cannot: why" } as const;
    const page = await openUnfolded({ answers: [{ error: refusal }] });
    await page.fill("#path-terminate", "/other/{id}");
    await save(page);
    await page.getByRole("alert").getByText("not as a video service").waitFor();
    await isTold(page, "Saved");
    expect(await page.getAttribute("#status", "data-tone")).toBe("quiet");
  });

  test("that can't be used are named until they are saved anew", async () => {
    const fields = { ...filled.fields, profiles: [{ name: "720p" }, { width: "wide" }] };
    const page = await open({ storage: { settings: { ...filled, fields }, token: TOKEN } });
    await page.locator("#refused").getByText("Quality versions").waitFor();
    await save(page);
    await page.locator("#refused").waitFor({ state: "detached" });
    const { storage } = await recordOf(page);
    expect(storage.settings).toEqual({ ...filled, fields: { ...fields, profiles: [{ name: "720p" }] } });
  });

  test("show what the browser doesn't allow, until it is allowed", async () => {
    const page = await open({ allowed: [] });
    await page.getByRole("button", { name: "Allow video.example" }).click();
    await page.getByRole("button", { name: "Allow notifications" }).click();
    await page.locator(".notice").waitFor({ state: "detached" });
  });

  test("that another page saves meanwhile count, beside what is typed here", async () => {
    const page = await openUnfolded();
    await page.fill("#playbackPage", "https://video.example/{assetId}");
    const other = { settings: { ...filled, address: "https://other.example" }, token: "tok-other" };
    await play(page, "store", other);
    await page.getByRole("heading", { name: "other.example" }).waitFor();
    await save(page);
    await isTold(page, "Saved");
    const playbackPage = "https://video.example/{assetId}";
    expect((await recordOf(page)).storage).toEqual({
      ...other,
      settings: { ...other.settings, playbackPage },
    });
  });

  test("are reached by a link to a section or to a field", async () => {
    const page = await open({ query: "#streamPage" });
    await expect.poll(() => openSections(page)).toEqual(["streams"]);
    // A percent sign that is no encoding opens nothing, and breaks nothing.
    for (const hash of ["%", "advanced"])
      await page.evaluate((hash) => {
        location.hash = hash;
      }, hash);
    await expect.poll(() => openSections(page)).toEqual(["streams", "advanced"]);
  });

  test("keep the place on the page when the focus goes to the bar, which hides nothing that gets it", async () => {
    const page = await open({ viewport: { width: 900, height: 460 } });
    await page.getByRole("button", { name: "Save" }).focus();
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.locator("[data-section=advanced] > summary").focus();
    const isUnderBar = await page.evaluate(() => {
      const { bottom = 0 } = document.activeElement?.getBoundingClientRect() ?? {};
      return bottom > (document.getElementById("bar")?.getBoundingClientRect().top ?? 0);
    });
    expect(isUnderBar).toBe(false);
  });
});
