/** The pictures for the store are what it takes, and show something. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256 } from "../content.ts";
import { buildPages } from "../entrypoints/pages/build.ts";
import { type PageServer, startPageServer } from "../entrypoints/pages/page-server.ts";
import { makeIcon, makePictures } from "../release/pictures/run.ts";
import { scratchFolder } from "../scratch.ts";
import { ROOT } from "./run.ts";

let pages: { path: string; remove(): Promise<void> };
let scratch: typeof pages;
let server: PageServer;
beforeAll(async () => {
  [pages, scratch] = await Promise.all([buildPages(), scratchFolder("pictures")]);
  server = await startPageServer(pages.path);
});
afterAll(async () => {
  await server?.close();
  await Promise.all([pages?.remove(), scratch?.remove()]);
});

/** The first chunk of a PNG. The type of color 2 is red, green and blue without alpha; 6 is that with alpha. */
function headerOf(png: Buffer): { width: number; height: number; bits?: number; type?: number } {
  expect(png.subarray(12, 16).toString("latin1")).toBe("IHDR");
  const [bits, type] = png.subarray(24);
  return {
    width: png.readUInt32BE(16),
    height: png.readUInt32BE(20),
    ...(bits !== undefined && type !== undefined && { bits, type }),
  };
}

interface Look {
  /** How many colors it has, and which part of it has the most frequent one. */
  colors: number;
  mostFrequent: number;
  /** Where it isn't transparent: its first and last column and line. */
  drawn: { left: number; right: number; top: number; bottom: number };
}

async function look(png: Buffer): Promise<Look> {
  const { page, close } = await server.open("terminate");
  const seen = await page.evaluate(lookAt, `data:image/png;base64,${png.toString("base64")}`);
  await close();
  return seen;
}

/** Runs in the page. */
async function lookAt(address: string): Promise<Look> {
  const image = new Image();
  image.src = address;
  await image.decode();
  const { width, height } = image;
  const context = new OffscreenCanvas(width, height).getContext("2d") as OffscreenCanvasRenderingContext2D;
  context.drawImage(image, 0, 0);
  const dots = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const counts = new Map<number, number>();
  const drawn = { left: width, right: -1, top: height, bottom: -1 };
  dots.forEach((color, place) => {
    counts.set(color, (counts.get(color) ?? 0) + 1);
    if (color >>> 24 === 0) return;
    const [x, y] = [place % width, Math.floor(place / width)];
    drawn.left = Math.min(drawn.left, x);
    drawn.right = Math.max(drawn.right, x);
    drawn.top = Math.min(drawn.top, y);
    drawn.bottom = y;
  });
  return { colors: counts.size, mostFrequent: Math.max(...counts.values()) / dots.length, drawn };
}

const isBlank = ({ colors, mostFrequent }: Look) => colors < 100 || mostFrequent > 0.8;

// Whatever is placed by left and right shows in the language that is written from the right.
test("the pictures for the store have its sizes, no alpha, and show something", {
  timeout: 300_000,
}, async () => {
  const names = await makePictures(server, scratch.path, "ar");
  expect(names).toEqual([
    "1-page-videos.png",
    "2-uploads.png",
    "3-account.png",
    "4-stream.png",
    "5-resume.png",
    "tile.png",
  ]);
  const pictures = await Promise.all(names.map((name) => readFile(join(scratch.path, name))));
  for (const [place, picture] of pictures.entries()) {
    const size = names[place] === "tile.png" ? { width: 440, height: 280 } : { width: 1280, height: 800 };
    expect(headerOf(picture), names[place]).toEqual({ ...size, bits: 8, type: 2 });
    expect(await look(picture), names[place]).not.toSatisfy(isBlank);
  }
  expect(new Set(pictures.map(sha256)).size).toBe(names.length);
});

test("a picture of an empty page is taken for blank", async () => {
  const { page, close } = await server.open("terminate");
  await page.setContent("<p>Upcut</p>");
  const picture = await page.screenshot();
  await close();
  expect(await look(picture)).toSatisfy(isBlank);
});

test("the icon has the margin that the store asks for, in the package as beside it", async () => {
  const packaged = await readFile(join(ROOT, "public/icon/128.png"));
  for (const icon of [packaged, await makeIcon(server)]) {
    expect(headerOf(icon)).toEqual({ width: 128, height: 128, bits: 8, type: 6 });
    expect((await look(icon)).drawn).toEqual({ left: 16, right: 111, top: 16, bottom: 111 });
  }
});
