/**
 * The way to an account: one ofetch instance per client, for the base address alone.
 *
 * @module
 */

import { createFetch } from "ofetch";
import { type Fetch, trackedRequest } from "../http/fetch.ts";
import { readNetworkError } from "../http/network-error.ts";
import { isRedirect } from "../http/status.ts";
import type { AccountAnswer, AccountCall } from "./account-call.ts";
import { lostAnswer, redirected, refused } from "./call-errors.ts";

/**
 * Makes the function that sends the calls of an account: each once, never repeated, never across a redirect.
 *
 * @returns a function that throws a `ServiceError` for a redirect and for every status from 400 on, and a
 * `ConnectionError` (`unreachable` or the call's `lost.code`) where no answer came
 */
export function openAccount(baseUrl: string, fetch: Fetch): (call: AccountCall) => Promise<AccountAnswer> {
  const send = createFetch({ fetch: fetch as typeof globalThis.fetch }).create({
    // "error" is refused by some edge runtimes and hides where the redirect points to.
    redirect: "manual",
    retry: false,
    headers: { accept: "application/json" },
    // What came instead of JSON is described later.
    parseResponse: (text) => text,
    // ofetch would put the address and the answer into its own errors.
    ignoreResponseError: true,
  });

  return async (call) => {
    const { method, signal } = call;
    signal?.throwIfAborted();
    // ofetch has a timer only where there is no signal. Some runtimes refuse a fraction.
    const expired = AbortSignal.timeout(Math.ceil(call.timeout));
    // Written here, since ofetch takes a record with a field such as "buffer" for something else than JSON.
    const { init, wasAskedFor } = trackedRequest(call.body && JSON.stringify(call.body), fetch);
    // With the base address, since ofetch's own joining drops a path that is "/".
    const response = await send
      .raw(baseUrl + call.path, {
        ...init,
        method,
        headers: {
          ...init.headers,
          authorization: `Bearer ${call.token}`,
          ...(call.body && { "content-type": "application/json" }),
        },
        signal: signal ? AbortSignal.any([signal, expired]) : expired,
      })
      .catch((error: unknown) => {
        if (signal?.aborted) throw signal.reason;
        throw lostAnswer(call, baseUrl, readNetworkError(error, wasAskedFor?.()), expired.aborted);
      });
    const text = typeof response._data === "string" ? response._data : "";
    if (response.type === "opaqueredirect" || isRedirect(response)) throw redirected(call, baseUrl, response);
    if (response.status >= 400) throw refused(call, baseUrl, response, text);
    return { status: response.status, text };
  };
}
