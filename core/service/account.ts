/**
 * The way to an account: one ofetch instance per client, for the base address alone.
 *
 * @module
 */

import { createFetch } from "ofetch";
import { abandon, joinSignals, untilAborted } from "../abort.ts";
import { type Fetch, plainAnswer, trackedRequest } from "../http/fetch.ts";
import { readBody } from "../http/limited-body.ts";
import { readNetworkError } from "../http/network-error.ts";
import { observed, type RequestHooks, type RequestReport } from "../http/observe.ts";
import { isRedirect } from "../http/status.ts";
import { hasRequestCache } from "../runtime.ts";
import type { AccountAnswer, AccountCall } from "./account-call.ts";
import { lostAnswer, redirected, refused } from "./call-errors.ts";

/**
 * Makes the function that sends the calls of an account: each once, never repeated, never across a redirect.
 *
 * @returns a function that throws a `ServiceError` for a redirect and for every status from 400 on, and a
 * `ConnectionError` (`unreachable` or the call's `lost.code`) where no answer came
 */
export function openAccount(
  baseUrl: string,
  fetch: Fetch,
  hooks: RequestHooks = {},
): (call: AccountCall) => Promise<AccountAnswer> {
  const send = createFetch({ fetch: fetch as typeof globalThis.fetch }).create({
    // "error" is refused by some edge runtimes and hides where the redirect points to.
    redirect: "manual",
    retry: false,
    headers: { accept: "application/json" },
    // Read by this module, which knows how much of it may be read and how long that may take.
    responseType: "stream",
    // ofetch would put the address and the answer into its own errors.
    ignoreResponseError: true,
    // An answer holds a one-time location, and Firefox keeps answers to a POST on its disk.
    ...(hasRequestCache() && { cache: "no-store" }),
  });

  async function answerOf(
    call: AccountCall,
    body: string | undefined,
    signal: AbortSignal,
  ): Promise<AccountAnswer> {
    const { init, wasAskedFor } = trackedRequest(body, fetch);
    const lost = (error: unknown): never => {
      call.signal?.throwIfAborted();
      throw lostAnswer(call, baseUrl, readNetworkError(error, wasAskedFor?.()), signal.aborted);
    };
    // With the base address, since ofetch's own joining drops a path that is "/".
    const plain = plainAnswer(fetch);
    const sending = send.raw<unknown, "stream">(baseUrl + call.path, {
      ...init,
      ...plain.init,
      method: call.method,
      headers: {
        ...init.headers,
        ...plain.headers,
        authorization: `Bearer ${call.token}`,
        ...(call.body && { "content-type": "application/json" }),
      },
      signal,
    });
    const response = await untilAborted(sending, signal).catch(lost);
    const { status, type } = response;
    if (type === "opaqueredirect" || isRedirect(response)) {
      abandon(() => response.body?.cancel());
      throw redirected(call, baseUrl, response);
    }
    // Bun has such an answer where the status can't be read.
    if (!(status >= 200) || !Number.isInteger(status)) {
      abandon(() => response.body?.cancel());
      return lost(new Error("the answer has no status of HTTP"));
    }
    // What the status says is known, whatever becomes of the words.
    const text = await readBody(plain.open(response), signal).catch((error) =>
      status >= 400 ? "" : lost(error),
    );
    call.signal?.throwIfAborted();
    if (status >= 400) throw refused(call, baseUrl, response, text);
    return { status, text };
  }

  return async (call) => {
    call.signal?.throwIfAborted();
    // Written here, since ofetch takes a record with a field such as "buffer" for something else than JSON.
    const body = call.body && JSON.stringify(call.body);
    const { signal, abort, leave } = joinSignals(call.signal);
    const timer = setTimeout(() => abort(new Error("no answer")), call.timeout);
    try {
      return await observed(hooks, reportOf(call, baseUrl, body), () => answerOf(call, body, signal));
    } finally {
      clearTimeout(timer);
      leave();
    }
  };
}

function reportOf({ method, pathName }: AccountCall, baseUrl: string, body = ""): RequestReport {
  return {
    kind: pathName === "terminate" ? "terminate" : "request-upload",
    method,
    origin: new URL(baseUrl).origin,
    bytes: new TextEncoder().encode(body).length,
  };
}
