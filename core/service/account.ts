/**
 * The way to an account: one ofetch instance per client, for the base address alone.
 *
 * @module
 */

import { createFetch, type FetchContext, type FetchOptions } from "ofetch";
import { ServiceError } from "../errors.ts";
import { type Fetch, trackedRequest } from "../http/fetch.ts";
import { readNetworkError } from "../http/network-error.ts";
import type { AccountAnswer, AccountCall } from "./account-call.ts";
import { lostAnswer, redirected, refused } from "./call-errors.ts";

/** The options of one request, with the call that the hooks of the instance need. */
type CallFetchOptions = FetchOptions<"json"> & { call: AccountCall };

/**
 * Makes the function that sends the calls of an account: each once, never repeated, never across a redirect.
 *
 * @returns a function that throws a `ServiceError` for a redirect and for every status from 300 on, and a
 * `ConnectionError` (`unreachable` or the call's `lost.code`) where no answer came
 */
export function openAccount(baseUrl: string, fetch: Fetch): (call: AccountCall) => Promise<AccountAnswer> {
  const send = createFetch({ fetch: fetch as typeof globalThis.fetch }).create({
    baseURL: baseUrl,
    // "error" is refused by some edge runtimes and hides where the redirect points to.
    redirect: "manual",
    retry: false,
    // An answer that is not JSON is described in the error.
    parseResponse: (text) => text,
    onRequest({ options }) {
      options.headers.set("accept", "application/json");
      options.headers.set("authorization", `Bearer ${callOf(options).token}`);
    },
    onResponse({ options, response }) {
      const { type, status } = response;
      if (type === "opaqueredirect" || (status >= 300 && status < 400))
        throw redirected(callOf(options), baseUrl, response);
    },
    onResponseError({ options, response }) {
      throw refused(callOf(options), baseUrl, response, textOf(response));
    },
  });

  return async (call) => {
    const { method, signal } = call;
    signal?.throwIfAborted();
    // ofetch has a timer only where there is no signal. Some runtimes refuse a fraction.
    const expired = AbortSignal.timeout(Math.ceil(call.timeout));
    // Written here, since ofetch takes a record with a field such as "buffer" for something else than JSON.
    const { init, wasAskedFor } = trackedRequest(call.body && JSON.stringify(call.body), fetch);
    const options: CallFetchOptions = {
      ...init,
      call,
      method,
      headers: { ...init.headers, ...(call.body && { "content-type": "application/json" }) },
      signal: signal ? AbortSignal.any([signal, expired]) : expired,
    };
    const response = await send.raw(call.path, options).catch((error: unknown) => {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof ServiceError) throw error;
      throw lostAnswer(call, baseUrl, readNetworkError(error, wasAskedFor?.()), expired.aborted);
    });
    return { status: response.status, text: textOf(response) };
  };
}

function callOf(options: FetchContext["options"]): AccountCall {
  return (options as FetchContext["options"] & CallFetchOptions).call;
}

function textOf({ _data }: { _data?: unknown }): string {
  return typeof _data === "string" ? _data : "";
}
