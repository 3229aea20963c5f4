/**
 * `npm run pictures [-- folder [language]]`: makes the pictures for the store, of the pages as they are shipped, in each
 * language, into `.output/store`.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { LANGUAGES, type Language, type Messages, messagesOf } from "../../entrypoints/catalogue.ts";
import { buildPages } from "../../entrypoints/pages/build.ts";
import { frame } from "../../entrypoints/pages/findings.ts";
import { type PageServer, startPageServer } from "../../entrypoints/pages/page-server.ts";
import { openPopup, type PopupOptions } from "../../entrypoints/pages/popup.ts";
import { ROOT } from "../../packaging/run.ts";
import { foundVideo, MAGAZINE, SERVICE, uploadOf } from "./examples.ts";
import * as drawn from "./frame.ts";
import { sayOf, textsOf } from "./texts.ts";

/** What the store asks for. */
export const SCREENSHOT = { width: 1280, height: 800 };
export const TILE = { width: 440, height: 280 };
export const ICON = { size: 128, margin: 16 };

/** The content of the drawn browser, and the part of it beside a page, without the panel's title. */
const CONTENT = { width: 770, height: 690 };
const PANEL = { width: 414, height: 646 };

interface Making {
  server: PageServer;
  framed: drawn.Framed;
  messages: Messages;
}

/** How a page is shown: its size in the picture, and how much larger it is than on a screen. */
interface Shown {
  width: number;
  height: number;
  scale: number;
}

/** Makes all pictures of a language. Returns their names. */
export async function makePictures(
  server: PageServer,
  folder: string,
  language: Language,
): Promise<string[]> {
  const say = sayOf(await textsOf(language));
  const making = { server, framed: { language, say }, messages: await messagesOf(language) };
  await mkdir(folder, { recursive: true });
  const documents = {
    "1-page-videos": await pageVideos(making),
    "2-uploads": await uploads(making),
    "3-account": await account(making),
    "4-stream": await stream(making),
    "5-resume": await resume({ ...making, framed: { ...making.framed, dark: true } }),
  };
  for (const [name, document] of Object.entries(documents))
    await writeFile(join(folder, `${name}.png`), await draw(server, document, SCREENSHOT));
  await writeFile(join(folder, "tile.png"), await draw(server, drawn.tile(making.framed), TILE));
  return [...Object.keys(documents), "tile"].map((name) => `${name}.png`);
}

/** Makes the icon for the store, which has the same one in every language. */
export async function makeIcon(server: PageServer): Promise<Buffer> {
  const size = { width: ICON.size, height: ICON.size };
  return await draw(server, drawn.iconWithMargin(ICON.size, ICON.margin), size, "transparent");
}

async function pageVideos({ server, framed }: Making): Promise<string> {
  const { say } = framed;
  const names = ["harbour", "lighthouse", "cliffs"] as const;
  const videos = names.map((name) => foundVideo(name, say));
  const found = [frame(videos, { url: `https://${MAGAZINE}/`, title: say("example.magazine") })];
  const jobs = [uploadOf("launch", "uploading", say, 0.62)];
  const shot = await takePopup({ server, framed }, { found, jobs }, async (page) => {
    for (const place of [0, 1]) await page.locator("#page-videos-list input").nth(place).check();
  });
  const content = drawn.magazine(framed, names, 240) + drawn.popup(shot);
  return drawn.screenshot(
    framed,
    "pageVideos",
    drawn.browserWindow(framed, drawn.magazineTab(framed), content, true),
  );
}

async function uploads({ server, framed }: Making): Promise<string> {
  const { say } = framed;
  const queued = ["makingOf", "storm", "captain", "market", "kites", "lighthouse"] as const;
  const jobs = [
    ...queued.map((name) => uploadOf(name, "queued", say)),
    ...(["harbour", "ferry"] as const).map((name) => uploadOf(name, "done", say)),
    uploadOf("race", "uploading", say, 0.17),
    uploadOf("cliffs", "uploading", say, 0.48),
    uploadOf("launch", "uploading", say, 0.86),
  ];
  const { page, close } = await openPopup(server, { ...asked(framed), jobs, query: "?tab=7" });
  const size = { ...CONTENT, scale: 1.1 };
  const shot = await take(page, size, () => toTop(page, "#uploads"));
  await close();
  const tab = { title: "Upcut", address: "Upcut", isOwn: true };
  return drawn.screenshot(framed, "uploads", drawn.browserWindow(framed, tab, drawn.whole(shot)));
}

async function account({ server, framed, messages }: Making): Promise<string> {
  const notFound = { error: { name: "ServiceError", code: "not-found", message: "Cannot: why" } } as const;
  const { page, close } = await server.open("options", { ...asked(framed), answers: [notFound] });
  await page.fill("#address", SERVICE);
  await page.fill("#token", "made-up");
  await page.click("button[type=submit]");
  await page.locator('#connection[aria-busy="false"]').waitFor();
  const shot = await take(page, { ...CONTENT, scale: 1.05 }, () => aboveFooter(page, "#account-buttons"));
  await close();
  const tab = { title: messages.options_title ?? "Upcut", address: "Upcut", isOwn: true };
  return drawn.screenshot(framed, "account", drawn.browserWindow(framed, tab, drawn.whole(shot)));
}

async function stream({ server, framed, messages }: Making): Promise<string> {
  const { say } = framed;
  const all = [
    { name: say("example.harbour"), id: "str-7f3a91" },
    { name: say("example.race"), id: "str-20c84e" },
    { name: say("example.captain"), id: "str-b51d06" },
  ];
  const id = "str-20c84e";
  const { page, close } = await server.open("terminate", { ...asked(framed), query: `?id=${id}` });
  const shot = await take(page, { width: 572, height: 395, scale: 1.3 });
  await close();
  const content =
    drawn.streams(framed, all, id) + drawn.windowAbove(messages.terminate_title ?? "Upcut", shot);
  return drawn.screenshot(framed, "stream", drawn.browserWindow(framed, drawn.dashboardTab(framed), content));
}

async function resume({ server, framed }: Making): Promise<string> {
  const { say } = framed;
  const jobs = [
    uploadOf("market", "queued", say),
    uploadOf("storm", "paused", say, 0.6),
    uploadOf("makingOf", "paused", say, 0.35),
    uploadOf("kites", "uploading", say, 0.1),
    uploadOf("cliffs", "uploading", say, 0.74),
    uploadOf("race", "waiting", say, 0.58, {
      waiting: { reason: "connection", until: undefined, attempt: 2 },
    }),
  ];
  const { page, close } = await openPopup(server, { ...asked(framed), jobs, query: "?panel" });
  const shot = await take(page, { ...PANEL, scale: 1.15 }, () => toTop(page, "#uploads", 48));
  await close();
  const content = drawn.magazine(framed, ["harbour", "lighthouse", "cliffs"], 300) + drawn.panel(shot);
  return drawn.screenshot(
    framed,
    "resume",
    drawn.browserWindow(framed, drawn.magazineTab(framed), content, true),
  );
}

function asked({ language, dark = false }: drawn.Framed) {
  return { language, dark };
}

/** The popup, as high as its content and no higher than a browser makes it. */
async function takePopup(
  { server, framed }: Pick<Making, "server" | "framed">,
  options: PopupOptions,
  act: (page: Page) => Promise<void>,
): Promise<drawn.Shot> {
  const { page, close } = await openPopup(server, { ...asked(framed), ...options });
  await act(page);
  const scale = 1.2;
  const content = await page.evaluate(() => document.body.offsetHeight);
  const height = Math.min(600, content) * scale;
  const shot = await take(page, { width: 380 * scale, height, scale });
  await close();
  return shot;
}

/** Scrolls until something is at the top of the window, below what stays there. */
async function toTop(page: Page, selector: string, staying = 0): Promise<void> {
  await scrollFor(page, selector, { end: false, margin: staying });
}

/** Scrolls until something is at the bottom of the options, above the button that stays there. */
async function aboveFooter(page: Page, selector: string): Promise<void> {
  const footer = await page.locator("footer").evaluate((element) => element.getBoundingClientRect().height);
  await scrollFor(page, selector, { end: true, margin: footer + 20 });
}

/** @throws where the page is too short for that */
async function scrollFor(page: Page, selector: string, to: { end: boolean; margin: number }): Promise<void> {
  const left = await page.locator(selector).evaluate((element, { end, margin }) => {
    const distance = () => {
      const { top, bottom } = element.getBoundingClientRect();
      return end ? bottom - (innerHeight - margin) : top - margin;
    };
    scrollBy({ top: distance(), behavior: "instant" });
    return Math.abs(distance());
  }, to);
  if (left > 1) throw new Error(`Cannot make a picture: "${selector}" stays ${left} pixels from its place`);
}

/** Takes a picture of a page that is larger than on a screen, and as sharp. */
async function take(
  page: Page,
  { width, height, scale }: Shown,
  prepare = async () => {},
): Promise<drawn.Shot> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setDeviceMetricsOverride", {
    width: Math.round(width / scale),
    height: Math.round(height / scale),
    deviceScaleFactor: scale,
    mobile: false,
  });
  await session.send("Emulation.setScrollbarsHidden", { hidden: true });
  await prepare();
  await page.mouse.move(0, 0);
  await settled(page);
  const { data } = await session.send("Page.captureScreenshot");
  await session.send("Emulation.clearDeviceMetricsOverride");
  await session.detach();
  return { png: data, width: Math.round(width), height: Math.round(height) };
}

/** Waits until bars have moved to where they are, and pictures are drawn. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const moving = document
      .getAnimations()
      .filter((each) => each.effect?.getComputedTiming().endTime !== Infinity);
    await Promise.all([
      document.fonts.ready,
      ...moving.map((each) => each.finished),
      ...[...document.images].map((image) => image.decode()),
    ]);
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
}

/** Draws a document. @throws where words of it don't fit into their place */
async function draw(
  server: PageServer,
  document: string,
  size: { width: number; height: number },
  background: "opaque" | "transparent" = "opaque",
): Promise<Buffer> {
  const { page, close } = await server.open("terminate", { viewport: size });
  await page.setContent(document);
  await settled(page);
  const cut = await page.evaluate(cutTexts);
  if (cut.length > 0) throw new Error(`Cannot make a picture: there is no room for "${cut.join('", "')}"`);
  const png = await page.screenshot({ omitBackground: background === "transparent" });
  await close();
  return png;
}

/** Runs in the page: the texts beside pictures, in titles of tabs and on the tile that leave their place or the picture. */
function cutTexts(): string[] {
  const places = ["#caption", "#tile", "#tabs > p", ".title", ".magazine", ".streams"];
  return [...document.querySelectorAll<HTMLElement>(places.join())].flatMap((place) => {
    const { top, right, left } = place.getBoundingClientRect();
    const isOutside = top < 0 || left < 0 || right > innerWidth;
    const isCut = place.scrollWidth > place.clientWidth || place.scrollHeight > place.clientHeight;
    return isOutside || isCut ? [place.innerText] : [];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder = join(ROOT, ".output/store"), only] = process.argv;
  const languages = LANGUAGES.filter((language) => only === undefined || language === only);
  if (languages.length === 0) throw new Error(`There is no language ${only}, only ${LANGUAGES.join(", ")}`);
  const pages = await buildPages();
  const server = await startPageServer(pages.path);
  for (const language of languages) await makePictures(server, join(folder, language), language);
  await writeFile(join(folder, "icon.png"), await makeIcon(server));
  await server.close();
  await pages.remove();
  console.log(`Made the pictures for the store in ${folder}`);
}
