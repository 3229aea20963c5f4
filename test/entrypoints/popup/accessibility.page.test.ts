/** The popup in each of its states: axe once in each, the layout in each language. One page is led through all of them. */

import { beforeAll, describe, expect, test } from "vitest";
import type { Job } from "../../../entrypoints/shared/job.ts";
import { layoutOf, looksIn } from "../../support/extension/accessibility.ts";
import { languagesByRoom, type Messages, messagesOf } from "../../support/extension/catalogue.ts";
import { found, frame, pagesFound } from "../../support/extension/pages/findings.ts";
import { asset, half, makeJob, states } from "../../support/extension/pages/jobs.ts";
import { fillHistory } from "../../support/extension/pages/popup.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";
import { inAll, table } from "../../support/in-all.ts";

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

describe.each(table(await languagesByRoom(), 2))("in the language %s", (language) => {
  const looks = looksIn(language);
  const fits = (scene: string) => looks.fits(popup.page, scene);
  const look = (scene: string, within?: string) => looks.look(popup.page, scene, within);
  let messages: Messages;
  beforeAll(async () => {
    messages = await messagesOf(language);
  });

  /** A button by the key of its words. */
  const button = (key: string) =>
    popup.page.getByRole("button", { name: messages[key.replaceAll(".", "_")] ?? key, exact: true });

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
    await list(states["uploading-long-name"]?.() ?? []);
    expect(await popup.page.locator("#list h3").evaluate(showsItsBeginning), "a long name").toBe(true);
  });

  inAll("what is opened and asked, and the heads of the list", async () => {
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

  inAll("the videos of a page, and why there are none", async () => {
    await popup.open({ language, agrees: false, manifests: true });
    const line = popup.page.locator("#page-videos-line");
    await line.click();
    const again = async (shown: Parameters<typeof popup.show>[0]) => {
      await popup.show(shown);
      await popup.page.locator("#look-again").click();
      await line.waitFor();
    };
    for (const [name, found] of Object.entries(pagesFound)) {
      await again({ found });
      // Manifests are read once their rows are in sight.
      if (name === "pieces") await popup.page.locator(".choices select").nth(2).waitFor();
      if (["kinds", "frames", "pieces"].includes(name)) await look(`page ${name}`, "#page-videos");
      else await fits(`page ${name}`);
    }
    await popup.show({ found: pagesFound.loops ?? [] });
    await popup.page.locator("#look-again").click();
    await popup.page.locator("#background-loops-title").click();
    await look("loops", "#page-videos");
    await again({ found: pagesFound.kinds ?? [] });
    await popup.page.locator("#pick-all").check();
    await fits("all picked");
    await popup.page.locator("#upload-picked").click();
    await popup.page.locator("#page-videos-note").getByText(/./).waitFor();
    await look("a host that was not allowed", "#page-videos");
  });

  inAll("a tab with the history, the side panel, and the first run", async () => {
    await popup.open({ language, query: "?tab=7", found: "closed", jobs: states.mixed?.() ?? [] });
    await fillHistory(popup.page, HISTORY);
    await popup.page.locator("#history summary").click();
    await popup.page.locator("#history-list > li").nth(49).waitFor();
    await look("a tab with the history");
    expect(await popup.page.evaluate(hintsTooLong), "hints").toEqual([]);
    await popup.page.locator("#history-search").fill("nothing like it");
    await popup.page.locator("#history-list > li").first().waitFor({ state: "detached" });
    await popup.page.locator("#history-note").getByText(/./).waitFor();
    await look("a search for nothing", "#history");
    await popup.open({ language, query: "?panel", found: "closed", jobs: states.mixed?.() ?? [] });
    await look("the side panel");
    // Firefox's is as narrow as that.
    for (const width of [240, 700]) {
      await popup.page.setViewportSize({ width, height: 700 });
      expect(await popup.page.evaluate(coveredWords), `${width}`).toEqual([]);
      expect(await layoutOf(popup.page)).toMatchObject({ aside: 0 });
    }
    await popup.open({ language, token: "" });
    await look("the first run");
  });
});

test("hosts, facts and links keep their own direction in a line from right to left", async () => {
  await popup.open({
    jobs: states["needs-permission-host"]?.() ?? [],
    found: [frame([found()])],
    language: "ar",
  });
  await popup.page.locator("#list p bdi", { hasText: "upload.video.example" }).waitFor();
  await popup.page.locator("#page-videos-line").click();
  await popup.page.locator("#paste-link").click();
  const figures = popup.page.locator("#page-videos-list .facts bdi");
  await expect
    .poll(() => figures.allTextContents())
    .toEqual(["1:33", "1920\u00a0×\u00a01080", "48.2\u00a0م.ب"]);
  const field = popup.page.locator("#link-form input");
  const written = () => field.evaluate((element) => getComputedStyle(element).direction);
  expect(await written()).toBe("rtl");
  await field.fill("https://videos.example/a.mp4");
  expect(await written()).toBe("ltr");
});

/** Runs in the page: the hints in fields that are too long for them. */
function hintsTooLong(): string[] {
  const fields = [...document.querySelectorAll<HTMLInputElement>("input[placeholder]")];
  const shown = fields.filter((field) => field.checkVisibility());
  if (shown.length === 0) return ["none is shown"];
  return shown.flatMap((field) => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(field);
    const pen = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
    pen.font = font;
    const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    return pen.measureText(field.placeholder).width <= room ? [] : [field.placeholder];
  });
}

/** Runs in the page: whether the first letter of an element is within it. */
function showsItsBeginning(element: Element): boolean {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let first = texts.nextNode();
  while (first?.textContent?.trim() === "") first = texts.nextNode();
  if (!first) return false;
  const letter = document.createRange();
  letter.setStart(first, 0);
  letter.setEnd(first, 1);
  const { left, right } = letter.getBoundingClientRect();
  const box = element.getBoundingClientRect();
  return left >= box.left - 1 && right <= box.right + 1;
}

/** Runs in the page: the states of rows whose words are under their buttons. */
function coveredWords(): (string | undefined)[] {
  const rows = [
    ...document.querySelectorAll<HTMLElement>("#list > :is([data-state=done], [data-state=draft])"),
  ];
  return rows.flatMap((row) => {
    const words = document.createRange();
    words.selectNodeContents(row.querySelector(".state") ?? row);
    const text = words.getBoundingClientRect();
    const tools = (row.querySelector(".tools") ?? row).getBoundingClientRect();
    const isBeside = text.right <= tools.left || tools.right <= text.left;
    const isAbove = text.bottom <= tools.top || tools.bottom <= text.top;
    return isBeside || isAbove ? [] : [row.dataset.state];
  });
}
