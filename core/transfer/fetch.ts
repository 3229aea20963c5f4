/**
 * The transport on a runtime's fetch, or on an injected one.
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import { type Fetch, type PlainAnswer, plainAnswer, sentOnce } from "../http/fetch.ts";
import { readBody } from "../http/limited-body.ts";
import { isRedirect } from "../http/status.ts";
import { canStreamBodies, hasRequestCache, isDeno, type LengthStream, lengthStream } from "../runtime.ts";
import type { Slice } from "../source/source.ts";
import { collect, collectGarbage, endedEarly, redirected, tooLong } from "./body.ts";
import { connectionFailed, Interruption } from "./interruption.ts";
import type { TransferAnswer, TransferRequest, Transport } from "./transport.ts";

/** Sends by fetch: a stream body in server runtimes, a Blob in browsers, whose streams need HTTP/2. */
export function fetchTransport(fetch: Fetch): Transport {
  const FixedLengthStream = lengthStream();
  const streams = canStreamBodies();
  const plain = plainAnswer(fetch);
  return {
    streams,
    repeats: !streams,
    reportsProgress: streams,
    unreported: streams ? 0 : Number.POSITIVE_INFINITY,
    async send(request) {
      const { body } = request;
      const outgoing =
        body === undefined ? undefined : await openBody(body, request, streams, FixedLengthStream);
      const stop = () => outgoing?.stop();
      request.signal.addEventListener("abort", stop, { once: true });
      try {
        const response = await fetch(request.url, {
          method: request.method,
          ...plain.init,
          headers: {
            ...plain.headers,
            ...request.headers,
            ...(outgoing?.streamed &&
              FixedLengthStream === undefined && { "Content-Length": `${body?.size}` }),
          },
          ...(outgoing ? { body: outgoing.value } : request.method !== "HEAD" && sentOnce()),
          ...(outgoing?.streamed && { duplex: "half" }),
          // "error" keeps Node from holding the body for a redirect; edge workers know "manual" only, by which a browser
          // says that it was one.
          redirect: streams && FixedLengthStream === undefined ? "error" : "manual",
          // Firefox keeps the address of a PATCH on its disk, which is a secret.
          ...(hasRequestCache() && { cache: "no-store" }),
          signal: request.signal,
        } as RequestInit);
        return await readAnswer(response, plain, request, outgoing);
      } catch (error) {
        request.signal.throwIfAborted();
        if (outgoing?.failure !== undefined) throw outgoing.failure;
        if (error instanceof UploadError || error instanceof Interruption) throw error;
        if (isRedirectRefusal(error)) throw redirected();
        throw connectionFailed(error);
      } finally {
        request.signal.removeEventListener("abort", stop);
        // Node goes on reading a body whose connection broke, and so would read the rest off the disk.
        stop();
      }
    },
  };
}

interface Outgoing {
  value: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | Blob;
  streamed: boolean;
  /** An error of the source, which fetch would report as its own. */
  failure: unknown;
  stop(): void;
}

async function openBody(
  body: Slice,
  request: TransferRequest,
  streams: boolean,
  FixedLengthStream: LengthStream | undefined,
): Promise<Outgoing> {
  if (!streams && body.blob === undefined) collectGarbage(body.size);
  const bytes = streams ? undefined : (body.blob ?? (await collect(body)));
  if (bytes !== undefined) return { value: bytes, streamed: false, failure: undefined, stop() {} };
  const outgoing = streamBody(body, request);
  const { stream } = outgoing;
  if (FixedLengthStream !== undefined) {
    const fixed = new FixedLengthStream(body.size);
    // Its failure arrives through fetch as well.
    stream.pipeTo(fixed.writable).catch(() => {});
    outgoing.value = fixed.readable;
  } else if (isDeno()) outgoing.value = withLength(stream, body.size);
  return outgoing;
}

/** Deno sends a bare stream without its length, which a PUT needs; a Blob it asks for both, and reads as a stream. */
function withLength(stream: ReadableStream<Uint8Array>, size: number): Blob {
  return Object.defineProperties(new Blob(), {
    size: { value: size },
    stream: { value: () => stream },
  });
}

function streamBody(
  body: Slice,
  request: TransferRequest,
): Outgoing & { stream: ReadableStream<Uint8Array> } {
  const pieces = body.pieces();
  const { beforeLastByte } = request;
  let sent = 0;
  let held: Uint8Array | undefined;
  let open = true;
  let control: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        control = controller;
      },
      async pull(controller) {
        let piece: Uint8Array;
        let end: boolean;
        try {
          const next = held === undefined ? await pieces.next() : { value: held };
          if (!open) return;
          if (next.done) throw endedEarly(sent, body.size);
          piece = next.value;
          end = sent + piece.length >= body.size;
          if (end && held === undefined) {
            await expectEnd(pieces, sent + piece.length, body.size);
            if (beforeLastByte !== undefined && piece.length > 1) {
              held = piece.slice(-1);
              piece = piece.subarray(0, -1);
              end = false;
            }
          }
          if (end) await beforeLastByte?.();
          sent += piece.length;
          if (!open) return;
        } catch (error) {
          outgoing.failure = error;
          open = false;
          controller.error(error);
          return;
        }
        try {
          controller.enqueue(piece);
          // Closing in the pull of the last byte lets the connection be used again at once.
          if (end) controller.close();
        } catch {
          // Deno ends the stream by itself when the connection breaks, without cancelling it.
          open = false;
          await pieces.return?.();
          return;
        }
        if (end) open = false;
        request.onHandedOver(sent);
      },
      async cancel() {
        open = false;
        await pieces.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  const outgoing: Outgoing & { stream: typeof stream } = {
    value: stream,
    stream,
    streamed: true,
    failure: undefined,
    stop() {
      if (!open) return;
      open = false;
      control?.error(new Error("the request has ended"));
      void pieces.return?.();
    },
  };
  return outgoing;
}

async function expectEnd(
  pieces: AsyncIterator<Uint8Array, undefined>,
  sent: number,
  size: number,
): Promise<void> {
  if (sent > size || (await pieces.next()).done !== true) throw tooLong(size);
}

async function readAnswer(
  response: Response,
  plain: PlainAnswer,
  request: TransferRequest,
  outgoing: Outgoing | undefined,
): Promise<TransferAnswer> {
  if (isRedirect(response) || response.type === "opaqueredirect") throw redirected();
  const text = request.method === "HEAD" ? "" : await readBody(plain.open(response), request.signal);
  if (outgoing !== undefined && !outgoing.streamed && request.body !== undefined && response.ok) {
    request.onHandedOver(request.body.size);
  }
  // Node opens another socket for a request made in the tick in which this answer ended.
  await new Promise((resolve) => setTimeout(resolve, 0));
  return { status: response.status, header: (name) => response.headers.get(name) ?? undefined, text };
}

function isRedirectRefusal(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const words = `${error instanceof Error ? error.message : ""} ${cause instanceof Error ? cause.message : ""}`;
  return /redirect/i.test(words);
}
