/** The popup in each of its states, in each language, light and dark: one page is led through all of them. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Job } from "../../entrypoints/shared/job.ts";
import { violationsInBothSchemes, violationsOf } from "./accessibility.ts";
import { LANGUAGES, type Messages, messagesOf } from "./catalogue.ts";
import { frame, pagesFound } from "./pages/findings.ts";
import { asset, half, makeJob, manyJobs, states } from "./pages/jobs.ts";
import { usePopup } from "./pages/use-pages.ts";

const popup = usePopup();

/** Rows further down are only laid out when they are scrolled to. */
const MOST_ROWS = 12;

/** Pages that can't be searched, by what the browser tells of them. */
const UNSEARCHABLE = {
  browser: "chrome://newtab/",
  store: "https://chromewebstore.google.com/",
  file: "file:///home/me/video.mp4",
  source: "view-source:https://news.example/",
  extension: "chrome-extension://other/page.html",
  error: "chrome-error://chromewebdata/",
  closed: "https://news.example/",
  unknown: undefined,
};

const HISTORY = Array.from({ length: 60 }, (_, at) => ({
  id: `past-${at}`,
  name: `Launch day ${at}`,
  size: 48_200_000,
  ...(at % 2 === 0 && { host: "cdn.example" }),
  endedAt: 1_700_000_000_000 + at,
  assetId: `asset-${at}`,
  playbackId: `play-${at}`,
  digests: [],
}));

describe.each(LANGUAGES)("in the language %s", (language) => {
  const direction = language === "ar" ? "rtl" : "ltr";
  let messages: Messages;
  beforeAll(async () => {
    messages = await messagesOf(language);
  });

  /** A button by the key of its words. */
  const button = (key: string) =>
    popup.page.getByRole("button", { name: messages[key.replaceAll(".", "_")] ?? key, exact: true });

  /** What is wrong with the page as it is, or with the part of it that has changed. */
  async function look(scene: string, within?: string): Promise<void> {
    const shown = await popup.page.evaluate(() => {
      const { lang, dir, scrollWidth, clientWidth } = document.documentElement;
      return { language: lang.slice(0, 2), dir, aside: scrollWidth - clientWidth };
    });
    expect(shown, scene).toEqual({ language, dir: direction, aside: 0 });
    // A unit such as the German "Sek." ends with a full stop of its own.
    expect(await popup.page.locator("body").innerText(), scene).not.toContain("..");
    // No language has colours of its own.
    const violations = language === "en" ? violationsInBothSchemes : violationsOf;
    expect(await violations(popup.page, within), scene).toEqual([]);
  }

  /** Shows these in place of all others. */
  async function list(jobs: Job[]): Promise<void> {
    const ids = await popup.page.evaluate(() =>
      [...document.querySelectorAll("#list h3")].map(({ id }) => id.replace("title-", "")),
    );
    await popup.tell({ type: "removed", jobIds: ids });
    await popup.tell({ type: "changed", jobs });
    const ready = (ids: string[]) =>
      document.querySelectorAll("#list h3").length === ids.length &&
      ids.every((id) => document.getElementById(`title-${id}`));
    await popup.page.waitForFunction(
      ready,
      jobs.map(({ id }) => id),
    );
  }

  test("uploads in every state, and what is wrong with all of them", async () => {
    await popup.open({ language, answers: false });
    const all = [
      ...Object.values(states).flatMap((make) => make()),
      makeJob("draft", { uploadedBefore: Date.now() - 86_400_000 }),
      makeJob("draft", { duplicateOf: "other" }),
      makeJob("needs-file", { asset, progress: half, refused: { ...makeJob("draft").source, size: 3 } }),
    ];
    for (let first = 0; first < all.length; first += MOST_ROWS) {
      await list(all.slice(first, first + MOST_ROWS));
      await look(`rows from ${first}`, "#uploads");
    }
    await button("popup.restart").waitFor();
    await look("nobody answers");
    await popup.tell({ type: "ready" });
    for (const trouble of ["unstored", "unreadable"] as const) {
      await popup.tell({ type: "trouble", trouble });
      await popup.page.locator("#list-trouble").waitFor();
      await look(`the list is ${trouble}`, "#list-trouble");
    }
    await popup.tell({ type: "trouble" });
  });

  test("what is opened and asked, and the heads of the list", async () => {
    await popup.open({ language });
    await look("empty");
    await list([makeJob("uploading", { asset, progress: half })]);
    await button("button.cancel").click();
    await popup.page.locator(".question").waitFor();
    await look("a question", "#uploads");
    await list(states["done-links"]?.() ?? []);
    await button("list.more").click();
    await look("a finished upload that is open", "#uploads");
    await list(states.drafts?.() ?? []);
    await button("list.editAll").click();
    await look("the form of all drafts", "#uploads");
    await list([makeJob("draft")]);
    await button("button.edit").click();
    await popup.page.locator("#list details > summary").click();
    await button("form.addProfile").click();
    await popup.page.getByLabel(messages.form_width ?? "").fill("wide");
    await popup.page
      .getByLabel(messages.draft_name ?? "", { exact: true })
      .first()
      .fill(" ");
    await popup.page.locator("#list form.draft [type=submit]").click();
    await popup.page.locator("#list [aria-invalid=true]").nth(1).waitFor();
    await look("a form with mistakes", "#uploads");
    await list(manyJobs(60));
    await look("60 uploads");
    await popup.tell({ type: "removed", jobIds: [], undoable: 3 });
    await button("list.undo").waitFor();
    await look("a removal");
  });

  test("the videos of a page, and why there are none", async () => {
    await popup.open({ language, agrees: false });
    const state = popup.page.locator("#page-videos-state");
    const again = async (shown: Parameters<typeof popup.show>[0]) => {
      await popup.show(shown);
      await popup.page.locator("#look-again").click();
      const isOver = async () => !["", messages.found_looking].includes((await state.textContent()) ?? "");
      await expect.poll(isOver).toBe(true);
    };
    for (const [name, found] of Object.entries(pagesFound)) {
      // The same row 200 times.
      if (name === "many" && language !== "en") continue;
      await again({ found });
      // Its manifests are read once their rows are in sight.
      if (name === "pieces") await popup.page.locator(".quality select").waitFor();
      await look(`page ${name}`);
    }
    await popup.show({ found: pagesFound.loops ?? [] });
    await popup.page.locator("#look-again").click();
    await popup.page.locator("#background-loops-title").click();
    await look("loops");
    await again({ found: [{ ...frame([]), isPdf: true }] });
    await look("a document");
    for (const [reason, tabAddress] of Object.entries(UNSEARCHABLE)) {
      await again({ found: "closed", ...(tabAddress !== undefined && { tabAddress }) });
      await look(`not searched: ${reason}`);
    }
    await again({ found: pagesFound.kinds ?? [] });
    await popup.page.locator("#pick-all").check();
    await look("all picked");
    await popup.page.locator("#upload-picked").click();
    await popup.page.locator("#page-videos-note").getByText(/./).waitFor();
    await look("a host that was not allowed");
  });

  test("a tab with the history, the side panel, and the first run", async () => {
    await popup.open({ language, query: "?tab=7", found: "closed", jobs: states.mixed?.() ?? [] });
    await popup.page.evaluate(fillHistory, HISTORY);
    await popup.page.locator("#history summary").click();
    await popup.page.locator("#history-list > li").nth(49).waitFor();
    await look("a tab with the history");
    await popup.page.locator("#history-search").fill("nothing like it");
    await popup.page.locator("#history-list > li").first().waitFor({ state: "detached" });
    await look("a search for nothing", "#history");
    await popup.open({ language, query: "?panel", found: "closed", jobs: states.mixed?.() ?? [] });
    await look("the side panel");
    await popup.open({ language, token: "" });
    await look("the first run");
  });
});

/** Runs in the page. */
function fillHistory(entries: { id: string }[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("upcut-history", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("entries", { keyPath: "id" });
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const writing = opening.result.transaction("entries", "readwrite");
      for (const entry of entries) writing.objectStore("entries").put(entry);
      writing.oncomplete = () => {
        opening.result.close();
        resolve();
      };
    };
  });
}
