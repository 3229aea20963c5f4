/**
 * The client of a service's account: asks for upload locations and ends live streams. Carries no upload code.
 *
 * @example
 * ```ts
 * import { createClient, isUpcutError } from "@upcut/core/client";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * await client.terminateStream("my-stream").catch((error) => {
 *   if (!isUpcutError(error)) throw error;
 *   console.log(error.code); // "not-reached": nothing listens there
 * });
 * ```
 *
 * @module
 */

import { type Paths, readBaseUrl, readPaths, streamSegment } from "./address.ts";
import type { AssetRequest, UploadLocation } from "./asset.ts";
import { checkAssetRequest, lacksWebhookId } from "./asset-schema.ts";
import { digest } from "./digest.ts";
import { type Journal, memoryJournal } from "./journal.ts";
import { readUploadLocation } from "./location.ts";
import { OptionCheck } from "./options.ts";
import { show } from "./redaction.ts";
import {
  type AccountAnswer,
  type AccountCall,
  callAccount,
  type Fetch,
  runtimeFetch,
  unexpectedAnswer,
} from "./request.ts";
import { readToken } from "./token.ts";

export { isUpcutError } from "./errors.ts";
export type { AssetRequest, Fetch, UploadLocation };

/** How to reach an account. */
export interface ClientOptions {
  /** Base address of the service: http or https, without credentials, query and fragment; a path is kept. */
  baseUrl: string | URL;
  /**
   * The account's token, or a function that returns it, called once for each call. A pasted `Bearer ` and white
   * space around it come off. It is sent to the base address alone.
   */
  token: string | (() => string | Promise<string>);
  /**
   * A name for the account, so that an unfinished upload continues after the token was renewed.
   * @default a prefix of the token's sha-256
   */
  account?: string;
  /** Paths of the two calls. @default the paths of the interface document */
  paths?: Partial<Paths>;
  /** Used for every request of this client and of the uploads made with it. @default the runtime's own */
  fetch?: Fetch;
  /** Milliseconds until a call without an answer fails. @default 20000 */
  timeout?: number;
  /**
   * Whether the account token is also sent to the upload host. The interface document leaves open whether
   * locations need it, and some hosts refuse it, so leave it off unless the service asks for it.
   * @default false
   */
  uploadAuthorization?: boolean;
  /** Remembers unfinished uploads. @default a journal in memory, one per client */
  journal?: Journal;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the wait; the call then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds, instead of the client's. */
  timeout?: number;
}

/** An account of a service. */
export interface Client {
  /** Stands for base address and account in a journal: a hash, no secret. */
  scope(): Promise<string>;
  /** Remembers the unfinished uploads made with this client. */
  readonly journal: Journal;
  /** The injected `fetch`, if there is one. */
  readonly fetch?: Fetch;
  /** The headers the upload host gets beside the protocol's own; empty unless `uploadAuthorization` is on. */
  uploadHeaders(): Promise<Record<string, string>>;
  /**
   * Creates an asset and returns where its content goes (interface document: "Request an upload location").
   *
   * It is never repeated by itself: when no answer comes, an asset may have been created. (Browsers alone
   * repeat on their own what was sent on a kept connection that broke, which no page can prevent.)
   *
   * @throws {InputError} `invalid-request` before anything is sent.
   * @throws {ServiceError} when the service refuses or answers something else.
   * @throws {ConnectionError} `not-reached`, or `asset-unknown` when the answer was lost.
   */
  requestUpload(request?: AssetRequest, options?: CallOptions): Promise<UploadLocation>;
  /**
   * Ends the running session of a live stream (interface document: "Terminate a stream session"). The recording
   * stops, and the streamer may start again at once.
   *
   * It is never repeated by itself. The service may answer success for a stream that isn't live.
   *
   * @param id the stream's identifier; sent as one path segment, whatever it holds
   * @throws {InputError} `invalid-id` before anything is sent.
   * @throws {ServiceError} when the service refuses or answers something else.
   * @throws {ConnectionError} `not-reached`, or `end-unknown` when the answer was lost.
   */
  terminateStream(id: string, options?: CallOptions): Promise<void>;
}

const check = new OptionCheck("create a client");
const OPTION_NAMES = "baseUrl token account paths fetch timeout uploadAuthorization journal".split(" ");
const CALL_OPTION_NAMES = ["signal", "timeout"];

/** Seconds in which some services refuse another terminate call, also after one that failed. */
const TERMINATE_PAUSE = 5;

/**
 * Makes a client for one account of one service.
 *
 * @throws {InputError} `invalid-option`, naming the option and what was found.
 * @example
 * ```ts
 * import { createClient } from "@upcut/core";
 *
 * const client = createClient({
 *   baseUrl: "https://video.example",
 *   token: () => "<API_KEY>",
 *   paths: { terminate: "/api/stream/{id}/terminate" },
 * });
 * console.log(typeof client.requestUpload); // "function"
 * ```
 */
export function createClient(options: ClientOptions): Client {
  check.record(options, OPTION_NAMES);
  const base = readBaseUrl(options.baseUrl);
  const { token, account, uploadAuthorization = false } = options;
  if (typeof token === "string") readToken(token);
  else if (typeof token !== "function") {
    // A number may be a token that was not written as a string.
    const found = typeof token === "number" || typeof token === "bigint" ? "a number" : show(token);
    throw check.error(`token is ${found}, expected a string or a function`);
  }
  const paths = readPaths(options.paths);
  check.milliseconds("timeout", options.timeout);
  check.that("fetch", options.fetch, typeof options.fetch === "function", "a function");
  check.text("account", account);
  check.flag("uploadAuthorization", uploadAuthorization);
  check.journal(options.journal);
  const { timeout = 20_000, journal = memoryJournal(), fetch = runtimeFetch } = options;

  const currentToken = async () => readToken(typeof token === "function" ? await token() : token);

  async function call(
    details: Pick<AccountCall, "method" | "purpose" | "path" | "lost" | "failedHint" | "body"> & {
      address: string;
    },
    callOptions: CallOptions,
  ): Promise<{ answer: AccountAnswer; call: AccountCall }> {
    const callCheck = new OptionCheck(details.purpose);
    callCheck.record(callOptions, CALL_OPTION_NAMES);
    const { signal, timeout: own = timeout } = callOptions;
    callCheck.signal(signal);
    callCheck.milliseconds("timeout", own);
    signal?.throwIfAborted();
    const current = await unlessAborted(currentToken(), signal);
    const sent: AccountCall = { ...details, token: current, signal, timeout: own };
    return { answer: await callAccount(sent, fetch), call: sent };
  }

  return {
    journal,
    ...(options.fetch && { fetch: options.fetch }),

    async scope() {
      return await digest([base.href, account ?? (await digest([await currentToken()])).slice(0, 16)]);
    },

    async uploadHeaders(): Promise<Record<string, string>> {
      return uploadAuthorization ? { Authorization: `Bearer ${await currentToken()}` } : {};
    },

    async requestUpload(request = {}, callOptions = {}) {
      const body = checkAssetRequest(request);
      const { answer, call: sent } = await call(
        {
          method: "POST",
          address: base.href + paths.requestUpload,
          body,
          purpose: "request an upload location",
          path: "requestUpload",
          lost: {
            code: "asset-unknown",
            state: "An asset may have been created: look into the account before trying again",
          },
          failedHint: () =>
            lacksWebhookId(body)
              ? "The playback policy is of type webhook but names no webhookId, which may be why; otherwise try again later"
              : "Try again later",
        },
        callOptions,
      );
      const location = readUploadLocation(parseAnswer(sent, answer), base.secure, "service");
      if ("problem" in location)
        throw unexpectedAnswer(sent, answer, `${String(location.problem)}. ${sent.lost.state}`);
      if (location.url === undefined && location.tusEndpoint === undefined) {
        const found = location.mismatches.filter(({ path }) => path === "url" || path === "tusEndpoint");
        const why = found
          .map((each) => `${each.path}: expected ${each.expected}, found ${each.found}`)
          .join("; ");
        throw unexpectedAnswer(
          sent,
          answer,
          `asset ${show(location.asset.id)} was created without a usable location (${why})`,
        );
      }
      return location;
    },

    async terminateStream(id, callOptions = {}) {
      const segment = streamSegment(id);
      const { answer, call: sent } = await call(
        {
          method: "DELETE",
          address: base.href + paths.terminate.replace("{id}", () => segment),
          purpose: "terminate the stream session",
          path: "terminate",
          lost: { code: "end-unknown", state: "The session may have ended" },
          failedHint: (retryAfter = TERMINATE_PAUSE) =>
            `The session may have ended. Wait ${retryAfter} s before trying again: until then it may answer that the call came too soon`,
        },
        callOptions,
      );
      if (answer.status !== 204) {
        const page = describePage(answer.text);
        throw unexpectedAnswer(
          sent,
          answer,
          `the service answered ${answer.status}${page} where 204 was expected. The session may have ended; check baseUrl and paths.terminate`,
        );
      }
    },
  };
}

/** Rejects with the signal's reason as soon as it is aborted; the work itself can't be stopped. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    const leave = () => signal.removeEventListener("abort", stop);
    work.then(resolve, reject).finally(leave);
  });
}

function parseAnswer(call: AccountCall, answer: AccountAnswer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    const page = describePage(answer.text);
    const advice =
      page === HTML_PAGE
        ? "Check baseUrl, and whether this network asks you to sign in"
        : `${call.lost.state}. Check baseUrl and paths.requestUpload too`;
    const state = `the service answered ${answer.status}${page} where JSON was expected. ${advice}`;
    throw unexpectedAnswer(call, answer, state);
  }
}

const HTML_PAGE = " with an HTML page";

function describePage(text: string): string {
  if (text.trim() === "") return " without a body";
  if (/^\s*<(!doctype|html)/i.test(text)) return HTML_PAGE;
  try {
    JSON.parse(text);
    return " with JSON";
  } catch {
    return " with text that is no JSON";
  }
}
