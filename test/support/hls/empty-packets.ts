/** A transport stream of empty packets. */
export function emptyPackets(size: number, sync: number, amount = 20): Uint8Array {
  const bytes = new Uint8Array(size * amount);
  for (let at = sync; at < bytes.length; at += size) bytes[at] = 0x47;
  return bytes;
}
