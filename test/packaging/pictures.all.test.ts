/** The pictures for the store are what it takes, and show something. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeIcon, makePictures } from "../release/pictures/run.ts";
import { sha256 } from "../support/content.ts";
import { buildPages } from "../support/extension/pages/build.ts";
import { startPageServer } from "../support/extension/pages/page-server.ts";
import { useFolder } from "../support/use-folder.ts";
import { useOpened } from "../support/use-opened.ts";
import { ROOT } from "./run.ts";

const scratch = useFolder("pictures");
const pages = useOpened(buildPages);
const server = useOpened(() => startPageServer(pages.path));

/** The first chunk of a PNG. The type of color 2 is red, green and blue without alpha; 6 is that with alpha. */
function headerOf(png: Buffer) {
  const [bits, type] = png.subarray(24);
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20), bits, type };
}

// Whatever is placed by left and right shows in the language that is written from the right.
test("the pictures for the store have its sizes, no alpha, and show something", {
  timeout: 300_000,
}, async () => {
  const names = await makePictures(server, scratch.path, "ar");
  const screenshots = ["page-videos", "uploads", "account", "stream", "resume"];
  expect(names).toEqual([...screenshots.map((name, at) => `${at + 1}-${name}.png`), "tile.png"]);
  const pictures = await Promise.all(names.map((name) => readFile(join(scratch.path, name))));
  for (const [place, picture] of pictures.entries()) {
    const size = names[place] === "tile.png" ? { width: 440, height: 280 } : { width: 1280, height: 800 };
    expect(headerOf(picture), names[place]).toEqual({ ...size, bits: 8, type: 2 });
    // An empty one compresses to a few kilobytes.
    expect(picture.length, names[place]).toBeGreaterThan(30_000);
  }
  expect(new Set(pictures.map(sha256)).size).toBe(names.length);
});

test("the icon for the store has its size and is transparent, as that of the package", async () => {
  for (const icon of [await readFile(join(ROOT, "public/icon/128.png")), await makeIcon(server)])
    expect(headerOf(icon)).toEqual({ width: 128, height: 128, bits: 8, type: 6 });
});
