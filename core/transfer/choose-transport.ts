/**
 * Which way of sending serves a source best here.
 *
 * @module
 */

import { runtimeFetch } from "../http/fetch.ts";
import type { Requester } from "../requester.ts";
import { hasXhr } from "../runtime.ts";
import type { ReadableSource } from "../source/source.ts";
import { fetchTransport } from "./fetch.ts";
import type { Transport } from "./transport.ts";
import { xhrTransport } from "./xhr.ts";

/** A source that brings its own way of being sent, as files on disk do. */
export interface SelfSendingSource extends ReadableSource {
  readonly transport: Transport;
}

/** Chooses how to send: an injected fetch, the source's own way, XHR where there is one, else the runtime's fetch. */
export function chooseTransport(
  source: ReadableSource | SelfSendingSource | undefined,
  { fetch, xhrFor }: Pick<Requester, "fetch" | "xhrFor">,
): Transport {
  if (fetch !== undefined) return fetchTransport(fetch);
  if (source !== undefined && "transport" in source) return source.transport;
  if (hasXhr()) return xhrTransport(xhrFor);
  return fetchTransport(runtimeFetch);
}
