/**
 * Takes a picture of the options page and of the window that ends a stream in every state:
 * `node --import tsx test/entrypoints/pages/options-gallery.ts <folder> [language] [part of a picture's name]`.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { DEFAULT_SETTINGS } from "../../../entrypoints/shared/settings.ts";
import { LANGUAGES } from "../catalogue.ts";
import { buildPages } from "./build.ts";
import { type PageName, type PageOptions, startPageServer } from "./page-server.ts";

const [, , folder = "options-gallery", tag = "en", only] = process.argv;
const language = LANGUAGES.find((each) => each === tag);
if (language === undefined) throw new Error(`There is no language ${tag}, only ${LANGUAGES.join(", ")}`);
await mkdir(folder, { recursive: true });
const pages = await buildPages();
const server = await startPageServer(pages.path);

interface Shot extends PageOptions {
  page?: PageName;
  /** Whether what is below the window is in the picture too. */
  whole?: boolean;
}

async function shoot(name: string, shot: Shot, act?: (page: Page) => Promise<void>): Promise<void> {
  if (only !== undefined && !name.includes(only)) return;
  for (const dark of [false, true]) {
    const { page: pageName = "options", whole = false, ...options } = shot;
    const { page, close } = await server.open(pageName, { language, dark, ...options } as PageOptions);
    await act?.(page);
    await page.waitForTimeout(200);
    const path = join(folder, `${name}-${tag}-${dark ? "dark" : "light"}.png`);
    await page.screenshot({ path, fullPage: whole });
    await close();
  }
}

const refused = (code: string, more = {}) => ({
  error: { name: "ServiceError" as const, code: code as never, message: "Cannot: why", ...more },
});
const account = { settings: { ...DEFAULT_SETTINGS, address: "https://api.video.example" }, token: "set" };
const allowed = ["https://api.video.example/*"];

const save = async (page: Page) => {
  await page.fill("#address", "https://api.video.example");
  await page.fill("#token", "tok-1");
  await page.click("button[type=submit]");
};
const saved = async (page: Page) => {
  await save(page);
  await page.locator('#connection[aria-busy="false"]').waitFor();
};
const openAll = async (page: Page) => {
  await page.locator("#token[readonly]").waitFor();
  await page.evaluate(() => {
    for (const section of document.querySelectorAll("details")) section.open = true;
  });
};

await shoot("first-run", {});
await shoot("first-run-where", {}, (page) => page.click(".where > summary"));
await shoot("first-run-filled", {}, async (page) => {
  await page.fill("#address", "http://api.video.example");
  await page.fill("#token", "tok-1");
});
await shoot("checking", { answers: ["later"] }, save);
await shoot("connected", { answers: [refused("not-found")], whole: true }, saved);
await shoot(
  "wrong-token",
  { answers: [refused("unauthorized", { details: ["no token [removed] found"] })] },
  saved,
);
await shoot("unreachable", { answers: [refused("unreachable")] }, saved);
await shoot("not-allowed", { agrees: false }, saved);
await shoot("too-soon", { answers: [refused("rate-limited")] }, saved);
await shoot(
  "other-path",
  { answers: [{ ...refused("wrong-address"), path: "/api/stream/{id}/terminate" }] },
  saved,
);
await shoot("later", { storage: account, allowed });
await shoot("all-open", { storage: account, allowed, whole: true }, openAll);
await shoot("mistakes", { storage: account, allowed, whole: true }, async (page) => {
  await openAll(page);
  await page.check("#streamMenu-listed");
  await page.fill("#streamMenuPages", "dashboard.example\nno address");
  await page.fill("#path-terminate", "/stream");
  await page.click("button[type=submit]");
});
// As at 200 %.
const half = { width: 640, height: 400 };
await shoot("zoom-first-run", { viewport: half });
await shoot("zoom-connected", { viewport: half, answers: [refused("not-found")], whole: true }, saved);
await shoot("zoom-all-open", { viewport: half, storage: account, allowed, whole: true }, openAll);
await shoot(
  "narrow-connected",
  { viewport: { width: 320, height: 640 }, answers: [refused("not-found")], whole: true },
  saved,
);

const id = "0d9f3a52-7a55-4c0e-9a0e-1f6a2b1c7d88";
const stream = { page: "terminate", storage: account, allowed, query: `?id=${id}` } as const;
const end = async (page: Page) => {
  await page.click("#end");
  await page.locator("#outcome").waitFor();
};
for (const [name, viewport] of [
  ["window", { width: 440, height: 384 }],
  ["window-zoom", { width: 220, height: 184 }],
] as const) {
  await shoot(name, { ...stream, viewport });
  await shoot(`${name}-ended`, { ...stream, viewport, answers: [{ ended: true }] }, end);
  await shoot(`${name}-refused`, { ...stream, viewport, answers: [refused("not-found")] }, end);
}
await server.close();
await pages.remove();
