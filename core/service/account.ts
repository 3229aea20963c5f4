/** The way to an account: one ofetch instance per client, for the base address alone. */
import { createFetch } from "ofetch";
import { asUpcutError, isUpcutError } from "../errors/errors.ts";
import { type Hosts, processHosts } from "../hosts/host.ts";
import { type Fetch, plainAnswer, type TrackedRequest, trackedRequest } from "../http/fetch.ts";
import { readBody } from "../http/limited-body.ts";
import { readNetworkError } from "../http/network-error.ts";
import { observed, type RequestHooks, type RequestReport } from "../http/observe.ts";
import { headersFor, type OwnHeaders, secretsIn } from "../http/own-headers.ts";
import { isRedirect } from "../http/status.ts";
import { hasRequestCache } from "../runtime.ts";
import { abandon, joinSignals, untilAborted } from "../time/abort.ts";
import { callRedirected, lostAnswer, refused, unreadableAnswer } from "./call-errors.ts";
import type { AccountAnswer, AccountCall } from "./calls.ts";

/**
 * Makes the function that sends the calls of an account: each once, never repeated, never across a redirect.
 *
 * @returns a function that throws a `ServiceError` for a redirect and for every status from 400 on, and a
 * `ConnectionError` (`unreachable` or the call's `lost.code`) where no answer came
 */
export function openAccount(
  fetch: Fetch,
  { headers: own, ...hooks }: RequestHooks & { headers?: OwnHeaders | undefined } = {},
  hosts: Hosts = processHosts,
): (call: AccountCall) => Promise<AccountAnswer> {
  // A fetch that doesn't heed the signal isn't waited for.
  const endingFetch: Fetch = (input, init) => untilAborted(fetch(input, init), init?.signal ?? undefined);
  const send = createFetch({ fetch: endingFetch }).create({
    headers: { accept: "application/json" },
    // "error" is refused by some edge runtimes and hides where the redirect points to.
    redirect: "manual",
    // A call that may have reached the service is never repeated.
    retry: false,
    // A refusal is read here, as every answer is.
    ignoreResponseError: true,
    // With a parser, ofetch would read the whole answer first, however long it is.
    responseType: "stream",
    // An answer holds a one-time location, and Firefox keeps answers to a POST on its disk.
    ...(hasRequestCache() && { cache: "no-store" }),
  });

  async function answerOf(
    call: AccountCall,
    body: string | undefined,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<AccountAnswer> {
    // A read may be sent twice, and a GET can't have the body by which others are kept from it.
    const tracked: TrackedRequest = call.method === "GET" ? { init: {} } : trackedRequest(body, fetch);
    const { init, wasAskedFor } = tracked;
    const plain = plainAnswer(fetch);
    const lost = (error: unknown): never => {
      call.signal?.throwIfAborted();
      const isNew = !hosts.at(call.baseUrl).hasAnswered;
      const network = readNetworkError(error, wasAskedFor?.());
      throw lostAnswer(call, network, { expired: signal.aborted, isNew });
    };
    const sending = send.raw<unknown, "stream">(`${call.baseUrl}${call.path}`, {
      ...init,
      ...plain.init,
      method: call.method,
      headers: { ...headers, ...init.headers, ...plain.headers },
      // ofetch's own time limit would end with the headers, and is left out beside a signal.
      signal,
      onRequest({ options }) {
        if (!call.isBare) options.headers.set("authorization", `Bearer ${call.token}`);
        if (body !== undefined) options.headers.set("content-type", "application/json");
      },
      onRequestError: ({ error }) => lost(error),
    });
    const response = await sending.catch((error: unknown) => {
      call.signal?.throwIfAborted();
      throw asUpcutError(call.purpose, error);
    });
    // Reading is apart from sending: what fails in here is no lost connection, unless the body breaks off.
    try {
      const { status, type } = response;
      if (type === "opaqueredirect" || isRedirect(response)) throw callRedirected(call, response);
      // Bun has such an answer where the status can't be read.
      if (!(status >= 200) || !Number.isInteger(status)) lost(new Error("the answer has no status of HTTP"));
      const reading = readBody(plain.open(response), signal);
      // A refusal whose body can't be read is still a refusal.
      const text = await reading.catch((error) => (status >= 400 ? "" : lost(error)));
      call.signal?.throwIfAborted();
      if (status >= 400) throw refused(call, response, text);
      return { call, status, text };
    } catch (error) {
      abandon(() => response.body?.cancel());
      call.signal?.throwIfAborted();
      throw isUpcutError(error) ? error : unreadableAnswer(call, response.status, error);
    }
  }

  return async (call) => {
    const { purpose, timeout: milliseconds } = call;
    call.signal?.throwIfAborted();
    // JSON is written here, since ofetch takes a record with a field such as "buffer" for something else.
    const body = call.body && JSON.stringify(call.body);
    const request: RequestReport = {
      kind: call.pathName === "requestUpload" ? "request-upload" : call.pathName,
      method: call.method,
      origin: new URL(call.baseUrl).origin,
      bytes: new TextEncoder().encode(body).length,
    };
    const headers = await headersFor(own, () => request, { purpose, signal: call.signal, milliseconds });
    call.secrets.push(...secretsIn(headers));
    const { signal, abort, leave } = joinSignals(call.signal);
    const timer = setTimeout(() => abort(new Error("no answer")), call.timeout);
    try {
      return await observed(hooks, request, () => answerOf(call, body, headers, signal), { hosts });
    } finally {
      clearTimeout(timer);
      leave();
    }
  };
}
