/** All bytes of a slice of a source, read piece by piece. */
import type { Slice } from "../../../core/source/source.ts";

export async function readAll(slice: Pick<Slice, "pieces">): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  const pieces = slice.pieces();
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) read.push(next.value.slice());
  return new Uint8Array(Buffer.concat(read));
}
