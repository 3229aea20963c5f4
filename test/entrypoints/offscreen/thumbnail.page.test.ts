/** The small picture of a video: of its first moment that shows something, in a browser that plays it. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type * as thumbnail from "../../../entrypoints/offscreen/thumbnail.ts";
import { moduleScript } from "../../support/extension/pages/module-script.ts";
import { usePageServer } from "../../support/extension/pages/use-pages.ts";

declare const picture: typeof thumbnail;
declare const media: typeof import("mediabunny");

const server = usePageServer();
let page: Page;

beforeAll(async () => {
  page = await server.newPage();
  await page.goto(`${server.origin}/thumbnail`);
  await page.addScriptTag({ content: await moduleScript("offscreen/thumbnail.ts", "picture") });
  const mediabunny = "../node_modules/mediabunny/dist/bundles/mediabunny.mjs";
  await page.addScriptTag({ content: await moduleScript(mediabunny, "media") });
});
afterAll(() => page.context().close());

/** Takes the picture of a video that is dark until a second, if it is ever anything else: where it looked, and what. */
const pictureOf = (seconds: number, brightFrom: number) =>
  page.evaluate(
    async ([seconds, brightFrom]) => {
      const canvas = new OffscreenCanvas(320, 180);
      const context = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
      const target = new media.BufferTarget();
      const output = new media.Output({ format: new media.WebMOutputFormat(), target });
      const source = new media.CanvasSource(canvas, { codec: "vp8", bitrate: 200_000 });
      output.addVideoTrack(source);
      await output.start();
      for (let at = 0; at < seconds; at++) {
        context.fillStyle = "black";
        context.fillRect(0, 0, 320, 180);
        context.fillStyle = at < brightFrom ? "black" : "white";
        context.fillRect(0, 0, 160, 180);
        await source.add(at, 1, { keyFrame: true });
      }
      await output.finalize();
      const looked: number[] = [];
      const make = document.createElement.bind(document);
      let video = make("video");
      document.createElement = ((name: "video") => {
        video = make(name);
        video.addEventListener("seeking", () => looked.push(video.currentTime));
        return video;
      }) as typeof document.createElement;
      const taken = await picture.pictureOf(new Blob([target.buffer as ArrayBuffer]));
      document.createElement = make;
      return { looked, taken: taken?.slice(0, 15), muted: video.muted, isLeft: video.hasAttribute("src") };
    },
    [seconds, brightFrom] as const,
  );

test.each([
  [40, 0, [1], true],
  [40, 3, [1, 4], true],
  [40, 10, [1, 4, 13.333], true],
  [60, 100, [1, 4, 16], false],
  [9, 2, [1, 3], true],
])("of a video of %i s that is dark until second %i, the moments %j are looked at", async (...row) => {
  const [seconds, brightFrom, moments, isTaken] = row;
  const { looked, taken, ...rest } = await pictureOf(seconds, brightFrom);
  // Now and then Chromium has not painted a frame it went to: then the moments behind it are looked at as well.
  const rounded = looked.map((each) => Math.round(each * 1000) / 1000);
  expect(rounded.slice(0, moments.length)).toEqual(moments);
  expect(rounded).toEqual(
    [1, 4, 16]
      .slice(0, rounded.length)
      .map((most) => Math.min(most, Math.round((seconds / 3) * 1000) / 1000)),
  );
  expect(taken).toBe(isTaken ? "data:image/jpeg" : undefined);
  expect(rest).toEqual({ muted: true, isLeft: false });
});

test("a file that is no video has no picture", async () => {
  expect(await page.evaluate(() => picture.pictureOf(new Blob(["text"])))).toBe(undefined);
});
