/**
 * `npm run pictures [-- folder [language]]`: makes the pictures for the store, of the pages as they are shipped, in each
 * language, into `.output/store`.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { ROOT } from "../../packaging/run.ts";
import { LANGUAGES, type Language } from "../../support/extension/catalogue.ts";
import { buildPages } from "../../support/extension/pages/build.ts";
import { frame } from "../../support/extension/pages/findings.ts";
import { type PageServer, startPageServer } from "../../support/extension/pages/page-server.ts";
import { openPopup } from "../../support/extension/pages/popup.ts";
import { escapeHtml } from "../site/documents.ts";
import { foundVideo, uploadOf } from "./examples.ts";
import { type Say, sayOf, textsOf } from "./texts.ts";

/** What the store asks for. */
const SCREENSHOT = { width: 1280, height: 800 };
const TILE = { width: 440, height: 280 };
const ICON = { size: 128, margin: 16 };
/** The picture that the store gets in the dark. */
const DARK = "resume";

const css = await readFile(new URL("frame.css", import.meta.url), "utf8");
const icon = await readFile(join(ROOT, "public/icon/upcut.svg"), "utf8");

interface Making {
  server: PageServer;
  language: Language;
  say: Say;
  dark: boolean;
}

type Opened = Awaited<ReturnType<PageServer["open"]>>;

/** A page of the extension as it is shown: its size in the picture, and how much larger it is than on a screen. */
interface Shown {
  opened: Opened;
  width: number;
  height: number;
  scale: number;
  prepare?: () => Promise<void>;
}

/** A page by itself, in both schemes of colours. */
export interface Shot {
  /** The key of its texts. */
  name: string;
  /** The picture's size on a screen. */
  width: number;
  height: number;
  /** Where the pictures are in their folder. */
  light: string;
  dark: string;
}

/** Makes all pictures of a language. Returns their names. */
export async function makePictures(
  server: PageServer,
  folder: string,
  language: Language,
): Promise<string[]> {
  const texts = await textsOf(language);
  await mkdir(folder, { recursive: true });
  const names: string[] = [];
  for (const [index, [name, show]] of Object.entries(pictures).entries()) {
    const making = { server, language, say: sayOf(texts), dark: name === DARK };
    const caption = `<section id="caption">${icon}<h1>${escapeHtml(making.say(`${name}.title`))}</h1>${escapeHtml(making.say(`${name}.line`))}</section>`;
    const shown = await show(making);
    const { opened, width, height, scale } = shown;
    const taken = await take(shown, scale, "png");
    const image = `<img src="data:image/png;base64,${taken}" width="${width}" height="${height}" alt="">`;
    await opened.close();
    names.push(`${index + 1}-${fileNameOf(name)}.png`);
    await writeFile(join(folder, names.at(-1) ?? ""), await draw(making, caption + image, SCREENSHOT));
  }
  const making = { server, language, say: sayOf(texts), dark: false };
  const tile = `<section id="tile">${icon}<h1>Upcut</h1>${escapeHtml(making.say("tile.line"))}</section>`;
  await writeFile(join(folder, "tile.png"), await draw(making, tile, TILE));
  return [...names, "tile.png"];
}

/** Takes the same pages by themselves, twice as sharp as on a screen, into `pictures/` of a folder. */
export async function takeShots(server: PageServer, folder: string, language: Language): Promise<Shot[]> {
  const say = sayOf(await textsOf(language));
  await mkdir(join(folder, "pictures"), { recursive: true });
  const shots: Shot[] = [];
  for (const [name, show] of Object.entries(pictures)) {
    const shot = { name, width: 0, height: 0, light: "", dark: "" };
    for (const scheme of ["light", "dark"] as const) {
      const shown = await show({ server, language, say, dark: scheme === "dark" });
      shot.width = Math.round(shown.width / shown.scale);
      shot.height = Math.round(shown.height / shown.scale);
      shot[scheme] = `pictures/${fileNameOf(name)}-${scheme}.webp`;
      await writeFile(join(folder, shot[scheme]), Buffer.from(await take(shown, 2, "webp"), "base64"));
      await shown.opened.close();
    }
    shots.push(shot);
  }
  return shots;
}

function fileNameOf(picture: string): string {
  return picture.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Makes the icon for the store, transparent with the margin that it asks for: the same one in every language. */
export async function makeIcon(server: PageServer): Promise<Buffer> {
  const { size, margin } = ICON;
  const { page, close } = await server.open("terminate", { viewport: { width: size, height: size } });
  const style = `html, body { margin: 0; background: none } svg { display: block; width: ${size - 2 * margin}px; margin: ${margin}px }`;
  await page.setContent(`<!doctype html><style>${style}</style>${icon}`);
  const png = await page.screenshot({ omitBackground: true });
  await close();
  return png;
}

const pictures: Record<string, (making: Making) => Promise<Shown>> = {
  async pageVideos({ server, language, say, dark }) {
    const videos = (["harbour", "lighthouse", "cliffs"] as const).map((name) => foundVideo(name, say));
    const found = [frame(videos, { url: "https://coast.example/", title: say("example.magazine") })];
    const jobs = [uploadOf("launch", "uploading", say, 0.62)];
    const opened = await openPopup(server, { language, dark, found, jobs });
    await opened.page.locator("#page-videos-line").click();
    for (const place of [0, 1]) await opened.page.locator("#page-videos-list input").nth(place).check();
    // As high as its content and no higher than a browser makes it.
    const content = await opened.page.evaluate(() => document.body.offsetHeight);
    const scale = 1.25;
    return { opened, width: 380 * scale, height: Math.min(600, content) * scale, scale };
  },

  async uploads({ server, language, say, dark }) {
    const queued = ["makingOf", "storm", "captain", "market", "kites", "lighthouse"] as const;
    const jobs = [
      ...queued.map((name) => uploadOf(name, "queued", say)),
      ...(["harbour", "ferry"] as const).map((name) => uploadOf(name, "done", say)),
      uploadOf("race", "uploading", say, 0.17),
      uploadOf("cliffs", "uploading", say, 0.48),
      uploadOf("launch", "uploading", say, 0.86),
    ];
    const opened = await openPopup(server, { language, dark, jobs, query: "?tab=7" });
    return { opened, ...CONTENT };
  },

  async account({ server, language, dark }) {
    const accepted = { check: { token: "accepted", paths: {}, endsStreams: true } } as const;
    const opened = await server.open("options", { language, dark, answers: [accepted] });
    await opened.page.fill("#address", "https://api.video.example");
    await opened.page.fill("#token", "made-up");
    await opened.page.click("button[type=submit]");
    await opened.page.locator("#next").waitFor();
    return { opened, ...CONTENT, prepare: () => scrollTo(opened.page, "#next", "center") };
  },

  async stream({ server, language, dark }) {
    const opened = await server.open("terminate", { language, dark, query: "?id=str-20c84e" });
    return { opened, width: 572, height: 395, scale: 1.3 };
  },

  async resume({ server, language, say, dark }) {
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
    const opened = await openPopup(server, { language, dark, jobs, query: "?panel" });
    const prepare = () => scrollTo(opened.page, "#uploads", "start");
    return { opened, width: 460, height: 720, scale: 1.2, prepare };
  },
};

const CONTENT = { width: 740, height: 720, scale: 1.1 };

async function scrollTo(page: Page, selector: string, block: ScrollLogicalPosition): Promise<void> {
  await page
    .locator(selector)
    .evaluate((element, to) => element.scrollIntoView({ block: to, behavior: "instant" }), block);
}

/** Takes a picture of a page of so many pixels for each of a screen; in base64. */
async function take(
  { opened: { page }, width, height, scale, prepare }: Shown,
  deviceScaleFactor: number,
  format: "png" | "webp",
): Promise<string> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setDeviceMetricsOverride", {
    width: Math.round(width / scale),
    height: Math.round(height / scale),
    deviceScaleFactor,
    mobile: false,
  });
  await session.send("Emulation.setScrollbarsHidden", { hidden: true });
  await prepare?.();
  await page.mouse.move(0, 0);
  await settled(page);
  const { data } = await session.send("Page.captureScreenshot", { format });
  // The page's size ends with the session: the page is used again.
  await session.detach();
  return data;
}

/** Waits until bars have moved to where they are, and pictures are drawn. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const moving = document
      .getAnimations()
      .filter((each) => each.effect?.getComputedTiming().endTime !== Infinity);
    await Promise.all([
      ...moving.map((each) => each.finished),
      ...[...document.images].map((image) => image.decode()),
    ]);
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
}

/** Draws a document. @throws where words of it don't fit into their place */
async function draw(
  { server, language, say, dark }: Making,
  body: string,
  viewport: { width: number; height: number },
): Promise<Buffer> {
  const { page, close } = await server.open("terminate", { viewport });
  const scheme = `color-scheme: ${dark ? "dark" : "light"}`;
  await page.setContent(`<!doctype html><html lang="${language}" dir="${say("direction")}" style="${scheme}">
    <meta charset="utf-8"><style>${css}</style><body>${body}`);
  await settled(page);
  const isCut = await page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    return scrollWidth > innerWidth || scrollHeight > innerHeight;
  });
  if (isCut) throw new Error(`Cannot make a picture in ${language}: there is no room for its words`);
  const png = await page.screenshot();
  await close();
  return png;
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
