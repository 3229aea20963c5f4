/** Films a page: pictures of what it shows, with a pointer, as an animation. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CDPSession, Locator, Page } from "playwright-core";
import { succeed } from "../../packaging/run.ts";
import { installPackages } from "../../support/debian.ts";

export interface FilmOptions {
  width: number;
  height: number;
  /** Where its pictures are kept until it is written. */
  folder: string;
}

const MARGIN = 20;
const GROUND = "#e8e8f2";
/** Pixels for each of a screen. */
const SCALE = 2;
/** Milliseconds that a picture of a moving pointer is shown for. */
const STEP = 50;

export async function startFilm(page: Page, { width, height, folder }: FilmOptions) {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setDeviceMetricsOverride", {
    width,
    height,
    deviceScaleFactor: SCALE,
    mobile: false,
  });
  await session.send("Emulation.setScrollbarsHidden", { hidden: true });
  const pictures: string[] = [];
  const pointer = { x: width * 0.8, y: height * 0.9 };
  await page.evaluate(showPointer, pointer);

  async function hold(milliseconds: number): Promise<void> {
    const path = join(folder, `${pictures.length}.png`);
    await writeFile(path, await takePicture(session));
    pictures.push(`file '${path}'\nduration ${milliseconds / 1000}`);
  }

  return {
    hold,
    /** Films until a place of the page is there, so many times faster than it was. */
    async until(place: Locator, speed: number) {
      for (let before = Date.now(); !(await place.isVisible()); ) {
        const path = join(folder, `${pictures.length}.png`);
        await writeFile(path, await takePicture(session));
        const now = Date.now();
        pictures.push(`file '${path}'\nduration ${(now - before) / speed / 1000}`);
        before = now;
      }
    },
    /** Moves the pointer to a button, and presses it. */
    async press(button: Locator) {
      const box = await button.boundingBox();
      if (box === null) throw new Error("Cannot film a button that isn't shown");
      const from = { ...pointer };
      const steps = 12;
      for (let step = 1; step <= steps; step++) {
        // Slowly at first and at last.
        const part = (1 - Math.cos((step / steps) * Math.PI)) / 2;
        pointer.x = from.x + (box.x + box.width * 0.6 - from.x) * part;
        pointer.y = from.y + (box.y + box.height * 0.6 - from.y) * part;
        await page.mouse.move(pointer.x, pointer.y);
        await page.evaluate(movePointer, pointer);
        await hold(STEP);
      }
      await page.mouse.down();
      await hold(4 * STEP);
      await page.mouse.up();
    },
    async write(path: string) {
      await provideFfmpeg();
      const list = join(folder, "pictures.txt");
      // The last duration counts only where another picture follows.
      const last = pictures.at(-1)?.split("\n")[0];
      await writeFile(list, [...pictures, last].join("\n"));
      const ground = join(folder, "ground.png");
      await writeFile(ground, await drawGround(page, width, height));
      const margin = MARGIN * SCALE;
      const around = `pad=iw+${2 * margin}:ih+${2 * margin}:${margin}:${margin}`;
      const input = ["-f", "concat", "-safe", "0", "-i", list, "-i", ground];
      const filter = ["-filter_complex", `[0]${around}[page];[page][1]overlay`, "-fps_mode", "vfr"];
      const output = ["-c:v", "libwebp_anim", "-loop", "0", "-q:v", "80", "-compression_level", "6"];
      await succeed("ffmpeg", ["-y", "-v", "error", ...input, ...filter, ...output, path], folder);
    },
  };
}

async function takePicture(session: CDPSession): Promise<Buffer> {
  return Buffer.from((await session.send("Page.captureScreenshot", { format: "png" })).data, "base64");
}

/** Draws what lies around the page, and over its corners. */
async function drawGround(page: Page, width: number, height: number): Promise<Buffer> {
  const drawing = await page.context().newPage();
  const session = await drawing.context().newCDPSession(drawing);
  await session.send("Emulation.setDeviceMetricsOverride", {
    width: width + 2 * MARGIN,
    height: height + 2 * MARGIN,
    deviceScaleFactor: SCALE,
    mobile: false,
  });
  await drawing.setContent(`<!doctype html><style>
    html, body { margin: 0; background: none; overflow: hidden }
    div { position: fixed; inset: ${MARGIN}px; border-radius: 12px;
      box-shadow: 0 0 0 1px #0001, 0 4px 14px #1e1b4b30, 0 0 0 100px ${GROUND} }
  </style><div></div>`);
  const png = await drawing.screenshot({ omitBackground: true });
  await drawing.close();
  return png;
}

/** Runs in the page, which takes no style from elsewhere. */
function showPointer({ x, y }: { x: number; y: number }): void {
  const svg = "http://www.w3.org/2000/svg";
  const pointer = document.createElementNS(svg, "svg");
  pointer.id = "filmed-pointer";
  pointer.setAttribute("viewBox", "0 0 16 24");
  pointer.style.cssText = `position: fixed; z-index: 9999; width: 18px; pointer-events: none; left: ${x}px; top: ${y}px`;
  const arrow = document.createElementNS(svg, "path");
  arrow.setAttribute("d", "M1 1v18l4.5-4 3 7 3-1.3-3-6.7H15z");
  for (const [name, value] of Object.entries({ fill: "#111", stroke: "#fff", "stroke-width": "1.2" }))
    arrow.setAttribute(name, value);
  pointer.append(arrow);
  document.documentElement.append(pointer);
}

/** Runs in the page. */
function movePointer({ x, y }: { x: number; y: number }): void {
  const pointer = document.getElementById("filmed-pointer");
  if (pointer === null) throw new Error("The pointer is gone");
  Object.assign(pointer.style, { left: `${x}px`, top: `${y}px` });
}

export async function provideFfmpeg(): Promise<void> {
  const child = spawn("ffmpeg", ["-version"], { stdio: "ignore" });
  const [code] = await once(child, "exit").catch(() => [1]);
  if (code === 0 || (await installPackages("ffmpeg"))) return;
  throw new Error("ffmpeg isn't installed: install it first");
}
