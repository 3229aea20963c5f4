/**
 * The requests of the tus protocol, each to the address it is for, and what their answers must hold.
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import { isLoopback } from "../service/upload-location.ts";
import { partSizeOf, wholeParts } from "../source/parts.ts";
import { Interruption } from "./interruption.ts";
import type { Transfer, TransferCall } from "./transfer.ts";
import type { TransferAnswer } from "./transport.ts";
import { readOffset, sendTus, withHeader } from "./tus-exchange.ts";
import { compareCount, findOffset } from "./tus-offset.ts";

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
  const uploadUrl = readUploadUrl(answer.header("location"), endpoint);
  const { location: _, ...record } = transfer.record();
  const { size } = transfer.source;
  // What is no larger than a part goes in one request, which comes next.
  const lastSent = size !== undefined && size <= partSizeOf(size);
  await transfer.save({ ...record, uploadUrl, lastSent });
  return withHeader(answer, "location", uploadUrl);
}

/** The upload URL as the service wrote it; where a proxy made it http on the same host, https stays. */
function readUploadUrl(location: string | undefined, endpoint: string): string {
  const bad = (state: string) =>
    new UploadError("location-refused", `Cannot upload: the upload host ${state}`);
  if (location === undefined) throw bad("created the upload without telling its address");
  const from = new URL(endpoint);
  let url: URL;
  try {
    url = new URL(location, from);
  } catch {
    throw bad("gave an invalid upload address");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw bad("gave an upload address that is neither https nor http");
  if (from.protocol === "http:" || url.protocol === "https:")
    return URL.canParse(location) ? location : url.href;
  if (url.hostname === from.hostname) return `https://${from.host}${url.pathname}${url.search}`;
  if (isLoopback(url.hostname)) return location;
  throw bad("gave an upload address without https");
}

/** Sends whole parts, or the rest of the source. */
async function sendParts(transfer: Transfer, call: TransferCall): Promise<TransferAnswer> {
  const { settling, transport, source } = transfer;
  const start = Number(call.headers?.["Upload-Offset"]);
  const size = call.body?.size ?? 0;
  if (call.body?.last ?? true) {
    if (settling.doubtful && !settling.hasTold(start)) await compareCount(transfer, call, start);
    await noteLast(transfer);
  }
  let handedOver = 0;
  try {
    const answer = await sendTus(transfer, { ...call, start }, (bytes) => {
      handedOver = bytes;
    });
    const offset = readPatchAnswer(answer, start, start + size);
    settling.acknowledged(start + size);
    transfer.acknowledge(offset);
    return answer;
  } catch (error) {
    const { unreported = Number.POSITIVE_INFINITY } = transport;
    const left = Math.min(size, handedOver + unreported);
    const parts = left === size ? size : wholeParts(left, partSizeOf(source.size));
    settling.failed(start, start + left, start + parts);
    throw error;
  }
}

/** A host can have the whole only if the last request was sent, be it by another process. */
async function noteLast({ record, save }: Transfer): Promise<void> {
  if (record().lastSent === false) await save({ ...record(), lastSent: true });
}

function readPatchAnswer(answer: TransferAnswer, start: number, end: number): number {
  const offset = readOffset(answer);
  // More than was sent, or nothing of it: a HEAD settles what the service has.
  if (offset > end || (offset <= start && end > start)) {
    throw new Interruption(
      "offset",
      `the upload host counts ${offset} bytes after bytes ${start} to ${end} were sent`,
    );
  }
  return offset;
}
