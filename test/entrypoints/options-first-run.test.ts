import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Settings } from "../../entrypoints/shared/settings.ts";
import type { Answer, FakeGlobals } from "./pages/fake-chrome.ts";
import type { PageOptions } from "./pages/page-server.ts";
import { account, allowed, answer, recordOf, refused, usePages } from "./pages/use-pages.ts";

const openPage = usePages();

const open = (faked: PageOptions = {}) => openPage("options", faked);
const rightToken = refused("not-found", { details: ["stream not found"] });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);
const lines = (page: Page) =>
  page
    .locator("#checks > li")
    .evaluateAll((items) => items.map((item) => (item as HTMLElement).dataset.tone));
const isTold = (page: Page, title: string) =>
  page.locator("#connection-title").getByText(title, { exact: true }).waitFor();
const typesSent = async (page: Page) =>
  (await recordOf(page)).messages.map((message) => (message as { type: string }).type);

/** The options after an account was entered and saved. */
async function save(faked: PageOptions = {}, name = "Save"): Promise<Page> {
  const page = await open(faked);
  await page.fill("#address", "https://video.example");
  await page.fill("#token", "tok-1");
  await button(page, name).click();
  return page;
}
const isSaved = (page: Page) => page.locator("#status").getByText("Saved", { exact: true }).waitFor();
/** The options of an account that is set up. */
async function openSetUp(faked: PageOptions = {}): Promise<Page> {
  const page = await open({ storage: account, allowed, ...faked });
  await page.locator("#token[readonly]").waitFor();
  return page;
}

const openSections = (page: Page) =>
  page
    .locator("details[data-section][open]")
    .evaluateAll((open) => open.map((each) => (each as HTMLElement).dataset.section));

describe("the options at install", () => {
  test("say what Upcut does, ask for two things, and fold all else away", async () => {
    const page = await open();
    await page.getByRole("heading", { name: "Welcome to Upcut" }).waitFor();
    await page.getByText("Upload videos to your account from the toolbar").waitFor();
    expect(await focused(page)).toBe("address");
    const fields = page.locator("input:visible, textarea:visible, select:visible");
    expect(await fields.evaluateAll((all) => all.map(({ id }) => id))).toEqual(["address", "token"]);
    expect(await openSections(page)).toEqual([]);
    expect(await page.isVisible("#save-unchecked")).toBe(false);
    await page.getByText("Where do I find them?").click();
    await page.getByText("mostly under “API keys”").waitFor();
  });
});

test("the page stays where it is when the focus goes to the bar, and shows what gets it elsewhere", async () => {
  const page = await open({ viewport: { width: 900, height: 480 } });
  const scrolled = () => page.evaluate(() => scrollY);
  await page.locator("button[type=submit]").focus();
  expect(await scrolled()).toBe(0);
  await page.locator("[data-section=advanced] > summary").focus();
  const isUnderBar = await page.evaluate(() => {
    const { bottom = 0 } = document.activeElement?.getBoundingClientRect() ?? {};
    return bottom > (document.getElementById("bar")?.getBoundingClientRect().top ?? 0);
  });
  expect(isUnderBar).toBe(false);
});

describe("the folded sections", () => {
  test("are open where something differs from what it is at first", async () => {
    const settings: Settings = {
      ...account.settings,
      keepAwake: true,
      fields: { staticMp4: false, further: { custom: 1 } },
      streamMenu: "everywhere",
    };
    const page = await open({ storage: { ...account, settings }, allowed: [...allowed, "power"] });
    await page.locator("#token[readonly]").waitFor();
    await expect.poll(() => openSections(page)).toEqual(["uploads", "further", "streams"]);
  });

  test("open and close by keyboard, and stay as the person left them after saving", async () => {
    const page = await openSetUp();
    await page.locator("[data-section=links] > summary").focus();
    await page.keyboard.press("Enter");
    await page.fill("#playbackPage", "https://video.example/{assetId}");
    await page.click("button[type=submit]");
    await isSaved(page);
    expect(await openSections(page)).toEqual(["links"]);
  });

  test("one with a wrong field is opened, and the field gets the focus", async () => {
    const page = await openSetUp();
    const summary = page.locator("[data-section=advanced] > summary");
    await summary.click();
    await page.fill("#path-terminate", "/stream");
    await summary.click();
    expect(await openSections(page)).toEqual([]);
    await page.click("button[type=submit]");
    expect(await openSections(page)).toEqual(["advanced"]);
    expect(await focused(page)).toBe("path-terminate");
  });

  test("a link to a section or to a field opens it", async () => {
    const page = await open({ storage: account, allowed, query: "#streamPage" });
    await expect.poll(() => openSections(page)).toEqual(["streams"]);
    await page.evaluate(() => {
      location.hash = "advanced";
    });
    await expect.poll(() => openSections(page)).toEqual(["streams", "advanced"]);
    // A percent sign that is no encoding opens nothing, and breaks nothing.
    for (const hash of ["%", "links"])
      await page.evaluate((hash) => {
        location.hash = hash;
      }, hash);
    await expect.poll(() => openSections(page)).toEqual(["streams", "links", "advanced"]);
  });
});

describe("the check at saving", () => {
  test("tells each step as it comes, and at the end that the account is connected", async () => {
    const page = await save({ answers: ["later"] });
    await isTold(page, "Checking the connection…");
    await page.getByText("Asking video.example…").waitFor();
    expect(await lines(page)).toEqual(["good", "good", "busy", "open"]);
    await answer(page, rightToken);
    await isTold(page, "Connected");
    expect(await lines(page)).toEqual(["good", "good", "good", "good"]);
    // The page gave the token away with the settings.
    expect(await typesSent(page)).toContain("check-account");
    expect(JSON.stringify((await recordOf(page)).messages)).not.toContain("tok-1");
  });

  test("a wrong token is saved, named, and a click leads back to its field", async () => {
    const page = await save({
      answers: [refused("unauthorized", { details: ["[hidden: it repeats a secret]"] }), rightToken],
    });
    await isTold(page, "Not connected yet");
    await page.getByRole("alert").getByText("The service doesn't accept the token.").waitFor();
    await page.getByText("[hidden: it repeats a secret]").waitFor();
    expect((await recordOf(page)).storage).toMatchObject(account);
    expect(await page.isVisible("#next")).toBe(false);
    await button(page, "Enter another token").click();
    expect(await focused(page)).toBe("token");
    await page.keyboard.type("tok-2");
    await page.keyboard.press("Enter");
    await isTold(page, "Connected");
    expect(await focused(page)).toBe("token");
    expect((await recordOf(page)).storage).toMatchObject({ token: "tok-2" });
  });

  test("no answer is checked again by a click, within which the host is asked for", async () => {
    const page = await save({ answers: [refused("unreachable"), rightToken] });
    await isTold(page, "Not connected yet");
    await button(page, "Check again").click();
    await isTold(page, "Connected");
    expect(await focused(page)).toBe("check");
    expect((await recordOf(page)).requests.every(({ inClick }) => inClick)).toBe(true);
  });

  test("a host that isn't allowed is not asked, and is as soon as it is allowed", async () => {
    const page = await save({ agrees: false, answers: [rightToken] });
    await isTold(page, "Not connected yet");
    await page.getByText("The browser doesn't let Upcut reach video.example yet.").waitFor();
    expect(await lines(page)).toEqual(["good", "bad", "open", "open"]);
    expect(await typesSent(page)).not.toContain("check-account");
    await page.evaluate(() => (globalThis as unknown as FakeGlobals).allow("https://video.example/*"));
    await isTold(page, "Connected");
  });

  test("the path that the service was found at is used by a click", async () => {
    const path = "/api/stream/{id}/terminate";
    const atOtherPath = { ...(refused("wrong-address") as object), path } as Answer;
    const page = await save({ answers: [atOtherPath, rightToken] });
    await page.getByText(`video.example answers at another path: ${path}`).waitFor();
    await button(page, "Use this path").click();
    await isTold(page, "Connected");
    expect((await recordOf(page)).storage).toMatchObject({
      settings: { paths: { terminate: path } },
      token: "tok-1",
    });
    expect(await openSections(page)).toContain("advanced");
  });

  test("can be left out", async () => {
    const page = await save({ answers: [rightToken] }, "Save without checking");
    await isSaved(page);
    await page.locator("#next").waitFor();
    expect(await page.isVisible("#connection")).toBe(false);
    expect(await typesSent(page)).not.toContain("check-account");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Save");
    expect((await recordOf(page)).storage).toMatchObject(account);
  });

  test("is left out where the account is as before, and made by its button", async () => {
    const page = await openSetUp({ answers: [rightToken] });
    await button(page, "Save").click();
    await isSaved(page);
    expect(await typesSent(page)).toEqual([]);
    await button(page, "Check the connection").click();
    await isTold(page, "Connected");
    expect(await typesSent(page)).toEqual(["check-account"]);
    // Nothing is new to somebody who was connected before.
    expect(await page.isVisible("#next")).toBe(false);
  });
});

describe("what is next", () => {
  const connect = async (faked: PageOptions = {}) => {
    const page = await save({ answers: [rightToken], offscreen: "answers", ...faked });
    await page.locator("#next").waitFor();
    return page;
  };

  test("is to pin the icon, until it is pinned, and to choose videos within the click", async () => {
    const page = await connect();
    await page.getByRole("heading", { name: "Pin the icon" }).waitFor();
    await page.evaluate(() => (globalThis as unknown as FakeGlobals).pin());
    await page.getByRole("heading", { name: "The icon is pinned" }).waitFor();
    // Videos are chosen by the browser's own picker, which no page can be told to answer.
    await page.evaluate(() => {
      const showOpenFilePicker = async () => {
        document.title = `picked ${navigator.userActivation.isActive}`;
        throw new DOMException("", "AbortError");
      };
      Object.assign(window, { showOpenFilePicker });
    });
    await button(page, "Choose videos").press("Enter");
    await expect.poll(() => page.title()).toBe("picked true");
  });

  test("is no pinning where the icon is on the toolbar already", async () => {
    const page = await connect({ pinned: true });
    await page.getByRole("heading", { name: "Upload a video" }).waitFor();
    expect(await page.isVisible("#pin")).toBe(false);
  });

  test("a chosen or dropped video goes to the uploads, and their list opens", async () => {
    const page = await connect();
    await page.setInputFiles("#files", {
      name: "video.mp4",
      mimeType: "video/mp4",
      buffer: Buffer.from("video"),
    });
    await expect.poll(async () => (await recordOf(page)).asks.length).toBe(1);
    const [asked] = (await recordOf(page)).asks as { type: string; batch: string; files: unknown[] }[];
    expect(asked).toMatchObject({ type: "files", files: [{}] });
    await page.evaluate(
      (batch) => (globalThis as unknown as FakeGlobals).tell({ type: "taken", batch, jobIds: ["1"] }),
      asked?.batch,
    );
    await expect.poll(async () => (await recordOf(page)).calls).toContain("tab popup.html?tab=");
    // A video is no setting that is lost.
    expect(await page.textContent("#status")).toBe("Saved");
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["video"], "dropped.mp4", { type: "video/mp4" }));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    });
    await expect.poll(async () => (await recordOf(page)).asks[1]).toMatchObject({ type: "files" });
  });
});

describe("on which pages the menu offers to end a stream", () => {
  test("is named, and addresses that are no pages are told at their field", async () => {
    const page = await open({ storage: account, allowed, query: "#streams" });
    await page.getByText("On video.example and everything below it.").waitFor();
    expect(await page.isVisible("#streamMenuPages")).toBe(false);
    await page.getByLabel("Only on pages of these addresses").check();
    await button(page, "Save").click();
    expect(await focused(page)).toBe("streamMenuPages");
    await page.getByText("Name at least one address").waitFor();
    await page.fill("#streamMenuPages", "dashboard.example\nno address");
    await button(page, "Save").click();
    await page.getByText("“no address” is not an address of pages.").waitFor();
    await page.fill("#streamMenuPages", "dashboard.example");
    await button(page, "Save").click();
    await isSaved(page);
    expect((await recordOf(page)).storage).toMatchObject({
      settings: { streamMenu: "listed", streamMenuPages: ["dashboard.example"] },
    });
  });
});
