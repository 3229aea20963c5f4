/** The transport on a runtime's fetch, or on an injected one. */
import { UploadError } from "../errors/errors.ts";
import { type Fetch, type PlainAnswer, plainAnswer, runtimeFetch, sentOnce } from "../http/fetch.ts";
import { readBody } from "../http/limited-body.ts";
import { isRedirect } from "../http/status.ts";
import { canStreamBodies, hasRequestCache, hasXhr, isDeno, lengthStream } from "../runtime.ts";
import { connectionFailed, Interruption } from "./interruption.ts";
import { collectGarbage, type RequestBody, redirected, type Transport } from "./transport.ts";

/** @param streams whether a body goes as a stream, or else as a Blob; in browsers streams need HTTP/2 */
export function fetchTransport(fetch: Fetch, streams: boolean = canStreamBodies()): Transport {
  const isServer = canStreamBodies() && lengthStream() === undefined;
  const plain = plainAnswer(fetch);
  return {
    streams,
    sendsOpen: streams && isServer && fetch === runtimeFetch,
    repeats: !streams,
    reportsProgress: streams,
    unreported: streams ? 0 : Number.POSITIVE_INFINITY,
    async send(request) {
      const { body, signal } = request;
      const outgoing = body && (await openBody(body, streams, request.onHandedOver));
      try {
        const response = await fetch(request.url, {
          method: request.method,
          ...plain.init,
          headers: {
            ...plain.headers,
            ...request.headers,
            ...(outgoing?.stop && isServer && !body?.isOpen && { "Content-Length": `${body?.size}` }),
          },
          ...(outgoing ? { body: outgoing.value } : request.method !== "HEAD" && sentOnce()),
          ...(outgoing?.stop && { duplex: "half" }),
          // "error" keeps Node from holding the body for a redirect; edge workers know "manual" only, by which a browser
          // says that it was one. No redirect is ever followed.
          redirect: isServer ? "error" : "manual",
          // Firefox keeps the address of a PATCH on its disk, which is a secret. It sends no streams, and in Chromium
          // each such request asks anew whether it may be sent.
          ...(hasRequestCache() && (isServer || !streams) && { cache: "no-store" }),
          signal,
        } as RequestInit);
        const answer = await readAnswer(response, plain, request.method === "HEAD", signal);
        if (!streams && body !== undefined && response.ok) request.onHandedOver(body.size);
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof UploadError || error instanceof Interruption) throw error;
        if (isRedirectRefusal(error)) throw redirected();
        throw connectionFailed(error);
      } finally {
        // Node goes on reading a body whose connection broke, and so would read the rest off the disk.
        outgoing?.stop?.();
      }
    },
  };
}

async function openBody(
  body: RequestBody,
  streams: boolean,
  onHandedOver: (bytes: number) => void,
): Promise<{ value: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | Blob; stop?: () => void }> {
  if (!streams) {
    if (body.blob === undefined) collectGarbage(body.size);
    return { value: await body.whole() };
  }
  const { stream, stop } = streamBody(body, (piece) => {
    onHandedOver(body.given);
    // Chromium keeps what a stream has given until garbage is collected, 160 MiB of 768.
    if (hasXhr()) collectGarbage(piece);
  });
  const FixedLengthStream = lengthStream();
  if (FixedLengthStream !== undefined) {
    const fixed = new FixedLengthStream(body.size);
    // The failure of the stream arrives through fetch as well.
    stream.pipeTo(fixed.writable).catch(() => {});
    return { value: fixed.readable, stop };
  }
  return { value: isDeno() && !body.isOpen ? withLength(stream, body.size) : stream, stop };
}

/** Deno sends a bare stream without its length, which a PUT needs; a Blob it asks for both, and reads as a stream. */
function withLength(stream: ReadableStream<Uint8Array>, size: number): Blob {
  return Object.defineProperties(new Blob(), {
    size: { value: size },
    stream: { value: () => stream },
  });
}

/** @param onGiven called with the bytes of each piece */
function streamBody(body: RequestBody, onGiven: (piece: number) => void) {
  let control: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isOpen = true;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        control = controller;
      },
      async pull(controller) {
        const piece = await body.read();
        if (!isOpen) return;
        try {
          controller.enqueue(piece);
          // Closing in the pull of the last byte lets the connection be used again at once.
          if (body.left === 0) controller.close();
        } catch {
          // Deno ends the stream by itself when the connection breaks, without cancelling it.
          return body.stop();
        }
        onGiven(piece.length);
      },
      cancel: () => body.stop(),
    },
    { highWaterMark: 0 },
  );
  const stop = () => {
    isOpen = false;
    control?.error(new Error("the request has ended"));
    body.stop();
  };
  return { stream, stop };
}

async function readAnswer(response: Response, plain: PlainAnswer, isHead: boolean, signal: AbortSignal) {
  if (isRedirect(response) || response.type === "opaqueredirect") throw redirected();
  const text = isHead ? "" : await readBody(plain.open(response), signal);
  // Node opens another socket for a request made in the tick in which this answer ended.
  await new Promise((resolve) => setTimeout(resolve, 0));
  return { status: response.status, header: (name: string) => response.headers.get(name) ?? undefined, text };
}

function isRedirectRefusal(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return [error, cause].some((each) => each instanceof Error && /redirect/i.test(each.message));
}
