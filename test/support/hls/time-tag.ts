/** The tag that packed sound begins with: when its first frame is heard. */

/** @param title is put before it, where there is one */
export function timeTag(seconds: number, title = ""): Uint8Array {
  const frame = (name: string, content: Buffer) => {
    const head = Buffer.alloc(10);
    head.write(name);
    head.writeUInt32BE(content.length, 4);
    return Buffer.concat([head, content]);
  };
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(Math.round(seconds * 90_000)));
  const body = Buffer.concat([
    ...(title === "" ? [] : [frame("TIT2", Buffer.from(title))]),
    frame("PRIV", Buffer.concat([Buffer.from("com.apple.streaming.transportStreamTimestamp\0"), time])),
  ]);
  const sizes = [(body.length >> 7) & 127, body.length & 127];
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, ...sizes]), body]);
}
