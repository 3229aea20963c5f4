/** Reads a request body straight from the socket into a sink, in large pieces, and keeps what came of a broken one. */
import type { IncomingMessage } from "node:http";
import type { ByteRule } from "./switches.ts";

export interface Sink {
  /** Is not called again before its promise has resolved. */
  write(chunks: Buffer[]): Promise<void>;
  /** Bytes that are worth a write. @default 1 MiB: few large writes instead of one for each 64 KiB of the socket */
  block?: number;
}

export interface Received {
  bytes: number;
  /** False when the connection broke, or reading was stopped, before the body's end. */
  whole: boolean;
}

interface BodyOptions {
  /** Bytes per second, looked up for each piece; 0 is unlimited. */
  readonly throttle: number;
  resetAfter?: ByteRule | undefined;
  stallAfter?: ByteRule | undefined;
}

export type Body = ReturnType<typeof createBody>;

const BLOCK = 1024 * 1024;

export function createBody(incoming: IncomingMessage, options: BodyOptions) {
  const { resetAfter, stallAfter } = options;
  const limit = Math.min(resetAfter?.bytes ?? Infinity, stallAfter?.bytes ?? Infinity);
  let stopped = false;
  let isOpen = false;
  let onStop = () => {};

  function receive(sink: Sink): Promise<Received> {
    const started = performance.now();
    const { block: blockSize = BLOCK } = sink;
    const highWater = 4 * blockSize;
    let chunks: Buffer[] = [];
    let waiting = 0;
    let bytes = 0;
    let ended = false;
    let whole = false;
    let writing = false;
    let timer: NodeJS.Timeout | undefined;

    return new Promise((resolve, reject) => {
      function flush(): void {
        if (writing) return;
        if (waiting === 0) {
          if (ended) finish();
          return;
        }
        // A fault's last bytes count at once, since nothing may come after them, and so does each piece of a slow line.
        if (waiting < blockSize && !ended && bytes < limit && options.throttle === 0) return;
        writing = true;
        const block = chunks;
        chunks = [];
        waiting = 0;
        sink.write(block).then(
          () => {
            writing = false;
            if (!ended && timer === undefined && bytes < limit) incoming.resume();
            flush();
          },
          (error: unknown) => {
            ended = true;
            finish(error);
          },
        );
      }

      function onData(chunk: Buffer): void {
        if (ended) return;
        const piece = bytes + chunk.length > limit ? chunk.subarray(0, limit - bytes) : chunk;
        if (piece.length > 0) chunks.push(piece);
        waiting += piece.length;
        bytes += piece.length;
        if (bytes >= limit) reachLimit();
        else if (options.throttle > 0) slowDown();
        if (writing && waiting >= highWater) incoming.pause();
        flush();
      }

      function reachLimit(): void {
        incoming.pause();
        if (resetAfter !== undefined && bytes >= resetAfter.bytes) onEnd(false);
      }

      function slowDown(): void {
        const early = (bytes / options.throttle) * 1000 - (performance.now() - started);
        if (early < 5) return;
        incoming.pause();
        timer = setTimeout(() => {
          timer = undefined;
          if (waiting < highWater) incoming.resume();
        }, early);
      }

      function onEnd(atEnd: boolean): void {
        if (ended) return;
        ended = true;
        isOpen = false;
        whole = atEnd;
        flush();
      }

      // A small body ends even while it is paused; one with a limit is never whole.
      const onWhole = () => bytes < limit && onEnd(true);
      const onBroken = () => onEnd(false);

      function finish(error?: unknown): void {
        clearTimeout(timer);
        incoming.off("data", onData).off("end", onWhole).off("close", onBroken);
        // A broken request emits its error after this too; without a listener that would end the process.
        incoming.on("error", () => {});
        if (resetAfter !== undefined && bytes >= resetAfter.bytes) incoming.socket.resetAndDestroy();
        if (error !== undefined) reject(error);
        else resolve({ bytes, whole });
      }

      isOpen = true;
      onStop = onBroken;
      if (stopped || incoming.destroyed) return onBroken();
      incoming.on("end", onWhole).on("close", onBroken).on("error", onBroken);
      if (limit === 0) return reachLimit();
      incoming.on("data", onData);
    });
  }

  return {
    receive,
    /** A handler waits for more of it. */
    get isOpen() {
      return isOpen;
    },
    /** Ends reading; what was received until now counts. */
    stop() {
      stopped = true;
      onStop();
    },
  };
}

/** Reads a body away, so that an answer isn't lost behind bytes nobody took. */
export function drain(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (incoming.readableEnded || incoming.destroyed) return resolve();
    incoming.on("end", resolve).on("close", resolve).on("error", resolve).resume();
  });
}
