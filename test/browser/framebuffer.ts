/** What a display shows, as Xvfb writes it into a file: the format of `xwd`. */
import { crc32, deflateSync } from "node:zlib";

export interface Picture {
  width: number;
  height: number;
  /** The colour of a dot, such as 0xffffff. */
  colorAt(x: number, y: number): number;
  /** The picture as a PNG. */
  png(): Buffer;
}

/** Reads a picture. @throws where it isn't 32 bits to a dot, the lowest first */
export function readFramebuffer(file: Buffer): Picture {
  // X11/XWDFile.h: 25 numbers, then the name of the window, then 12 bytes for each colour.
  const [headerSize, , , , width, height, , byteOrder, , , , bits, lineSize, , , , , , , colors] = Array.from(
    { length: 25 },
    (_, place) => file.readUInt32BE(place * 4),
  ) as [number, ...number[]];
  if (!width || !height || !lineSize || colors === undefined || bits !== 32 || byteOrder !== 0)
    throw new Error(`Cannot read the display: it has ${bits} bits to a dot, in the order ${byteOrder}`);
  const start = headerSize + colors * 12;
  const colorAt = (x: number, y: number) => file.readUInt32LE(start + y * lineSize + x * 4) & 0xffffff;
  return { width, height, colorAt, png: () => pngOf(width, height, colorAt) };
}

function pngOf(width: number, height: number, colorAt: Picture["colorAt"]): Buffer {
  // Each line begins with the filter that it went through: none.
  const lines = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) lines.writeUIntBE(colorAt(x, y), y * (1 + width * 3) + 1 + x * 3, 3);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits for each of red, green and blue.
  header.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(lines)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
