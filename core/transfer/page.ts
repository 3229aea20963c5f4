/**
 * How a page sends: the parts of a file as a stream where the host takes one, all else by XMLHttpRequest.
 *
 * A browser may send an XMLHttpRequest again by itself while a store still takes parts of it, so there one part goes at a
 * time. A stream can't be read again: a request with one is sent once, and never to where it is redirected, so that all
 * parts may go in it. Browsers do that over HTTP/2 and 3 alone. Over HTTP/1.1, and where a Content-Security-Policy
 * forbids the host, it fails before a byte was read, and looks like a host that can't be reached.
 */

import type { Hosts } from "../hosts/host.ts";
import { runtimeFetch } from "../http/fetch.ts";
import { LONGEST_BODY } from "../http/limited-body.ts";
import { isRedirect, isSuccess } from "../http/status.ts";
import { sendsStreams } from "../runtime.ts";
import type { Requester } from "../service/requester.ts";
import { PART_SIZE } from "../source/parts.ts";
import type { ReadableSource } from "../source/source.ts";
import { onAbort } from "../time/abort.ts";
import { startTimer } from "../time/clock.ts";
import { fetchTransport } from "./fetch.ts";
import { bodyRefused, Interruption, refuseStreams } from "./interruption.ts";
import { collectGarbage, redirected, type TransferAnswer, type Transport } from "./transport.ts";

/** Milliseconds in which a stream fails where it can't be sent. */
const QUICK = 2_000;
/** Bytes of a broken stream after which a host has kept a part, unless something before it keeps all until the end. */
const MUST_BRING = 3 * PART_SIZE;

/** Sends as a page does: what comes in pieces is held and goes by XMLHttpRequest, a part at a time. */
export function pageTransport(
  source: ReadableSource | undefined,
  xhrFor: Requester["xhrFor"],
  hosts: Hosts,
): Transport {
  const xhr = xhrTransport(xhrFor);
  if (source?.rereadable !== true || source.readAhead !== undefined || !sendsStreams()) return xhr;
  const stream = streamTransport(hosts);
  const instead: Transport["instead"] = ({ method, url }) =>
    method === "PATCH" && url.startsWith("https:") && hosts.at(url).takesStreams ? stream : undefined;
  // The transport by XHR has a getter, which a copy would lose.
  return Object.assign(xhr, { instead });
}

/** Sends bodies as streams, and learns which hosts take them. */
function streamTransport(hosts: Hosts): Transport {
  const byFetch = fetchTransport(runtimeFetch, true);
  /** Where the last request began, if it broke after a host must have kept some of it. */
  let stuckAt: string | undefined;
  return {
    ...byFetch,
    async send(request) {
      const { url, body, headers } = request;
      if (body === undefined) return await byFetch.send(request);
      const host = hosts.at(url);
      const at = `${url} ${headers["Upload-Offset"]}`;
      if (at === stuckAt) {
        host.refuseStreams();
        throw bodyRefused("the upload host has stored nothing of a request that broke");
      }
      const elapsed = startTimer();
      try {
        const answer = await byFetch.send(request);
        refuseStreams(host, answer.status);
        if (isSuccess(answer)) host.failedStreams = 0;
        return answer;
      } catch (error) {
        stuckAt = body.given >= MUST_BRING ? at : undefined;
        if (!(error instanceof Interruption)) throw error;
        if (body.given === 0 && error.reason === "connection" && elapsed() < QUICK) {
          host.failedStreams = (host.failedStreams ?? 0) + 1;
          throw bodyRefused(error.message);
        }
        // Something between may wait for the end of a body whose length it doesn't know.
        if (host.failedStreams !== 0 && error.reason !== "connection") host.refuseStreams();
        throw error;
      }
    },
  };
}

/**
 * Sends by XMLHttpRequest; a Blob body goes from disk to the network without being held.
 *
 * @param xhrFor gives what sends to an origin, or nothing where fetch has to
 */
function xhrTransport(xhrFor: NonNullable<Requester["xhrFor"]> = ownXhr): Transport {
  const byFetch = fetchTransport(runtimeFetch);
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
      if (own === undefined) return await byFetch.send(request);
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
