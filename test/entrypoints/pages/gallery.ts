/**
 * Takes a picture of the popup in every state, light and dark:
 * `node --import tsx test/entrypoints/pages/gallery.ts <folder> [language] [part of a picture's name]`.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { LANGUAGES, type Language, type Messages, messagesOf } from "../catalogue.ts";
import { buildPages } from "./build.ts";
import { frame, pagesFound } from "./findings.ts";
import { makeJob, manyJobs, states } from "./jobs.ts";
import { startPageServer } from "./page-server.ts";
import { openPopup, type Popup, type PopupOptions } from "./popup.ts";

const [, , folder = "popup-gallery", tag = "en", only] = process.argv;
const language = languageOf(tag);
const messages: Messages = await messagesOf(language);
/** The text of a button or a field, by its key. */
const say = (key: string) => messages[key.replaceAll(".", "_")] ?? key;
const button = ({ page }: Popup, key: string) => page.getByRole("button", { name: say(key), exact: true });
await mkdir(folder, { recursive: true });
const pages = await buildPages();
const server = await startPageServer(pages.path);

async function shoot(name: string, options: PopupOptions, act?: (popup: Popup) => Promise<void>) {
  if (only !== undefined && !name.includes(only)) return;
  for (const dark of [false, true]) {
    const popup = await openPopup(server, { ...options, dark, language });
    await act?.(popup);
    const height = await popup.page.evaluate(() => document.body.offsetHeight);
    const { width } = popup.page.viewportSize() ?? { width: 380 };
    // A popup is at most 600 high; of a thousand rows in a tab nobody sees more than the first.
    await popup.page.setViewportSize({ width, height: Math.min(width > 500 ? 2000 : 600, height) });
    await popup.page.screenshot({ path: join(folder, `${name}-${dark ? "dark" : "light"}.png`) });
    await popup.close();
  }
}

function languageOf(tag: string): Language {
  const language = LANGUAGES.find((each) => each === tag);
  if (language === undefined) throw new Error(`There is no language ${tag}, only ${LANGUAGES.join(", ")}`);
  return language;
}

async function openMore(popup: Popup): Promise<void> {
  await button(popup, "button.edit").click();
  await popup.page.getByText(say("draft.more"), { exact: true }).click();
  await button(popup, "form.addProfile").click();
  await popup.page.getByLabel(say("form.width")).fill("wide");
}

for (const [name, jobs] of Object.entries(states)) {
  const list = jobs();
  await shoot(name, { jobs: list }, async ({ page }) => {
    await page.waitForFunction(
      (count) => document.querySelectorAll("#list > li").length === count,
      list.length,
    );
  });
}
await shoot("first-run", { token: "" });
for (const trouble of ["unstored", "unreadable"] as const) {
  await shoot(`list-${trouble}`, { jobs: states.mixed?.() ?? [] }, async (popup) => {
    await popup.page.locator("#choose-videos:enabled").waitFor();
    await popup.tell({ type: "trouble", trouble });
    await button(popup, "button.tryAgain").first().waitFor();
  });
}
await shoot("connecting", { answers: false });
await shoot("no-answer", { answers: false, jobs: states.uploading?.() ?? [] }, async (popup) => {
  await button(popup, "popup.restart").waitFor();
});
await shoot("done-playback-page", {
  jobs: states.done?.() ?? [],
  settings: { playbackPage: "https://watch.example/?v={playbackId}" },
});
await shoot("draft-more", { jobs: states.draft?.() ?? [] }, async (popup) => {
  const { page } = popup;
  await openMore(popup);
  await page.getByLabel(say("draft.name")).first().fill(" ");
  await page.getByLabel(say("form.webhookContext")).fill("plan: gold");
  await button(popup, "button.start").click();
  await page.getByRole("heading", { name: say("popup.uploads") }).click();
});
await shoot("draft-more-tab", { jobs: states.draft?.() ?? [], query: "?tab=7" }, async (popup) => {
  await openMore(popup);
  await button(popup, "button.start").click();
});
await shoot("ending", { jobs: states.uploading?.() ?? [] }, async (popup) => {
  await button(popup, "button.cancel").click();
});
const other = { ...makeJob("draft").source, name: "other.mp4", size: 3_100_000 };
await shoot("refused", { jobs: [makeJob("needs-file", { id: "lost", refused: other })] });
await shoot("copied", { jobs: states.done?.() ?? [] }, async (popup) => {
  await button(popup, "button.copyAssetId").click();
});
await shoot("many", { jobs: Array.from({ length: 12 }, () => states.mixed?.() ?? []).flat() });
for (const count of [60, 1000]) {
  const whole = async ({ page }: Popup) => {
    await page.waitForFunction((count) => document.querySelectorAll("#list > li").length === count, count);
    await page.setViewportSize({ width: page.viewportSize()?.width ?? 380, height: 600 });
  };
  await shoot(`many-${count}`, { jobs: manyJobs(count) }, whole);
  await shoot(`many-${count}-tab`, { jobs: manyJobs(count), query: "?tab=7" }, whole);
}
await shoot("drafts-all", { jobs: states.drafts?.() ?? [] }, async (popup) => {
  await button(popup, "list.editAll").click();
});
await shoot("done-more", { jobs: states["done-links"]?.() ?? [] }, async (popup) => {
  await button(popup, "list.more").click();
});
await shoot("uploaded-before", {
  jobs: [
    makeJob("draft", { uploadedBefore: Date.now() - 86_400_000 }),
    makeJob("draft", { duplicateOf: "other" }),
    makeJob("draft"),
  ],
});
await shoot("removed", { jobs: states.mixed?.() ?? [] }, async (popup) => {
  await popup.page.locator("#choose-videos:enabled").waitFor();
  await popup.tell({ type: "removed", jobIds: ["gone"], undoable: 3 });
  await button(popup, "list.undo").waitFor();
});
await shoot("tab", { jobs: states.mixed?.() ?? [], query: "?tab=7" });
await shoot("panel", {
  jobs: [...(states.mixed?.() ?? []), ...(states.grace?.() ?? [])],
  query: "?panel",
  found: "closed",
});
await shoot("tab-empty", { query: "?tab=7" });
/** Manifests are read once their rows are in sight. */
const whenRead = async (name: string, { page }: Popup) => {
  if (name === "pieces")
    await page.getByText(say("found.live"), { exact: true }).waitFor({ state: "attached" });
};
for (const [name, found] of Object.entries(pagesFound))
  await shoot(`page-${name}`, { found }, (popup) => whenRead(name, popup));
for (const [name, tabAddress] of Object.entries({
  browser: "chrome://newtab/",
  store: "https://chromewebstore.google.com/",
  file: "file:///home/me/video.mp4",
  source: "view-source:https://news.example/",
  extension: "chrome-extension://other/page.html",
}))
  await shoot(`page-closed-${name}`, { found: "closed", tabAddress });
await shoot("page-pdf", { found: [{ ...frame([]), isPdf: true }] });
await shoot("page-loops-open", { found: pagesFound.loops ?? [] }, async ({ page }) => {
  await page.locator("#background-loops-title").click();
});
await shoot("page-kinds-uploads", { found: pagesFound.kinds ?? [], jobs: states.mixed?.() ?? [] });
await shoot("page-kinds-tab", {
  found: pagesFound.kinds ?? [],
  jobs: states.mixed?.() ?? [],
  query: "?tab=7",
});
await shoot("page-pieces-tab", { found: pagesFound.pieces ?? [], query: "?tab=7" }, (popup) =>
  whenRead("pieces", popup),
);
await shoot("page-closed-tab", { found: "closed", query: "?tab=7" });
const allOfThem = async ({ page }: Popup) => {
  await page.locator("#pick-all").check();
  await page.locator("#upload-picked").click();
};
await shoot("page-kinds-added", { found: pagesFound.kinds ?? [] }, allOfThem);
await shoot("page-kinds-refused", { found: pagesFound.kinds ?? [], agrees: false }, allOfThem);
await server.close();
await pages.remove();
