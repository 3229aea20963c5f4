/**
 * A body whose bytes are handed over only while the upload still has its lease.
 *
 * @module
 */

import type { Slice } from "../source/source.ts";
import { aroundPieces } from "./around-pieces.ts";

/**
 * Checks each piece after it was read, so that nothing can come between the check and the handing over but the process
 * being suspended at that very moment.
 *
 * @param confirm rejects once the lease is lost
 */
export function leasedBody(body: Slice, confirm: () => Promise<void>): Slice {
  const { fill } = body;
  const leased = aroundPieces(body, () => async (read) => {
    const piece = await read();
    await confirm();
    return piece;
  });
  return {
    ...leased,
    ...(fill && {
      async fill(target: Uint8Array, position: number) {
        const count = await fill(target, position);
        await confirm();
        return count;
      },
    }),
  };
}
