/**
 * Direct upload: one PUT of the whole source (interface document: "Direct upload").
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import { refusalOf, type Transfer } from "./transfer.ts";

/**
 * Sends the source from its first byte. The location stays the same in every attempt, so it is the same asset.
 *
 * "Already uploaded" is success once some attempt had handed over the whole body: then only its answer was lost.
 */
export async function transferDirect(transfer: Transfer): Promise<void> {
  const { source, filetype } = transfer;
  const url = transfer.record().location;
  if (url === undefined)
    throw new UploadError("location-refused", "Cannot upload: there is no direct-upload location");
  const { size } = source;
  if (size === undefined) {
    throw new UploadError(
      "length-refused",
      'Cannot upload directly: the length of the stream is unknown. Use method "resumable"',
    );
  }
  const body =
    source.rereadable || source.whole === undefined ? await source.slice(0, size) : await source.whole();
  let noted: Promise<void> | undefined;
  const answer = await transfer.send(
    { method: "PUT", url, body, headers: filetype === undefined ? {} : { "Content-Type": filetype } },
    () => {
      noted = transfer.save({ ...transfer.record(), handedOver: true });
      // It is awaited below; without this, a failure in between would end the process.
      noted.catch(() => {});
    },
  );
  await noted;
  const done = answer.status >= 200 && answer.status < 300;
  if (done || (answer.status === 422 && transfer.record().handedOver === true))
    return transfer.acknowledge(size);
  throw refusalOf(transfer, answer, "location");
}
