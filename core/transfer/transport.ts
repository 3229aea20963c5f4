/**
 * How a request reaches the upload host: by fetch or XHR, watched by a stall timer while the body is handed over
 * and by an answer timer after its last byte. The only feature detection, at call time.
 *
 * @module
 */

import { type Fetch, runtimeFetch } from "../request.ts";
import { Interruption } from "../retry.ts";
import type { Slice, Source } from "../source/source.ts";
import { fetchTransport } from "./fetch.ts";
import { xhrTransport } from "./xhr.ts";

/** One request to the upload host. */
export interface TransferRequest {
  /** HTTP method. */
  method: string;
  /** A secret. */
  url: string;
  /** Headers, all of them. */
  headers: Record<string, string>;
  /** The bytes to send, or `undefined` for a request without a body. */
  body: Slice | undefined;
  /** Ends the request: the caller's wish or a timer. */
  signal: AbortSignal;
  /** Told the bytes of the body that were handed over so far. */
  onHandedOver(bytes: number): void;
}

/** What the upload host answered. */
export interface TransferAnswer {
  /** HTTP status. */
  status: number;
  /** Reads a header by its name in any case, or `undefined` where there is none. */
  header(name: string): string | undefined;
  /** The body as text. May hold secrets. */
  text: string;
}

/** A way to send requests. Rejects with an `Interruption`, an `UploadError` of the source, or the signal's reason. */
export interface Transport {
  /** Whether a body goes out while it is read; else it is a Blob, held or on disk. */
  readonly streams: boolean;
  /** Whether it may send a request again by itself when a kept connection broke, as browsers do. */
  readonly repeats: boolean;
  /** Whether it tells how much of a body has been handed over before the answer. */
  readonly tellsProgress: boolean;
  /** Bytes of a body that may have left beyond those that were told. @default any number */
  readonly unreported?: number;
  /** Sends one request. */
  send(request: TransferRequest): Promise<TransferAnswer>;
}

/** How long to wait for signs of life. */
export interface TransferTimeouts {
  /** Milliseconds without a byte handed over until a transfer counts as stalled. @default 30000 */
  stall?: number;
  /**
   * Least milliseconds for an answer after the last byte. Sockets hold some MiB back, so it grows to the time of
   * 8 MiB at the measured rate.
   * @default 60000
   */
  answer?: number;
  /**
   * Least milliseconds that the host's offset must stand still after a request broke, before more is sent. The store
   * behind it goes on storing what it received, and what is sent meanwhile may be stored shifted or twice. It grows
   * to three times the slowest answer seen, 30 s at most; nothing is waited for where no whole part can be on its way.
   * @default 1000
   */
  settle?: number;
}

/** `TransferTimeouts` with the defaults filled in. */
export const DEFAULT_TIMEOUTS: Required<TransferTimeouts> = { stall: 30_000, answer: 60_000, settle: 1_000 };

/** Bytes that sockets may hold back of a body that was handed over. */
export const HELD_BACK: number = 8 * 1024 * 1024;
/** Where nothing tells the progress, a body may take as long as it needs at this many bytes per millisecond. */
const SLOWEST = 32;

/** Chooses how to send: an injected fetch, the source's own way, XHR where there is one, else the runtime's fetch. */
export function chooseTransport(source: Source, fetch: Fetch | undefined): Transport {
  if (fetch !== undefined) return fetchTransport(fetch);
  if (source.transport !== undefined) return source.transport;
  if (typeof XMLHttpRequest === "function") return xhrTransport();
  return fetchTransport(runtimeFetch);
}

/** Sends one request under the two timers. */
export async function send(
  transport: Transport,
  request: TransferRequest,
  timeouts: Required<TransferTimeouts>,
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
  const stalled = () => new Interruption("stalled", `no byte left within ${timeouts.stall / 1000} s`);
  const watch = () => arm(timeouts.stall, stalled);
  const blind = size > 0 && !transport.tellsProgress;

  if (size === 0) awaitAnswer();
  else if (!blind) watch();
  else
    arm(
      timeouts.answer + size / SLOWEST,
      () => new Interruption("unanswered", "no answer in the time a slow line needs"),
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

/** A slow source is no stalled line: the timer rests while a piece is read. */
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
