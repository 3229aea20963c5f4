/** How large a picture is, by its first bytes: a small file may hold one that takes gigabytes decoded. Pure. */

export interface PictureSize {
  width: number;
  height: number;
}

/** `undefined` for a picture of another kind than PNG, JPEG, WebP and GIF, or a broken one. */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return sizeIn(view);
  } catch (error) {
    // The picture ends before it tells its size.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function sizeIn(view: DataView): PictureSize | undefined {
  if (textAt(view, 1, 3) === "PNG" && textAt(view, 12, 4) === "IHDR")
    return { width: view.getUint32(16), height: view.getUint32(20) };
  if (view.getUint16(0) === 0xffd8) return jpegSize(view);
  if (textAt(view, 0, 4) === "RIFF" && textAt(view, 8, 4) === "WEBP") return webpSize(view);
  if (textAt(view, 0, 4) === "GIF8") return gifSize(view);
  return undefined;
}

/** In the header of its first frame, behind any number of other segments. */
function jpegSize(view: DataView): PictureSize | undefined {
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (isFrameHeader(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
}

/** SOF0 to SOF15, among which lie three other markers. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function webpSize(view: DataView): PictureSize | undefined {
  switch (textAt(view, 12, 4)) {
    case "VP8 ":
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return {
        width: (view.getUint32(24, true) & 0xffffff) + 1,
        height: (view.getUint32(26, true) >>> 8) + 1,
      };
    default:
      return undefined;
  }
}

/** The size of the canvas, which a first frame that is larger widens. */
function gifSize(view: DataView): PictureSize | undefined {
  const canvas = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  for (let at = 13 + colorTable(view.getUint8(10)); ; ) {
    const block = view.getUint8(at);
    if (block === 0x2c) {
      const [right, bottom] = [1, 3].map(
        (place) => view.getUint16(at + place, true) + view.getUint16(at + place + 4, true),
      ) as [number, number];
      return { width: Math.max(canvas.width, right), height: Math.max(canvas.height, bottom) };
    }
    if (block !== 0x21) return undefined;
    // An extension: its label, then parts that each begin with their length, the last one empty.
    for (at += 2; view.getUint8(at) !== 0; ) at += 1 + view.getUint8(at);
    at++;
  }
}

function colorTable(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function textAt(view: DataView, at: number, length: number): string {
  return String.fromCharCode(...Array.from({ length }, (_, place) => view.getUint8(at + place)));
}
