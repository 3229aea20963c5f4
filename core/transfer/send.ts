/**
 * One request to the upload host, watched by a stall timer while the body is handed over and by an answer timer after
 * its last byte.
 *
 * @module
 */

import type { Slice } from "../source/source.ts";
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
  timeouts: Required<Timeouts>,
): Promise<TransferAnswer> {
  request.signal.throwIfAborted();
  const timer = new AbortController();
  const started = Date.now();
  const size = request.body?.size ?? 0;
  let alarm: ReturnType<typeof setTimeout> | undefined;
  let over = false;
  const arm = (milliseconds: number, interruption: () => Interruption) => {
    clearTimeout(alarm);
    // What a broken connection reports late must not keep the process alive.
    if (over) return;
    alarm = setTimeout(() => timer.abort(interruption()), milliseconds);
  };
  const awaitAnswer = () => {
    const elapsed = Date.now() - started;
    // No more is held back than was sent.
    const wait = Math.max(timeouts.answer, Math.min(1, HELD_BACK / size) * elapsed);
    arm(wait, () => new Interruption("unanswered", `no answer within ${Math.round(wait / 1000)} s`));
  };
  const stalled = () => new Interruption("stalled", `no byte was sent within ${timeouts.stall / 1000} s`);
  const watch = () => arm(timeouts.stall, stalled);
  const blind = size > 0 && !transport.reportsProgress;

  if (size === 0) awaitAnswer();
  else if (!blind) watch();
  else
    arm(
      timeouts.answer + size / SLOWEST_RATE,
      () => new Interruption("unanswered", "no answer, although even a slow connection would have finished"),
    );
  try {
    return await transport.send({
      ...request,
      body:
        request.body === undefined || blind
          ? request.body
          : watchedBody(request.body, () => clearTimeout(alarm), watch),
      signal: AbortSignal.any([request.signal, timer.signal]),
      onHandedOver(bytes) {
        if (bytes < size) watch();
        else awaitAnswer();
        request.onHandedOver(bytes);
      },
    });
  } catch (error) {
    request.signal.throwIfAborted();
    const failure: unknown = timer.signal.aborted ? timer.signal.reason : error;
    if (failure instanceof Interruption) failure.mayBeWhole = blind;
    throw failure;
  } finally {
    over = true;
    clearTimeout(alarm);
  }
}

/** Time spent reading the source is not counted: the timer stops while a piece is read. */
function watchedBody(body: Slice, rest: () => void, watch: () => void): Slice {
  return {
    ...body,
    pieces(copied) {
      const pieces = body.pieces(copied);
      return {
        async next() {
          rest();
          const next = await pieces.next();
          watch();
          return next;
        },
        return: async () => (await pieces.return?.()) ?? { value: undefined, done: true },
      };
    },
  };
}
