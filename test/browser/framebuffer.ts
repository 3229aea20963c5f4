/** What a display shows, as Xvfb writes it into a file: the format of `xwd`. */

export type Picture = ReturnType<typeof readFramebuffer>;

/** Reads a picture. @throws where it isn't 32 bits to a dot, the lowest first */
export function readFramebuffer(file: Buffer) {
  // X11/XWDFile.h: 25 numbers, then the name of the window, then 12 bytes for each colour.
  const [headerSize, , , , width, height, , byteOrder, , , , bits, lineSize, , , , , , , colors] = Array.from(
    { length: 25 },
    (_, place) => file.readUInt32BE(place * 4),
  ) as [number, ...number[]];
  if (!width || !height || !lineSize || colors === undefined || bits !== 32 || byteOrder !== 0)
    throw new Error(`Cannot read the display: it has ${bits} bits to a dot, in the order ${byteOrder}`);
  const start = headerSize + colors * 12;
  /** The colour of a dot, such as 0xffffff. */
  const colorAt = (x: number, y: number) => file.readUInt32LE(start + y * lineSize + x * 4) & 0xffffff;
  return { width, height, colorAt };
}
