/**
 * One request of the tus protocol and its answer.
 *
 * @module
 */

import { isUpcutError, UploadError } from "../errors.ts";
import { isSuccess } from "../http/status.ts";
import { Interruption } from "./interruption.ts";
import { refusalOf } from "./refusal.ts";
import { HELD_BACK } from "./send.ts";
import type { Transfer, TransferCall } from "./transfer.ts";
import type { TransferAnswer } from "./transport.ts";

/** Sends a request, learns from its answer how slow the host is, and throws what is no success. */
export async function sendTus(
  transfer: Transfer,
  call: TransferCall,
  onHandedOver?: (bytes: number) => void,
): Promise<TransferAnswer> {
  const began = performance.now();
  let lastByteAt = began;
  const answer = await transfer.send(call, (bytes) => {
    // Without progress, it is reported together with the answer.
    if (transfer.transport.reportsProgress) lastByteAt = performance.now();
    onHandedOver?.(bytes);
  });
  if (!isSuccess(answer)) throw refused(transfer, call.method, answer);
  // What sockets hold back of a body takes the line's time, not the host's.
  const held = Math.min(1, HELD_BACK / (call.body?.size ?? 1)) * (lastByteAt - began);
  transfer.settling.answered(performance.now() - lastByteAt - held);
  return answer;
}

/** An answer with another value of one header. */
export function withHeader(answer: TransferAnswer, name: string, value: string | undefined): TransferAnswer {
  return { ...answer, header: (asked) => (asked.toLowerCase() === name ? value : answer.header(asked)) };
}

/**
 * Reads the offset of an answer.
 *
 * @throws {Interruption} where it has none.
 */
export function readOffset(answer: TransferAnswer): number {
  const offset = readCount(answer.header("upload-offset"));
  if (offset === undefined) throw new Interruption("offset", "the answer holds no offset");
  return offset;
}

/** Reads a number of bytes: decimal digits, up to what a number holds exactly. */
export function readCount(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined;
  const count = Number(text);
  return Number.isSafeInteger(count) ? count : undefined;
}

function refused(transfer: Transfer, method: string, answer: TransferAnswer): Error {
  const error = refusalOf(transfer, answer, method === "POST" ? "location" : "upload");
  const lengthless = transfer.source.size === undefined && method === "POST";
  if (!lengthless || !isUpcutError(error) || error.code !== "rejected") return error;
  const { message, httpStatus, details } = error;
  const hint = "It may refuse uploads of unknown length: give the size";
  return new UploadError("length-refused", `${message}. ${hint}`, { httpStatus, details });
}
