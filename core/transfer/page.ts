/**
 * How a page sends: the parts of a file as a stream where the host takes one, all else by XMLHttpRequest.
 *
 * A browser may send an XMLHttpRequest again by itself while a store still takes parts of it, so there one part goes at a
 * time. A stream can't be read again: a request with one is sent once, and never to where it is redirected, so that all
 * parts may go in it. Browsers do that over HTTP/2 and 3 alone. Over HTTP/1.1, and where a Content-Security-Policy
 * forbids the host, it fails before a byte was read, and looks like a host that can't be reached.
 */

import { type Host, hostAt } from "../hosts/host.ts";
import { runtimeFetch } from "../http/fetch.ts";
import { isSuccess } from "../http/status.ts";
import { sendsStreams } from "../runtime.ts";
import type { Requester } from "../service/requester.ts";
import { PART_SIZE } from "../source/parts.ts";
import type { ReadableSource } from "../source/source.ts";
import { startTimer } from "../time/clock.ts";
import { fetchTransport } from "./fetch.ts";
import { bodyRefused, Interruption } from "./interruption.ts";
import type { Transport } from "./transport.ts";
import { xhrTransport } from "./xhr.ts";

/** After so many failures, no stream is sent there any more. Between two of them the host has answered a HEAD. */
const MOST_FAILURES = 2;
/** Milliseconds in which a stream fails where it can't be sent. */
const QUICK = 2_000;
/** Bytes of a broken stream after which a host has kept a part, unless something before it keeps all until the end. */
const MUST_BRING = 3 * PART_SIZE;
/** How hosts refuse a body whose length they aren't told, or that is longer than they take at a time. */
const REFUSALS = [400, 411, 413, 501];

/** Sends as a page does: what comes in pieces is held and goes by XMLHttpRequest, a part at a time. */
export function pageTransport(source: ReadableSource | undefined, xhrFor: Requester["xhrFor"]): Transport {
  const xhr = xhrTransport(xhrFor);
  if (source?.rereadable !== true || source.readAhead !== undefined || !sendsStreams()) return xhr;
  const stream = streamTransport();
  const instead: Transport["instead"] = ({ method, url }) =>
    method === "PATCH" && url.startsWith("https:") && takesStreams(hostAt(url)) ? stream : undefined;
  // The transport by XHR has a getter, which a copy would lose.
  return Object.assign(xhr, { instead });
}

/** False for a host that has refused bodies whose length it isn't told. */
export function takesStreams({ failedStreams = 0 }: Host): boolean {
  return failedStreams < MOST_FAILURES;
}

/** @throws {Interruption} where a status means that a host takes no such bodies, which is kept in mind */
export function refuseStreams(host: Host, status: number | undefined): void {
  if (status === undefined || !REFUSALS.includes(status)) return;
  host.failedStreams = MOST_FAILURES;
  throw bodyRefused(`the upload host answered ${status}`);
}

/** Sends bodies as streams, and learns which hosts take them. */
function streamTransport(): Transport {
  const byFetch = fetchTransport(runtimeFetch, true);
  /** Where the last request began, if it broke after a host must have kept some of it. */
  let stuckAt: string | undefined;
  return {
    ...byFetch,
    async send(request) {
      const { url, body, headers } = request;
      if (body === undefined) return await byFetch.send(request);
      const host = hostAt(url);
      const at = `${url} ${headers["Upload-Offset"]}`;
      if (at === stuckAt) {
        host.failedStreams = MOST_FAILURES;
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
        if (host.failedStreams !== 0 && error.reason !== "connection") host.failedStreams = MOST_FAILURES;
        throw error;
      }
    },
  };
}
