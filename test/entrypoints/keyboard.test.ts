/** The pages with a keyboard alone: every way can be gone, in the order of the eye, with a focus that is seen. */
import { describe, expect, test } from "vitest";
import { found, frame } from "./pages/findings.ts";
import { asset, failure, half, makeJob } from "./pages/jobs.ts";
import { jumpsBack, keysOn } from "./pages/keys.ts";
import { account, allowed, refused, usePages, usePopup } from "./pages/use-pages.ts";

const other = found({ address: "https://a.example/b.mp4", title: "Another day" });

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

  test.each([
    ["en", "ltr", ""],
    ["ar", "rtl", "?tab=7"],
  ] as const)(
    "in the language %s (%s) leads from stop to stop as the eye goes, and shows each: popup.html%s",
    async (language, direction, query) => {
      await popup.open({ jobs: jobs(), found: [frame([found(), other])], language, query });
      await popup.page.locator("#page-videos-list input").nth(1).waitFor();
      const stops = await keysOn(popup.page).walk();
      expect(jumpsBack(stops, direction)).toEqual([]);
      expect(stops.length).toBeGreaterThan(30);
    },
  );

  test("takes a link and videos of the page, and edits a draft", async () => {
    await popup.open({ found: [frame([found(), other])], jobs: [makeJob("draft")] });
    const { press, reach, type } = keysOn(popup.page);
    await reach("Link to a video");
    await type("https://cdn.example/video.mp4");
    await press("Enter");
    await reach("Launch day");
    await press("Space");
    await reach("Upload 1 video");
    await press("Enter");
    const asked = async () => (await popup.asks()).map((ask) => ask.type);
    await expect.poll(asked).toEqual(["addresses", "addresses"]);
    // What was chosen is taken by now, and its button can do nothing more.
    expect((await press("Shift+Tab")).name).toBe("Select all");
    await reach("Edit");
    expect((await press("Enter")).name).toBe("Name");
    for (const name of ["Make MP4 files", "Start", "More"]) expect((await press("Tab")).name).toBe(name);
    await press("Enter");
    expect((await press("Tab")).name).toBe("Method");
    await press("ArrowDown");
    expect((await press("Escape")).name).toBe("Edit");
    await expect
      .poll(async () => (await popup.asks()).at(-1))
      .toMatchObject({ type: "edit", fields: { method: "resumable" } });
  });

  test("pauses, ends, removes, puts back and copies", async () => {
    const [done, runs] = jobs().filter(({ id }) => id === "done" || id === "runs");
    if (done === undefined || runs === undefined) throw new Error("no jobs");
    await popup.open({ jobs: [done, runs], query: "?tab=7" });
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
});

describe("other pages", () => {
  const openPage = usePages();

  test("the options connect and take the first video", async () => {
    const page = await openPage("options", { answers: [refused("not-found")] });
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
  ] as const)("lead through as the eye goes in the language %s (%s)", async (language, direction) => {
    const options = await openPage("options", { storage: account, allowed, language });
    await options.locator("#token[readonly]").waitFor();
    await options.evaluate(() => {
      for (const section of document.querySelectorAll("details")) section.open = true;
    });
    const terminate = await openPage("terminate", {
      storage: account,
      allowed,
      language,
      query: "?id=a-stream",
    });
    for (const [page, count] of [
      [options, 30],
      [terminate, 3],
    ] as const) {
      const stops = await keysOn(page).walk();
      expect(jumpsBack(stops, direction)).toEqual([]);
      expect(stops.length).toBeGreaterThanOrEqual(count);
    }
  });
});
