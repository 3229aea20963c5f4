/**
 * What every transport says of a body that doesn't fit its announcement, and of an answer that leads elsewhere.
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import { PART_SIZE } from "../source/parts.ts";
import type { Slice } from "../source/source.ts";

/** Memory that Chromium counts as a script's, and collects garbage for. */
const COUNTED = 8 * PART_SIZE;
/** Bytes that were sent since garbage was collected. */
let sent = 0;

/**
 * The bytes of a slice, for transports that can't send them as they are read; they copy what they are given. A part
 * comes as it is; more than that is in Blobs, which are the browser's to put on disk.
 */
export async function collect(body: Slice): Promise<Uint8Array<ArrayBuffer> | Blob> {
  if (body.held !== undefined) return body.held;
  const pieces = body.pieces(true);
  const blobs: Blob[] = [];
  const buffer = new Uint8Array(Math.min(PART_SIZE, body.size));
  let size = 0;
  let held = 0;
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    size += next.value.length;
    if (size > body.size) throw tooLong(body.size);
    for (let at = 0; at < next.value.length; ) {
      if (held === buffer.length) {
        blobs.push(new Blob([buffer]));
        held = 0;
      }
      const taken = next.value.subarray(at, at + buffer.length - held);
      buffer.set(taken, held);
      held += taken.length;
      at += taken.length;
    }
  }
  if (size < body.size) throw endedEarly(size, body.size);
  return blobs.length === 0 ? buffer : new Blob([...blobs, buffer.subarray(0, held)]);
}

/**
 * Makes Chromium drop the copies that it keeps of what requests sent, once that is a part. It does so only for memory
 * that it counts as the script's: memory that is given back at once makes it collect soon, but not any more after about
 * a GiB, and memory that is left as garbage keeps it going. Nothing writes to either, so that they take no room.
 *
 * @param size bytes that a request sends
 */
export function collectGarbage(size: number): void {
  sent += size;
  if (sent < PART_SIZE) return;
  sent = 0;
  try {
    new ArrayBuffer(PART_SIZE);
    new ArrayBuffer(COUNTED).transfer(0);
  } catch {
    // Without that much to spare, garbage is collected anyway; older browsers don't know the method.
  }
}

/** The error for a source that ends before its announced size. */
export function endedEarly(sent: number, size: number): UploadError {
  return new UploadError(
    "source-ended-early",
    `Cannot upload: the source ended after ${sent} of ${size} bytes`,
  );
}

/** The error for a source that goes on after its announced size. */
export function tooLong(size: number): UploadError {
  return new UploadError(
    "source-too-long",
    `Cannot upload: the source has more than the announced ${size} bytes`,
  );
}

/** The error for an upload host that sends the upload elsewhere: its locations are secrets for that host alone. */
export function redirected(): UploadError {
  return new UploadError(
    "location-refused",
    "Cannot reach the upload: its host redirects to another address, which is never followed",
  );
}
