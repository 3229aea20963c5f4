/** The popup in each of its states: axe once in each, the layout in each language. One page is led through all of them. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Job } from "../../entrypoints/shared/job.ts";
import { layoutOf, violationsOf } from "./accessibility.ts";
import { LANGUAGES, type Messages, messagesOf } from "./catalogue.ts";
import { frame, pagesFound } from "./pages/findings.ts";
import { asset, half, makeJob, states } from "./pages/jobs.ts";
import { fillHistory } from "./pages/popup.ts";
import { usePopup } from "./pages/use-pages.ts";

const popup = usePopup();

/** Rows further down are only laid out when they are scrolled to. */
const MOST_ROWS = 12;

const HISTORY = Array.from({ length: 52 }, (_, at) => ({
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
    expect(await layoutOf(popup.page), scene).toEqual({ language, dir: direction, aside: 0 });
    // A unit such as the German "Sek." ends with a full stop of its own.
    expect(await popup.page.locator("body").innerText(), scene).not.toContain("..");
    if (language === "en") expect(await violationsOf(popup.page, within), scene).toEqual([]);
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
    await popup.open({ language, answers: false, clock: true });
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
    await popup.page.clock.fastForward("00:10");
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
    await list([1, 2].flatMap(() => states.mixed?.() ?? []));
    await look("what can be done for all");
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
    // Where a file can be chosen instead, and where nothing can be done.
    for (const tabAddress of ["file:///home/me/video.mp4", "https://news.example/"]) {
      await again({ found: "closed", tabAddress });
      await look(`not searched: ${tabAddress}`);
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
    await fillHistory(popup.page, HISTORY);
    await popup.page.locator("#history summary").click();
    await popup.page.locator("#history-list > li").nth(49).waitFor();
    await look("a tab with the history");
    await popup.page.locator("#history-search").fill("nothing like it");
    await popup.page.locator("#history-list > li").first().waitFor({ state: "detached" });
    await popup.page.locator("#history-note").getByText(/./).waitFor();
    await look("a search for nothing", "#history");
    await popup.open({ language, query: "?panel", found: "closed", jobs: states.mixed?.() ?? [] });
    await look("the side panel");
    await popup.open({ language, token: "" });
    await look("the first run");
  });
});
