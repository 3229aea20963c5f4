/**
 * What this module needs of a runtime's `fetch`, and how a request goes out once and no more.
 *
 * @module
 */

import { isBun, isDeno } from "../runtime.ts";

/** The one function this module needs of a runtime's `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The runtime's own fetch, looked up when it is called. */
export const runtimeFetch: Fetch = (input, init) => globalThis.fetch(input, init);

/**
 * The options of a request that is to be sent once. Deno repeats by itself what broke off before its answer, unless
 * its body is a Blob, be it empty; Bun repeats a DELETE on a connection it had kept.
 */
export function sentOnce(text?: string): Pick<RequestInit, "body" | "keepalive"> {
  if (isDeno()) return { body: new Blob(text === undefined ? [] : [text]) };
  return { ...(text !== undefined && { body: text }), ...(isBun() && { keepalive: false }) };
}

/** The options of a request that is to be sent once, and what is known of it afterwards. */
export interface TrackedRequest {
  init: Pick<RequestInit, "body" | "keepalive"> & { headers?: Record<string, string> };
  /** Whether the runtime has read the body, where that is known: it does so when it sends the request. */
  wasAskedFor?: () => boolean;
}

/**
 * A request that is to be sent once, and knows whether it left where the runtime's error doesn't say: Bun gives a
 * connection that breaks after the request the same error as one that never came about.
 */
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
