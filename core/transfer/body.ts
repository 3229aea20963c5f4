/**
 * What every transport says of a body that doesn't fit its announcement, and of an answer that leads elsewhere.
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import type { Slice } from "../source/source.ts";

/** Parts of this size, and the last one of any size, are safe on every store behind a service. */
export const PART: number = 8 * 1024 * 1024;

/** The bytes of a slice as a Blob, for transports that can't send them as they are read. */
export async function collect(body: Slice): Promise<Blob> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const pieces = body.pieces();
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    parts.push(next.value);
    size += next.value.length;
  }
  if (size < body.size) throw endedEarly(size, body.size);
  if (size > body.size) throw tooLong(body.size);
  return new Blob(parts as BlobPart[]);
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
    "Cannot upload: the upload host redirects to another address, which is never followed",
  );
}
