import { deflateSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isDecodable } from "../../../entrypoints/page-videos/facts.ts";
import { pictureSize } from "../../../entrypoints/page-videos/picture-size.ts";
import { usePageServer } from "../../support/extension/pages/use-pages.ts";

const server = usePageServer();
let page: Page;

beforeAll(async () => {
  page = await server.newPage();
});
afterAll(() => page.context().close());

async function painted(type: string, quality: number): Promise<Uint8Array> {
  const bytes = await page.evaluate(
    async ([type, quality]) => {
      const canvas = new OffscreenCanvas(321, 123);
      canvas.getContext("2d")?.fillRect(0, 0, 20, 20);
      const blob = await canvas.convertToBlob({ type, quality });
      if (blob.type !== type) throw new Error(`The browser writes no ${type}`);
      return [...new Uint8Array(await blob.arrayBuffer())];
    },
    [type, quality] as const,
  );
  return new Uint8Array(bytes);
}

async function decoded(bytes: Uint8Array): Promise<object> {
  return await page.evaluate(
    async (bytes) => {
      const { width, height } = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
      return { width, height };
    },
    [...bytes],
  );
}

/** A GIF of one colour, whose frame is larger than its canvas. */
const GIF = new Uint8Array([
  ...Buffer.from("GIF89a"),
  ...[1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255],
  ...[0x21, 0xf9, 4, 0, 0, 0, 0, 0],
  ...[0x2c, 0, 0, 0, 0, 2, 0, 3, 0, 0],
  ...[2, 3, 0x84, 0x80, 0x0a, 0, 0x3b],
]);

function png(width: number, height: number): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0], 8);
  const chunk = (name: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return [length, Buffer.from(name), data, Buffer.alloc(4)];
  };
  const pixels = deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * 8));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    ...chunk("IHDR", header),
    ...chunk("IDAT", pixels),
  ]);
}

describe("the size of a picture is read before it is decoded", () => {
  test.each([
    ["PNG", "image/png", 1],
    ["JPEG", "image/jpeg", 0.7],
    ["WebP", "image/webp", 0.5],
    ["WebP without loss", "image/webp", 1],
  ])("of a %s", async (_, type, quality) => {
    const bytes = await painted(type, quality);
    expect(pictureSize(bytes)).toEqual({ width: 321, height: 123 });
    expect(await decoded(bytes)).toEqual({ width: 321, height: 123 });
    expect(isDecodable(bytes)).toBe(true);
  });

  test("of a GIF, whose frame may be larger than its canvas", async () => {
    expect(pictureSize(GIF)).toEqual({ width: 2, height: 3 });
  });

  test("and too many pixels are not decoded", () => {
    expect(isDecodable(png(5000, 5000))).toBe(true);
    expect(isDecodable(png(5001, 5000))).toBe(false);
    expect(isDecodable(png(16_000, 16_000))).toBe(false);
    expect(isDecodable(png(0, 16_000))).toBe(false);
  });

  test("and what doesn't tell it is not decoded, wherever it ends", async () => {
    for (const whole of [GIF, await painted("image/jpeg", 0.7), png(3, 3)])
      for (let end = 0; end < 20; end++) expect(pictureSize(whole.subarray(0, end))).toBeUndefined();
    expect(isDecodable(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`))).toBe(
      false,
    );
  });
});
