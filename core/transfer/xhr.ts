/** The transport on XMLHttpRequest: the one way in a page to see bytes leave. */

import { runtimeFetch } from "../http/fetch.ts";
import { LONGEST_BODY } from "../http/limited-body.ts";
import { isRedirect } from "../http/status.ts";
import type { Requester } from "../service/requester.ts";
import { onAbort } from "../time/abort.ts";
import { fetchTransport } from "./fetch.ts";
import { Interruption } from "./interruption.ts";
import { collectGarbage, redirected, type TransferAnswer, type Transport } from "./transport.ts";

/**
 * Sends by XMLHttpRequest; a Blob body goes from disk to the network without being held.
 *
 * @param xhrFor gives what sends to an origin, or nothing where fetch has to
 */
export function xhrTransport(xhrFor: NonNullable<Requester["xhrFor"]> = ownXhr): Transport {
  let isFetching = false;
  return {
    streams: false,
    repeats: true,
    get reportsProgress() {
      return !isFetching;
    },
    // Progress comes some twenty times a second, and a request that the browser sends again reports none at first.
    unreported: Number.POSITIVE_INFINITY,
    async send(request) {
      const { body, signal } = request;
      const own = await xhrFor(new URL(request.url).origin);
      isFetching = own === undefined;
      if (own === undefined) return await fetchTransport(runtimeFetch).send(request);
      const whole = await body?.whole();
      // A Blob copies bytes at once, so that the source may use their memory again, and is sent by another process. XHR
      // itself takes longer to copy them.
      const blob = whole instanceof Uint8Array ? new Blob([whole]) : whole;
      signal.throwIfAborted();
      try {
        return await new Promise<TransferAnswer>((resolve, reject) => {
          const xhr = new own.XMLHttpRequest();
          xhr.open(request.method, request.url);
          for (const [name, value] of Object.entries(request.headers)) xhr.setRequestHeader(name, value);
          xhr.onloadend = onAbort(signal, () => xhr.abort());
          let furthest = 0;
          let failure: unknown;
          const onProgress = ({ loaded }: ProgressEvent) => {
            // The browser itself has sent the request again, at once: the host may still be storing what it had received.
            if (loaded < furthest) {
              failure = new Interruption("connection", "the connection failed");
              return xhr.abort();
            }
            furthest = loaded;
            request.onHandedOver(loaded);
          };
          if (body !== undefined) xhr.upload.onprogress = onProgress;
          const finish = () => {
            if (isElsewhere(xhr.responseURL, request.url) || isRedirect(xhr)) reject(redirected());
            else resolve(answerOf(xhr));
          };
          xhr.onload = finish;
          xhr.onprogress = ({ loaded }) => {
            if (loaded <= LONGEST_BODY) return;
            finish();
            xhr.abort();
          };
          xhr.onerror = () => reject(new Interruption("connection", "the connection failed"));
          xhr.onabort = () => reject(failure ?? signal.reason);
          xhr.send(blob ?? null);
          // Garbage is collected while the bytes are on their way, since that takes as long as a request takes to begin.
          if (body !== undefined && body.blob === undefined) collectGarbage(body.size);
        });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Interruption && (await own.wasRedirected())) throw redirected();
        throw error;
      }
    },
  };
}

/** An answer, be it whole or not: headers are not known any more once a request was aborted. */
function answerOf(xhr: XMLHttpRequest): TransferAnswer {
  const headers = new Map<string, string>();
  for (const line of xhr.getAllResponseHeaders().split("\r\n")) {
    const [name = "", ...value] = line.split(":");
    headers.set(name.toLowerCase(), value.join(":").trim());
  }
  const text = xhr.responseText.slice(0, LONGEST_BODY);
  return { status: xhr.status, header: (name) => headers.get(name.toLowerCase()), text };
}

const ownXhr: NonNullable<Requester["xhrFor"]> = async () => ({
  XMLHttpRequest,
  wasRedirected: async () => false,
});

/** True if an answer came from another address than the one that was asked; an answer that hides its address is not. */
function isElsewhere(answered: string, asked: string): boolean {
  if (answered === "") return false;
  const [from, to] = [new URL(asked), new URL(answered)];
  return from.origin !== to.origin || from.pathname !== to.pathname || from.search !== to.search;
}
