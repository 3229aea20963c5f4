/**
 * One request to the upload host, watched by a stall timer while the body is handed over and by an answer timer after
 * its last byte.
 *
 * @module
 */

import { joinSignals, untilAborted } from "../abort.ts";
import { isHttpStatus, isSuccess } from "../http/status.ts";
import type { Complete } from "../options.ts";
import type { Slice } from "../source/source.ts";
import { aroundPieces } from "./around-pieces.ts";
import { Interruption } from "./interruption.ts";
import type { Timeouts } from "./timeouts.ts";
import type { TransferAnswer, TransferRequest, Transport } from "./transport.ts";

/** Bytes that sockets may hold back of a body that was handed over. */
export const HELD_BACK: number = 8 * 1024 * 1024;
/** Where no progress is reported, a body may take as long as it needs at this many bytes per millisecond. */
const SLOWEST_RATE = 32;

/** Sends one request under the two timers. */
export async function send(
  transport: Transport,
  request: TransferRequest,
  timeouts: Complete<Timeouts>,
): Promise<TransferAnswer> {
  request.signal.throwIfAborted();
  const { signal, abort, leave } = joinSignals(request.signal);
  const started = Date.now();
  const size = request.body?.size ?? 0;
  let alarm: ReturnType<typeof setTimeout> | undefined;
  let over = false;
  const arm = (milliseconds: number, interruption: () => Interruption) => {
    clearTimeout(alarm);
    // What a broken connection reports late must not keep the process alive.
    if (over) return;
    alarm = setTimeout(() => abort(interruption()), milliseconds);
  };
  const awaitAnswer = () => {
    const elapsed = Date.now() - started;
    // No more is held back than was sent.
    const wait = Math.max(timeouts.answer, Math.min(1, HELD_BACK / size) * elapsed);
    arm(wait, () => new Interruption("unanswered", `no answer within ${Math.round(wait / 100) / 10} s`));
  };
  const stalled = () => new Interruption("stalled", `no byte was sent within ${timeouts.stall / 1000} s`);
  const watch = () => arm(timeouts.stall, stalled);
  const reportsNoProgress = size > 0 && !transport.reportsProgress;
  let read = 0;
  const noteRead = (bytes: number) => {
    read = Math.max(read, bytes);
  };

  if (size === 0) awaitAnswer();
  else if (!reportsNoProgress) watch();
  else
    arm(
      timeouts.answer + size / SLOWEST_RATE,
      () => new Interruption("unanswered", "no answer, although even a slow connection would have finished"),
    );
  try {
    const sending = transport.send({
      ...request,
      body:
        request.body === undefined || reportsNoProgress
          ? request.body
          : watchedBody(countedBody(request.body, noteRead), () => clearTimeout(alarm), watch),
      signal,
      onHandedOver(bytes) {
        if (bytes < size) watch();
        else awaitAnswer();
        if (!signal.aborted) request.onHandedOver(bytes);
      },
    });
    // Some connections never end, whatever they are told.
    const answer = await untilAborted(sending, signal);
    if (!isHttpStatus(answer)) throw noHttp(answer);
    if (transport.streams && read < size && isSuccess(answer)) throw tooSoon(answer);
    return answer;
  } catch (error) {
    request.signal.throwIfAborted();
    throw signal.aborted ? signal.reason : error;
  } finally {
    over = true;
    clearTimeout(alarm);
    leave();
  }
}

/** Some ways of sending let any number through; it says nothing of what came of the request. */
function noHttp({ status }: TransferAnswer): Interruption {
  return new Interruption("http-status", `the upload host answered ${status}, which is no status of HTTP`);
}

/** A success before all of the body was sent is an answer to another request, or of a proxy on its own. */
function tooSoon({ status }: TransferAnswer): Interruption {
  const words = `the upload host answered ${status} before all of the body was sent`;
  return new Interruption("http-status", words, { httpStatus: status });
}

/** Tells how many bytes of a body were read. */
function countedBody(body: Slice, noteRead: (bytes: number) => void): Slice {
  const { fill } = body;
  const counted = aroundPieces(body, () => {
    let bytes = 0;
    return async (read) => {
      const piece = await read();
      bytes += piece.value?.length ?? 0;
      noteRead(bytes);
      return piece;
    };
  });
  return {
    ...counted,
    ...(fill && {
      async fill(target: Uint8Array, position: number) {
        const count = await fill(target, position);
        noteRead(position + count);
        return count;
      },
    }),
  };
}

/** Time spent reading the source is not counted: the timer stops while a piece is read. */
function watchedBody(body: Slice, rest: () => void, watch: () => void): Slice {
  return aroundPieces(body, () => async (read) => {
    rest();
    const piece = await read();
    watch();
    return piece;
  });
}
