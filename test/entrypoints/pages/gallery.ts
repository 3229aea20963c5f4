/** Takes a picture of the popup in every state, light and dark: `node --import tsx test/entrypoints/pages/gallery.ts <folder>`. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { buildPages } from "./build.ts";
import { pagesFound } from "./findings.ts";
import { makeJob, states } from "./jobs.ts";
import { startPageServer } from "./page-server.ts";
import { openPopup, type Popup, type PopupOptions } from "./popup.ts";

const [, , folder = "popup-gallery", only] = process.argv;
await mkdir(folder, { recursive: true });
const pages = await buildPages();
const server = await startPageServer(pages.path);

async function shoot(name: string, options: PopupOptions, act?: (popup: Popup) => Promise<void>) {
  if (only !== undefined && !name.includes(only)) return;
  for (const dark of [false, true]) {
    const popup = await openPopup(server, { ...options, dark });
    await act?.(popup);
    const height = await popup.page.evaluate(() => document.body.offsetHeight);
    const { width } = popup.page.viewportSize() ?? { width: 380 };
    await popup.page.setViewportSize({ width, height: width > 500 ? height : Math.min(600, height) });
    await popup.page.screenshot({ path: join(folder, `${name}-${dark ? "dark" : "light"}.png`) });
    await popup.close();
  }
}

for (const [name, jobs] of Object.entries(states)) await shoot(name, { jobs: jobs() });
await shoot("first-run", { token: "" });
for (const trouble of ["unstored", "unreadable"] as const) {
  await shoot(`list-${trouble}`, { jobs: states.mixed?.() ?? [] }, async ({ page, tell }) => {
    await page.locator("#choose-videos:enabled").waitFor();
    await tell({ type: "trouble", trouble });
    await page.getByRole("button", { name: "Try again", exact: true }).first().waitFor();
  });
}
await shoot("connecting", { answers: false });
await shoot("no-answer", { answers: false, jobs: states.uploading?.() ?? [] }, async ({ page }) => {
  await page.getByRole("button", { name: "Restart Upcut" }).waitFor();
});
await shoot("done-playback-page", {
  jobs: states.done?.() ?? [],
  settings: { playbackPage: "https://watch.example/?v={playbackId}" },
});
await shoot("draft-more", { jobs: states.draft?.() ?? [] }, async ({ page }) => {
  await page.getByText("More").click();
  await page.getByRole("button", { name: "Add a profile" }).click();
  await page.getByLabel("Width").fill("wide");
  await page.getByLabel("Name").first().fill(" ");
  await page.getByLabel("Webhook context").fill("plan: gold");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("heading", { name: "Uploads" }).click();
});
await shoot("draft-more-tab", { jobs: states.draft?.() ?? [], query: "?tab=7" }, async ({ page }) => {
  await page.getByText("More").click();
  await page.getByRole("button", { name: "Add a profile" }).click();
  await page.getByLabel("Width").fill("wide");
  await page.getByRole("button", { name: "Start" }).click();
});
await shoot("ending", { jobs: states.uploading?.() ?? [] }, async ({ page }) => {
  await page.getByRole("button", { name: "Cancel" }).click();
});
const other = { ...makeJob("draft").source, name: "other.mp4", size: 3_100_000 };
await shoot("refused", { jobs: [makeJob("needs-file", { id: "lost", refused: other })] });
await shoot("copied", { jobs: states.done?.() ?? [] }, async ({ page }) => {
  await page.getByRole("button", { name: "Copy asset id" }).click();
});
await shoot("many", { jobs: Array.from({ length: 12 }, () => states.mixed?.() ?? []).flat() });
await shoot("tab", { jobs: states.mixed?.() ?? [], query: "?tab=7" });
await shoot("tab-empty", { query: "?tab=7" });
for (const [name, found] of Object.entries(pagesFound)) await shoot(`page-${name}`, { found });
await shoot("page-kinds-uploads", { found: pagesFound.kinds ?? [], jobs: states.mixed?.() ?? [] });
await shoot("page-kinds-tab", {
  found: pagesFound.kinds ?? [],
  jobs: states.mixed?.() ?? [],
  query: "?tab=7",
});
await shoot("page-closed-tab", { found: "closed", query: "?tab=7" });
const allOfThem = async ({ page }: Popup) => {
  await page.getByLabel("Select all").check();
  await page.getByRole("button", { name: /^Upload \d/ }).click();
};
await shoot("page-kinds-added", { found: pagesFound.kinds ?? [] }, allOfThem);
await shoot("page-kinds-refused", { found: pagesFound.kinds ?? [], agrees: false }, allOfThem);
await server.close();
await pages.remove();
