/** The part of a runtime's `fetch` that this module needs; each request goes out once. */

import { isBun, isDeno } from "../runtime.ts";
import { isObject } from "../text/is-object.ts";
import { abandon } from "../time/abort.ts";

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The runtime's own fetch, looked up when it is called. */
export const runtimeFetch: Fetch = (input, init) => globalThis.fetch(input, init);

/** A fetch of somebody else's, whose answers are looked at before they are used. */
export function checkedFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response: unknown = await fetch(input, init);
    if (!isResponse(response)) throw new TypeError("the given fetch gave no Response");
    return response;
  };
}

function isResponse(value: unknown): value is Response {
  if (!isObject(value) || !isObject(value.headers) || typeof value.headers.get !== "function") return false;
  const { status, body } = value;
  const readable = typeof value.text === "function" && (!isObject(body) || body.locked !== true);
  const known = status === 0 || (Number.isInteger(status) && Number(status) >= 100 && Number(status) < 1000);
  return known && readable;
}

/** Options of a request, spelled out: the types of edge runtimes don't know the second. */
interface SentOnce {
  body?: string | Blob | ReadableStream<Uint8Array>;
  keepalive?: boolean;
}

/** Deno repeats what broke off before its answer, unless its body is a Blob; Bun a DELETE on a connection it had kept. */
export function sentOnce(text?: string): SentOnce {
  if (isDeno()) return { body: new Blob(text === undefined ? [] : [text]) };
  return { ...(text !== undefined && { body: text }), ...(isBun() && { keepalive: false }) };
}

export interface TrackedRequest {
  init: SentOnce & { headers?: Record<string, string> };
  /** True if the runtime has read the body, where that is known: it does so when it sends the request. */
  wasAskedFor?: () => boolean;
}

/** Bun has one error for connections that break after the request and that never came about: its body tells them apart. */
export function trackedRequest(text: string | undefined, fetch: Fetch): TrackedRequest {
  if (!isBun() || fetch !== runtimeFetch) return { init: sentOnce(text) };
  let asked = false;
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        asked = true;
        if (bytes.length > 0) controller.enqueue(bytes);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return {
    init: { ...sentOnce(), body, headers: { "content-length": String(bytes.length) } },
    wasAskedFor: () => asked,
  };
}

export interface PlainAnswer {
  init: { decompress?: boolean };
  headers: Record<string, string>;
  /** Unpacks the body piece by piece. */
  open(response: Response): Pick<Response, "body" | "text">;
}

/** Bun unpacks at once all that it has received: 1 kB may become a gigabyte before the first of it can be read. */
export function plainAnswer(fetch: Fetch): PlainAnswer {
  if (!isBun() || fetch !== runtimeFetch) return { init: {}, headers: {}, open: (response) => response };
  return { init: { decompress: false }, headers: { "accept-encoding": "identity" }, open: unpacked };
}

/** Some proxies pack all the same; what nobody can unpack piece by piece is not read. */
function unpacked(response: Response): Pick<Response, "body" | "text"> {
  const { body, headers } = response;
  const packing = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (body === null || packing === "" || packing === "identity") return response;
  const [, format] = /^(?:x-)?(gzip|deflate)$/.exec(packing) ?? [];
  if (format === "gzip" || format === "deflate")
    return new Response(body.pipeThrough(new DecompressionStream(format)));
  abandon(() => body.cancel());
  return new Response(null);
}
