/** The pages with a keyboard alone: every way can be gone, in the order of the eye, with a focus that is seen. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../../entrypoints/shared/settings.ts";
import type { Answer } from "./pages/fake-chrome.ts";
import { found, frame } from "./pages/findings.ts";
import { asset, failure, half, makeJob } from "./pages/jobs.ts";
import { jumpsBack, keysOn } from "./pages/keys.ts";
import { usePages, usePopup } from "./pages/use-pages.ts";

const storage = { settings: { ...DEFAULT_SETTINGS, address: "https://video.example" }, token: "a-token" };
const allowed = ["https://video.example/*"];
const rightToken = {
  error: { name: "ServiceError", code: "not-found", message: "Cannot: why", retryable: false },
} as Answer;
const other = found({ address: "https://a.example/b.mp4", title: "Another day" });
const video = { name: "video.mp4", mimeType: "video/mp4", buffer: Buffer.from("video") };

describe("the popup", () => {
  const popup = usePopup();
  const fields = (name: string) => ({ ...makeJob("draft").fields, name });
  const jobs = () => [
    makeJob("done", { id: "done", asset, fields: fields("Done") }),
    makeJob("failed", { id: "failed", error: failure("unauthorized"), fields: fields("Failed") }),
    makeJob("queued", { id: "waits", fields: fields("Waits") }),
    makeJob("uploading", { id: "runs", asset, progress: half, fields: fields("Runs") }),
    ...["One", "Two"].map((name) => makeJob("draft", { id: name, fields: fields(name) })),
  ];
  const ready = () => popup.page.locator("#choose-videos:enabled").waitFor();

  test.each([
    ["en", "ltr", ""],
    ["ar", "rtl", ""],
    ["en", "ltr", "?tab=7"],
    ["en", "ltr", "?panel"],
  ] as const)(
    "in the language %s (%s) leads from stop to stop as the eye goes, and shows each: popup.html%s",
    async (language, direction, query) => {
      await popup.open({ jobs: jobs(), found: [frame([found(), other])], language, query });
      await ready();
      await popup.page.locator("#page-videos-list input").nth(1).waitFor();
      const stops = await keysOn(popup.page).walk();
      expect(jumpsBack(stops, direction)).toEqual([]);
      expect(stops.length).toBeGreaterThan(30);
    },
  );

  test("takes files, a link and videos of the page", async () => {
    await popup.open({ found: [frame([found(), other])] });
    await ready();
    const { press, reach, type } = keysOn(popup.page);
    const choosing = popup.page.waitForEvent("filechooser");
    await reach("Choose videos");
    await press("Enter");
    await (await choosing).setFiles(video);
    expect((await reach("Link to a video")).name).toBe("Link to a video");
    await type("https://cdn.example/video.mp4");
    await press("Enter");
    await reach("Launch day");
    await press("Space");
    await reach("Upload 1 video");
    await press("Enter");
    await expect
      .poll(async () => (await popup.asks()).map((ask) => ask.type))
      .toEqual(["files", "addresses", "addresses"]);
    // What was chosen is taken by now, and its button can do nothing more.
    expect((await press("Shift+Tab")).name).toBe("Select all");
  });

  test("edits and starts a draft, and sets all of them", async () => {
    await popup.open({ jobs: ["one", "two"].map((id) => makeJob("draft", { id })) });
    await ready();
    const { press, reach, type, toStart } = keysOn(popup.page);
    await reach("Edit");
    expect((await press("Enter")).name).toBe("Name");
    await press("Control+A");
    await type("The sea");
    expect((await press("Tab")).name).toBe("Make MP4 files");
    await press("Space");
    expect((await press("Tab")).name).toBe("Start");
    expect((await press("Tab")).name).toBe("More");
    await press("Enter");
    expect((await press("Tab")).name).toBe("Method");
    await press("ArrowDown");
    expect((await press("Escape")).name).toBe("Edit");
    const edits = async () => (await popup.asks()).filter(({ type }) => type === "edit").at(-1);
    await expect
      .poll(edits)
      .toMatchObject({ fields: { name: "The sea", staticMp4: true, method: "resumable" } });
    await toStart();
    await reach("Settings for all");
    expect((await press("Enter")).name).toBe("Make MP4 files");
    await press("Space");
    await reach("Apply to all");
    expect((await press("Enter")).name).toBe("Settings for all");
    expect((await popup.asks()).at(-1)).toMatchObject({ type: "edit-drafts" });
  });

  test("pauses, ends, removes, puts back and copies", async () => {
    const [done, runs] = jobs().filter(({ id }) => id === "done" || id === "runs");
    if (done === undefined || runs === undefined) throw new Error("no jobs");
    await popup.open({ jobs: [done, runs], query: "?tab=7" });
    await ready();
    const { press, reach, toStart } = keysOn(popup.page);
    await reach("Pause");
    await press("Enter");
    await popup.tell({ type: "changed", jobs: [{ ...runs, state: "paused" }] });
    await popup.page.locator("[data-state=paused]").waitFor();
    expect((await press("Tab")).name).toBe("Cancel");
    expect((await press("Enter")).name).toBe("Keep uploading");
    expect((await press("Escape")).name).toBe("Cancel");
    await press("Space");
    expect((await press("Tab")).name).toBe("End the upload");
    await press("Enter");
    const cancelled = { ...runs, state: "cancelled", endedAtService: true } as const;
    await popup.tell({ type: "changed", jobs: [cancelled] });
    await popup.page.locator("[data-state=cancelled]").waitFor();
    expect((await press("Shift+Tab")).name).toBe("Remove");
    await press("Enter");
    await popup.tell({ type: "removed", jobIds: ["runs"], undoable: 1 });
    await popup.page.locator("[data-state=cancelled]").waitFor({ state: "detached" });
    await reach("Undo");
    await press("Enter");
    await popup.tell({ type: "changed", jobs: [cancelled] });
    expect((await popup.asks()).map(({ type }) => type)).toEqual(["pause", "cancel", "remove", "undo"]);
    await toStart();
    await reach("More");
    await press("Space");
    await reach("Copy playback id");
    await press("Enter");
    expect(await popup.page.evaluate(() => navigator.clipboard.readText())).toBe(asset.playbackId);
    expect((await press("Escape")).name).toBe("More");
  });

  test("searches what was uploaded", async () => {
    await popup.open({ query: "?tab=7" });
    await ready();
    const { press, reach, type } = keysOn(popup.page);
    await reach("History");
    await press("Enter");
    expect((await press("Tab")).name).toBe("Search what was uploaded");
    await type("sea");
    await popup.page.locator("#history-note").getByText(/./).waitFor();
    expect((await press("Shift+Tab")).name).toBe("History");
  });
});

describe("other pages", () => {
  const openPage = usePages();
  const unfold = (page: Page) =>
    page.evaluate(() => {
      for (const section of document.querySelectorAll("details")) section.open = true;
    });

  test("the options connect and take the first video", async () => {
    const page = await openPage("options", { answers: [rightToken] });
    const { press, reach, type } = keysOn(page);
    await type("https://video.example");
    await reach("Token");
    await type("tok-1");
    await reach("Save");
    await press("Enter");
    await page.getByText("Connected", { exact: true }).waitFor();
    await page.locator("#next:not([hidden])").waitFor();
    const stops = await keysOn(page).walk();
    expect(jumpsBack(stops)).toEqual([]);
    await reach("Choose videos");
    // In a tab the browser's own picker opens, which no page can be told to answer.
    await page.evaluate(() => {
      const showOpenFilePicker = async () => {
        document.title = `picked ${navigator.userActivation.isActive}`;
        throw new DOMException("", "AbortError");
      };
      Object.assign(window, { showOpenFilePicker });
    });
    await press("Enter");
    await expect.poll(() => page.title()).toBe("picked true");
  });

  test.each([
    ["en", "ltr"],
    ["ar", "rtl"],
  ] as const)(
    "all of the options in the language %s (%s) are led through as the eye goes",
    async (language, direction) => {
      const page = await openPage("options", { storage, allowed, language });
      await page.locator("#token[readonly]").waitFor();
      await unfold(page);
      const stops = await keysOn(page).walk();
      expect(jumpsBack(stops, direction)).toEqual([]);
      expect(stops.length).toBeGreaterThan(30);
    },
  );

  test.each(["en", "ar"] as const)(
    "the window that ends a stream leads through as the eye goes, in the language %s",
    async (language) => {
      const page = await openPage("terminate", { storage, allowed, language, query: "?id=a-stream" });
      const stops = await keysOn(page).walk();
      expect(jumpsBack(stops, language === "ar" ? "rtl" : "ltr")).toEqual([]);
      expect(stops.length).toBeGreaterThanOrEqual(3);
    },
  );
});
