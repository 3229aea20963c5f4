/**
 * The requests of the tus protocol, each to the address it is for, and what their answers must hold.
 *
 * @module
 */

import { isHtmlAnswer } from "../http/html.ts";
import { partSizeOf, wholeParts } from "../source/parts.ts";
import { Interruption } from "./interruption.ts";
import type { Transfer, TransferCall } from "./transfer.ts";
import type { TransferAnswer } from "./transport.ts";
import { readCount, readOffset, sendTus, withHeader } from "./tus-exchange.ts";
import { compareCount, findOffset } from "./tus-offset.ts";
import { readUploadUrl } from "./upload-url.ts";

/** Sends one request of tus-js-client to the address it is for, and lets only sound answers through. */
export async function sendTusRequest(transfer: Transfer, call: TransferCall): Promise<TransferAnswer> {
  const { location, uploadUrl } = transfer.record();
  const url = call.method === "POST" ? location : uploadUrl;
  if (url === undefined) throw new Interruption("offset", "the upload has no address");
  const addressed = { ...call, url };
  if (call.method === "POST")
    return await readCreateAnswer(transfer, url, await sendTus(transfer, addressed));
  return call.method === "HEAD"
    ? await findOffset(transfer, addressed)
    : await sendParts(transfer, addressed);
}

async function readCreateAnswer(
  transfer: Transfer,
  endpoint: string,
  answer: TransferAnswer,
): Promise<TransferAnswer> {
  const told = answer.header("location");
  // A network's sign-in page, which says nothing of the upload.
  if (told === undefined && isHtmlAnswer(answer)) {
    const { status: httpStatus } = answer;
    throw new Interruption("http-status", `the upload host answered ${httpStatus} with an HTML page`, {
      httpStatus,
    });
  }
  const uploadUrl = readUploadUrl(told, endpoint);
  await transfer.save({ ...transfer.record(), uploadUrl });
  return withHeader(answer, "location", uploadUrl);
}

/** Sends whole parts, or the rest of the source. */
async function sendParts(transfer: Transfer, call: TransferCall): Promise<TransferAnswer> {
  const { settling, transport, source } = transfer;
  const start = Number(call.headers?.["Upload-Offset"]);
  const size = call.body?.size ?? 0;
  if (call.body?.last ?? true) {
    if (settling.doubtful && !settling.hasTold(start)) await compareCount(transfer, call, start);
    await noteLength(transfer, call);
  }
  let handedOver = 0;
  try {
    const answer = await sendTus(transfer, { ...call, start }, (bytes) => {
      handedOver = bytes;
    });
    const offset = readPatchAnswer(answer, start, start + size);
    settling.acknowledged(start + size);
    transfer.acknowledge(offset);
    return withHeader(answer, "upload-offset", `${offset}`);
  } catch (error) {
    const { unreported = Number.POSITIVE_INFINITY } = transport;
    const left = Math.min(size, handedOver + unreported);
    const parts = left === size ? size : wholeParts(left, partSizeOf(source.size));
    settling.failed(start, start + left, start + parts);
    throw error;
  }
}

/** Keeps the length of a stream, which the host is told with the last bytes, before it is told. */
async function noteLength({ record, save }: Transfer, { headers }: TransferCall): Promise<void> {
  const toldLength = readCount(headers?.["Upload-Length"]);
  if (toldLength !== undefined && toldLength !== record().toldLength) await save({ ...record(), toldLength });
}

function readPatchAnswer(answer: TransferAnswer, start: number, end: number): number {
  const offset = readOffset(answer);
  // Any other count is settled by a HEAD.
  if (offset !== end) {
    throw new Interruption(
      "offset",
      `the upload host counts ${offset} bytes after bytes ${start} to ${end} were sent`,
    );
  }
  return offset;
}
